//! Evolution runs that Python executes one generation at a time.

use crate::tree::Tree;
use crate::{errors, pool};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use toml::Table;
use xpuck_lab::evolution_run::{self, EvolutionRun, Folder, Outcome, champion, file};

/// Evolution run, and its folder if it has one.
#[pyclass(module = "xpuck")]
pub struct Evolution {
    run: EvolutionRun,
    folder: Option<Folder>,
    /// Notices for the user that arose when the run was resumed.
    notices: Vec<String>,
}

/// Parses the keys of an evolution file from a JSON object.
///
/// # Errors
/// If the text is not a valid JSON object.
pub fn table(settings: &str) -> PyResult<Table> {
    serde_json::from_str(settings).map_err(|error| errors::value(format!("settings: {error}")))
}

#[pymethods]
impl Evolution {
    /// Creates a run from an evolution file. `settings` are keys in JSON that replace those of the file. If `out` is
    /// set, the run is written to this new folder, as by `xpuck evolve --output`.
    #[new]
    #[pyo3(signature = (path, settings, out))]
    fn new(path: Option<PathBuf>, settings: &str, out: Option<PathBuf>) -> PyResult<Evolution> {
        let loaded = file::load(path.as_deref(), table(settings)?);
        let config = loaded.map_err(|error| match &path {
            Some(path) => errors::of_file(path, error),
            None => errors::value(error),
        })?;
        let folder = out.map(|out| Folder::create(&out, &config)).transpose().map_err(errors::file)?;
        let engine = xpuck_lab::engine::open(config.engine.clone(), &[&config.spec]).map_err(errors::value)?;
        Ok(Evolution { run: EvolutionRun::new(config).on(engine), folder, notices: Vec::new() })
    }

    /// Resumes the run in a folder from its last checkpoint.
    #[staticmethod]
    fn resume(py: Python<'_>, path: PathBuf) -> PyResult<Evolution> {
        let resumed = pool::compute(py, || Folder::resume(&path))?;
        let evolution_run::Resumed { folder, evolution, notices } =
            resumed.map_err(|error| errors::of_file(&path, error))?;
        let config = evolution.config();
        let engine = xpuck_lab::engine::open(config.engine.clone(), &[&config.spec]).map_err(errors::value)?;
        Ok(Evolution { run: evolution.on(engine), folder: Some(folder), notices })
    }

    /// Runs one generation, and writes it to the run's folder if there is one.
    fn step(&mut self, py: Python<'_>) -> PyResult<()> {
        // The stop flag is already set, so the run ends after one generation.
        let stop = AtomicBool::new(true);
        let Evolution { run, folder, .. } = self;
        pool::compute(py, || evolution_run::run(run, folder.as_mut(), &stop, |_| ()))?.map_err(errors::file)?;
        Ok(())
    }

    /// Remeasures the champions in fresh simulations, and returns the outcome as JSON. Trees and result are also
    /// written to the run's folder if there is one.
    fn finish(&mut self, py: Python<'_>) -> PyResult<String> {
        let Evolution { run, folder, .. } = self;
        let outcome = pool::compute(py, || Outcome::from_evolution(run))?.map_err(errors::value)?;
        if let Some(folder) = folder {
            folder.finish(run, &outcome).map_err(errors::file)?;
        }
        Ok(serde_json::to_string(&outcome).expect("plain data"))
    }

    /// Returns the progress of each island: generation, estimated fitness of the champion, number of the champion's
    /// evaluations, and mean fitness of the population.
    fn progress(&self) -> Vec<(u32, f64, u32, f64)> {
        let progress = self.run.state().islands.iter().map(|island| island.progress());
        progress.map(|p| (p.generation, p.best, p.evaluations, p.mean)).collect()
    }

    /// Returns the champion of each island with its estimated fitness. The returned tree is `sel2(avoiding, champion)`,
    /// which is the tree that evolution executes.
    fn champions(&self) -> Vec<(Tree, f64)> {
        let settings = &self.run.config().settings;
        let islands = self.run.state().islands.iter();
        let champions = islands.map(|island| champion(island, settings));
        champions.map(|one| (Tree { tree: one.tree.under_avoiding() }, one.samples.mean())).collect()
    }

    /// Returns all trees of an island, with their estimated fitness and number of evaluations. The fittest tree is
    /// first. Islands are numbered from 0.
    fn population(&self, island: usize) -> PyResult<Vec<(Tree, f64, u32)>> {
        let islands = &self.run.state().islands;
        let Some(island) = islands.get(island) else {
            return Err(errors::value(format!(
                "island = {island}: must be below {}, the number of islands",
                islands.len()
            )));
        };
        let population = island.population().iter();
        Ok(population.map(|one| (Tree { tree: one.tree.clone() }, one.samples.mean(), one.samples.n())).collect())
    }

    /// Whether all generations are evaluated or the budget is used up.
    #[getter]
    fn is_done(&self) -> bool {
        self.run.is_done()
    }

    /// Completed share of the run (0..=1).
    #[getter]
    fn done(&self) -> f64 {
        self.run.done().min(1.0)
    }

    /// Number of generations so far.
    #[getter]
    fn generation(&self) -> u32 {
        self.run.state().generation
    }

    /// Simulated time so far (robot-seconds).
    #[getter]
    fn robot_seconds(&self) -> f64 {
        self.run.robot_seconds()
    }

    /// Notices for the user that arose when the run was resumed.
    #[getter]
    fn notices(&self) -> Vec<String> {
        self.notices.clone()
    }

    /// Returns the text of an evolution file that reproduces this run.
    fn file(&self) -> String {
        file::write(self.run.config())
    }
}

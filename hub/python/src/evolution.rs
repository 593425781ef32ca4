//! Evolution runs that Python executes one generation at a time.

use crate::fitness::{Function, score};
use crate::tree::Tree;
use crate::{errors, pool};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::time::Instant;
use toml::Table;
use xpuck_kernels::engine::{ChosenEngine, EngineKind, Job, Simd, Team};
use xpuck_kernels::tree::{CompileError, Program};
use xpuck_lab::evolution_run::{self, Config, EvolutionRun, Folder, Outcome, champion, file};
use xpuck_lab::measure::Plan;

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

/// Opens the engine of a run. A Python function reads trajectories, which only `simd` records.
fn open(config: &Config) -> PyResult<ChosenEngine> {
    match (&config.fitness, config.engine.engine) {
        (None, _) => xpuck_lab::engine::open(config.engine.clone(), &[&config.spec]).map_err(errors::value),
        (Some(_), EngineKind::Simd | EngineKind::Auto) => Ok(xpuck_lab::engine::simd()),
        (Some(_), other) => Err(errors::value(format!("engine = \"{other}\": fitness requires engine = \"simd\""))),
    }
}

/// Exception during the measurement of champions.
struct Raised(PyErr);

impl From<CompileError> for Raised {
    fn from(error: CompileError) -> Raised {
        Raised(errors::value(error))
    }
}

/// Returns the fitness of each job, as computed by a Python function.
fn fitness(py: Python<'_>, programs: &[Program], jobs: &[Job<'_>], function: &Function<'_>) -> PyResult<Vec<f32>> {
    let outcomes = score(py, &Simd::default(), programs, jobs, function)?;
    Ok(outcomes.iter().map(|outcome| outcome.fitness).collect())
}

#[pymethods]
impl Evolution {
    /// Creates a run from an evolution file. `settings` are keys in JSON that replace those of the file. If `out` is
    /// set, the run is written to this new folder, as by `xpuck evolve --output`. `function` is the name of the Python
    /// function that computes the fitness, which `step` and `finish` then require.
    #[new]
    #[pyo3(signature = (path, settings, out, function))]
    fn new(
        path: Option<PathBuf>,
        settings: &str,
        out: Option<PathBuf>,
        function: Option<String>,
    ) -> PyResult<Evolution> {
        let mut settings = table(settings)?;
        let loaded = match function {
            Some(name) => {
                settings.insert("fitness".into(), name.into());
                file::load_any(path.as_deref(), settings)
            }
            None => file::load(path.as_deref(), settings),
        };
        let config = loaded.map_err(|error| match &path {
            Some(path) => errors::of_file(path, error),
            None => errors::value(error),
        })?;
        let engine = open(&config)?;
        let folder = out.map(|out| Folder::create(&out, &config)).transpose().map_err(errors::file)?;
        Ok(Evolution { run: EvolutionRun::new(config).on(engine), folder, notices: Vec::new() })
    }

    /// Resumes the run in a folder from its last checkpoint. `function` is the name of the Python function that computes
    /// the fitness; `None`: the task of the world.
    #[staticmethod]
    fn resume(py: Python<'_>, path: PathBuf, function: Option<String>) -> PyResult<Evolution> {
        let check = |config: &Config| match function {
            Some(_) if config.fitness.is_none() => {
                Err("the task of the world computes the fitness of this run; omit fitness".into())
            }
            Some(_) => Ok(()),
            None => config.check_fitness(),
        };
        let resumed = pool::compute(py, || Folder::resume_if(&path, check))?;
        let evolution_run::Resumed { folder, evolution, mut notices } =
            resumed.map_err(|error| errors::of_file(&path, error))?;
        if let (Some(before), Some(now)) = (&evolution.config().fitness, &function)
            && before != now
        {
            notices.push(format!(
                "{}: the fitness was {before} and continues as {now}; results differ if the functions differ",
                path.display()
            ));
        }
        let engine = open(evolution.config())?;
        Ok(Evolution { run: evolution.on(engine), folder: Some(folder), notices })
    }

    /// Runs one generation, and writes it to the run's folder if there is one. `function` computes the fitness, if it
    /// is not that of the world's task. An exception of the function undoes the generation.
    fn step(&mut self, py: Python<'_>, function: Option<Function<'_>>) -> PyResult<()> {
        let Evolution { run, folder, .. } = self;
        let Some(function) = function else {
            // The stop flag is already set, so the run ends after one generation.
            let stop = AtomicBool::new(true);
            pool::compute(py, || evolution_run::run(run, folder.as_mut(), &stop, |_| ()))?.map_err(errors::file)?;
            return Ok(());
        };
        let began = Instant::now();
        let mut pending = pool::compute(py, || run.begin())?;
        loop {
            let score = |programs: &[Program], jobs: &[Job<'_>]| fitness(py, programs, jobs, &function);
            let fitness = match run.evaluate_with(&pending, score) {
                Ok(fitness) => fitness,
                Err(error) => {
                    run.cancel(pending);
                    return Err(error);
                }
            };
            let Some(generation) = pool::compute(py, || run.end(&mut pending, &fitness))? else { continue };
            let keep = || evolution_run::keep(run, folder.as_mut(), &generation, began.elapsed().as_secs_f64());
            return pool::compute(py, keep)?.map_err(errors::file);
        }
    }

    /// Remeasures the champions in fresh simulations, and returns the outcome as JSON. Trees and result are also
    /// written to the run's folder if there is one. `function` is the same as in `step`.
    fn finish(&mut self, py: Python<'_>, function: Option<Function<'_>>) -> PyResult<String> {
        let Evolution { run, folder, .. } = self;
        let outcome = match function {
            None => pool::compute(py, || Outcome::from_evolution(run))?.map_err(errors::value)?,
            Some(function) => {
                let measure = |programs: &[Program], plan: &Plan<'_>| {
                    let jobs: Vec<Job<'_>> = (0..programs.len()).flat_map(|i| plan.jobs(&Team::all(i))).collect();
                    let fitness = fitness(py, programs, &jobs, &function).map_err(Raised)?;
                    let mean = |runs: &[f32]| runs.iter().copied().map(f64::from).sum::<f64>() / runs.len() as f64;
                    Ok(fitness.chunks(plan.runs as usize).map(mean).collect())
                };
                Outcome::from_evolution_with(run, measure).map_err(|Raised(error)| error)?
            }
        };
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

//! Folder of a run, which contains settings, a table, and checkpoints. The results are added at the end of the run.

use super::config::Config;
use super::generation::{BodyRun, Row, State};
use super::outcome::Outcome;
use super::picture::{Curve, curve, gallery};
use super::replay::replay;
use std::path::Path;
use xpuck_bodies::picture::plan_svg;
use xpuck_bodies::urdf::{self, Dialect};
use xpuck_bodies::{BodyError, Plan};
use xpuck_lab::run_folder::{FolderError, Kind, RunFolder, checkpoints, fail};

/// File with the result of the run.
const RESULT: &str = "result.json";
/// Folder with the best body of each island, in several file formats.
const BODIES: &str = "bodies";

static KIND: Kind = Kind {
    run: "bodies.toml",
    grows: "generations.csv",
    head: "generation,island,evaluations,bodies,best_m,mean_m,families,parts\n",
    written: &[BODIES],
    requests: &[],
};

/// Folder of a run, which this process has locked.
pub struct Folder {
    folder: RunFolder,
    configuration: u32,
}

/// Run that was opened to be resumed.
pub struct Resumed {
    /// Folder of the run.
    pub folder: Folder,
    /// Run in its state after the last generation of the checkpoint.
    pub evolution: BodyRun,
    /// Message about a checkpoint that could not be used, if any.
    pub notice: Option<String>,
}

impl Folder {
    /// Returns the curve of a run: its longest distance over evaluations. The run may be in progress.
    ///
    /// # Errors
    /// If there is no run, or if its table cannot be read, belongs to another kind of run, or has an invalid row.
    pub fn curve(path: &Path) -> Result<Curve, FolderError> {
        RunFolder::refuse_other(path, &KIND)?;
        let text = RunFolder::table(path, &KIND)?;
        let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into());
        Curve::from_table(name, &text).map_err(|why| fail(&path.join(KIND.grows), why))
    }

    /// Creates the folder of a new run.
    ///
    /// # Errors
    /// If the folder already contains a run, or cannot be written.
    pub fn create(path: &Path, config: &Config) -> Result<Folder, FolderError> {
        let folder = RunFolder::create(path, &KIND, &[], &config.write())?;
        Ok(Folder { folder, configuration: config.fingerprint() })
    }

    /// Opens a run to continue it after the last generation of its checkpoint. `evaluations` replaces the budget of
    /// each island; `None` keeps it. Deletes a stop request.
    ///
    /// # Errors
    /// If there is no run, another process uses it, a file is damaged, or `evaluations` is less than the budget of
    /// the run.
    pub fn resume(path: &Path, evaluations: Option<u64>) -> Result<Resumed, FolderError> {
        let folder = RunFolder::open(path, &KIND)?;
        let file = path.join(KIND.run);
        let kept = Config::load(Some(&file), toml::Table::new()).map_err(|error| fail(path, error.to_string()))?;
        let config = match evaluations {
            Some(evaluations) => kept.prolonged(evaluations).map_err(|why| fail(path, why))?,
            None => kept.clone(),
        };
        let mut folder = Folder { folder, configuration: config.fingerprint() };
        let (evolution, notice) = folder.kept(&config)?;
        folder.keep_rows(&evolution)?;
        folder.folder.clear_requests()?;
        if config != kept {
            // The result in the folder is that of the shorter run, so it is deleted.
            folder.folder.remove(RESULT)?;
            folder.folder.write(KIND.run, config.write())?;
        }
        Ok(Resumed { folder, evolution, notice: notice.map(|notice| notice.to_string()) })
    }

    /// Returns the run from its newest valid checkpoint, or a run at its start. Also returns an error about an
    /// invalid checkpoint, if any.
    fn kept(&self, config: &Config) -> Result<(BodyRun, Option<FolderError>), FolderError> {
        let generation = |islands: &State| islands.first().map_or(0, |island| island.population.generation());
        let check = |islands: &State| match islands.len() == usize::from(config.islands) {
            true => Ok(()),
            false => Err("contains a different number of islands than the configuration".into()),
        };
        let (islands, notice) = checkpoints::newest(self.path(), self.configuration, KIND.run, generation, check)?;
        let Some(islands) = islands else { return Ok((BodyRun::new(config.clone()), None)) };
        let evolution = BodyRun::resumed(config.clone(), islands);
        // The number of evaluations can exceed the budget by the second walks of the last generation.
        let made = evolution.evaluations().floor();
        if made > (config.evaluations + config.families.population as u64) as f64 {
            let why = format!(
                "evaluations = {} is less than the {made} evaluations already made; increase it",
                config.evaluations
            );
            return Err(fail(&self.path().join(KIND.run), why));
        }
        Ok((evolution, notice))
    }

    /// Deletes all rows of generations that are not in the checkpoint.
    fn keep_rows(&mut self, evolution: &BodyRun) -> Result<(), FolderError> {
        let file = self.path().join(KIND.grows);
        let text = RunFolder::table(self.path(), &KIND)?;
        let generations = evolution.islands().first().map_or(0, |island| island.population.generation() as usize);
        let lines = generations * evolution.islands().len();
        let rows: Vec<&str> = text[KIND.head.len()..].split_inclusive('\n').take(lines).collect();
        if rows.len() < lines {
            return Err(fail(
                &file,
                format!("has fewer than the {lines} rows that the checkpoint expects; restore the file"),
            ));
        }
        let columns = KIND.head.split(',').count();
        if rows.iter().any(|row| !row.ends_with('\n') || row.split(',').count() != columns) {
            return Err(fail(
                &file,
                "has a line that is truncated or has other columns than the first; restore the file",
            ));
        }
        self.folder.keep_rows(&rows.concat())
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns whether a stop file exists.
    pub(super) fn is_to_stop(&self) -> bool {
        self.folder.is_to_stop()
    }

    /// Saves a generation. The rows are written before the checkpoint, so that the table contains the rows of all
    /// generations in the checkpoint. If the budget cut this generation short, only the rows are written. A longer run
    /// then repeats the generation completely.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn keep(&mut self, evolution: &BodyRun, rows: &[Row]) -> Result<(), FolderError> {
        let mut lines = String::new();
        for row in rows {
            let Row { generation, island, evaluations, bodies, best, mean, families, parts } = row;
            lines +=
                &format!("{generation},{island},{evaluations:.3},{bodies},{best:.6},{mean:.6},{families},{parts}\n");
        }
        self.folder.add_rows(&lines)?;
        self.folder.sync_rows()?;
        let islands = evolution.islands();
        match islands.first() {
            Some(island) if !evolution.is_cut() => {
                checkpoints::keep(self.path(), island.population.generation(), islands, self.configuration)
            }
            _ => Ok(()),
        }
    }

    /// Writes the results: a summary, the best bodies, a gallery, the walk of the best body, and a curve.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn finish(&self, evolution: &BodyRun, outcome: &Outcome) -> Result<(), FolderError> {
        let config = evolution.config();
        let told = |error: BodyError| fail(&self.path().join(BODIES), error.to_string());
        let mut best = Vec::new();
        for (number, island) in evolution.islands().iter().enumerate() {
            let Some(one) = island.population.best() else { continue };
            let plan = Plan::new(&one.genome.prif).map_err(told)?;
            let forms = [
                ("prif", one.genome.prif.print() + "\n"),
                ("urdf", urdf::export(&plan, Dialect::Simulators)),
                ("nndf", one.genome.brain.to_nndf(&plan, Dialect::Simulators).map_err(told)?),
                ("svg", plan_svg(&plan)),
            ];
            for (ending, text) in forms {
                self.folder.write(&format!("{BODIES}/island-{number}.{ending}"), text)?;
            }
            best.push((one.fitness.unwrap_or(0.0), one.genome.clone()));
        }
        best.sort_by(|a, b| b.0.total_cmp(&a.0));
        let kinds = evolution.islands().iter().filter_map(|island| island.population.archive());
        let mut kinds: Vec<_> = kinds.flat_map(|archive| archive.cells().iter()).collect();
        if !kinds.is_empty() {
            // Each island has its own archive. The bodies are sorted by kind and then by fitness, so that the fittest
            // of each kind is kept.
            kinds.sort_by(|(a, one), (b, other)| a.cmp(b).then(other.worth().total_cmp(&one.worth())));
            kinds.dedup_by(|(a, _), (b, _)| a == b);
            let kinds: Vec<_> = kinds.into_iter().map(|(_, one)| (one.worth(), one.genome.clone())).collect();
            self.folder.write("kinds.svg", gallery(&kinds))?;
        }
        self.folder.write("gallery.svg", gallery(&best))?;
        if let Some((_, creature)) = best.first() {
            let walk = replay(creature, config.trial(), config.steps).map_err(told)?;
            self.folder.write("walk.html", walk)?;
        }
        self.folder.write("curve.svg", curve(&RunFolder::table(self.path(), &KIND)?))?;
        let json = serde_json::to_string_pretty(outcome).map_err(|error| fail(self.path(), error.to_string()))?;
        self.folder.write(RESULT, json + "\n")
    }
}

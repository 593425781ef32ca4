//! Folder of an experiment. It contains the settings, a file and a table row for each run, and finally the chapter.

use super::chapter::Chapter;
use super::config::Config;
use super::evolve::RunResult;
use std::path::Path;
use xpuck_evolve::Algorithm;
use xpuck_kernels::tree::{RegisterMap, Tree};
use xpuck_lab::run_folder::{FolderError, Kind, RunFolder, fail, io};
use xpuck_wire::file;

/// Name of the folder that contains one file for each run.
const RUNS: &str = "runs";
const MAX_RUN: u64 = 1 << 24;

static KIND: Kind = Kind {
    run: "kilobots.toml",
    grows: "runs.csv",
    head: "algorithm,run,generations,simulations,first,first_again,chosen,again,standard_error,nodes\n",
    written: &[RUNS],
    requests: &[],
};

/// Folder of an experiment, locked by this process.
pub struct Folder {
    folder: RunFolder,
    configuration: u32,
}

impl Folder {
    /// Creates the folder of a new experiment.
    ///
    /// # Errors
    /// A run already exists in the folder, or the folder cannot be written.
    pub fn create(path: &Path, config: &Config) -> Result<Folder, FolderError> {
        let folder = RunFolder::create(path, &KIND, &[], &config.write())?;
        Ok(Folder { folder, configuration: config.fingerprint() })
    }

    /// Opens an experiment to continue it. `runs`, if given, is the new number of runs with each algorithm, which
    /// cannot be smaller than before.
    ///
    /// # Errors
    /// The folder has no experiment, another process uses it, or a file is damaged.
    pub fn resume(path: &Path, runs: Option<u32>) -> Result<(Folder, Config, Vec<RunResult>), FolderError> {
        let folder = RunFolder::open(path, &KIND)?;
        let experiment = path.join(KIND.run);
        let load = |more: toml::Table| {
            Config::load(Some(&experiment), more).map_err(|error| fail(&experiment, error.to_string()))
        };
        let mut config = load(toml::Table::new())?;
        if let Some(runs) = runs {
            if runs < config.runs {
                let why =
                    format!("--runs {runs}: the experiment has {} runs; the number cannot be reduced", config.runs);
                return Err(fail(path, why));
            }
            config = load([("runs".into(), i64::from(runs).into())].into_iter().collect())?;
        }
        folder.clear_requests()?;
        let mut folder = Folder { folder, configuration: config.fingerprint() };
        let mut done = Vec::new();
        for (number, algorithm) in config.order() {
            done.extend(folder.read(number, algorithm)?);
        }
        if runs.is_some() {
            folder.folder.write(KIND.run, config.write())?;
        }
        folder.folder.keep_rows(&done.iter().map(row).collect::<String>())?;
        Ok((folder, config, done))
    }

    /// Returns whether a stop file exists.
    pub fn is_to_stop(&self) -> bool {
        self.folder.is_to_stop()
    }

    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Reads a saved run; `None` if its file does not exist.
    fn read(&self, number: u32, algorithm: Algorithm) -> Result<Option<RunResult>, FolderError> {
        let path = self.path().join(name(number, algorithm));
        if !path.try_exists().map_err(io(&path))? {
            return Ok(None);
        }
        let text = file::text(&path, MAX_RUN).map_err(|error| fail(&path, error.to_string()))?;
        let remedy = "remove the file to repeat the run";
        let run: RunResult =
            serde_json::from_str(&text).map_err(|error| fail(&path, format!("is damaged ({error}); {remedy}")))?;
        for tree in [&run.first.tree, &run.best.tree] {
            Tree::parse_with(tree, RegisterMap::Kilobot, false)
                .map_err(|error| fail(&path, format!("does not contain a Kilobot's tree ({error}); {remedy}")))?;
        }
        if (run.configuration, run.run, run.algorithm) != (self.configuration, number, algorithm) {
            return Err(fail(&path, format!("is of another experiment or another run; {remedy}")));
        }
        if !run.agrees_with_itself() {
            return Err(fail(&path, format!("was changed: its numbers are inconsistent; {remedy}")));
        }
        Ok(Some(run))
    }

    /// Saves a run. Its file is written before its table row, so that the table never has a row without a run.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn keep(&mut self, run: &RunResult) -> Result<(), FolderError> {
        let name = name(run.run, run.algorithm);
        let json = serde_json::to_string(run).map_err(|error| fail(&self.path().join(&name), error.to_string()))?;
        self.folder.write(&name, json + "\n")?;
        self.folder.add_rows(&row(run))?;
        self.folder.sync_rows()
    }

    /// Writes the chapter, with its page, figures, tables and trees.
    ///
    /// # Errors
    /// The folder cannot be written.
    pub fn finish(&self, chapter: &Chapter) -> Result<(), FolderError> {
        chapter.files.iter().try_for_each(|(name, text)| self.folder.write(name, text))
    }
}

/// Returns the name of a run's file.
fn name(number: u32, algorithm: Algorithm) -> String {
    format!("{RUNS}/{}-{number:02}.json", algorithm.name())
}

fn row(run: &RunResult) -> String {
    let nodes = run.best.tree.lines().count();
    format!(
        "{},{},{},{},{:.5},{:.5},{:.5},{:.5},{:.5},{nodes}\n",
        run.algorithm.name(),
        run.run,
        run.generations,
        run.simulations,
        run.first.chosen,
        run.first.again.mean,
        run.best.chosen,
        run.best.again.mean,
        run.best.again.standard_error,
    )
}

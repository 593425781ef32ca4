//! The folder of an experiment: what it is, a file and a line for each run, and at the end the chapter.

use super::chapter::Chapter;
use super::config::Config;
use super::evolve::Finished;
use crate::run_folder::{FolderError, STOP, clear_requests, fail, io, make, no_run, open_table, refuse_used};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use xpuck_evolve::Algorithm;
use xpuck_kernels::tree::{RegisterMap, Tree};
use xpuck_wire::{atomic, file};

/// Every key of the experiment.
const EXPERIMENT: &str = "kilobots.toml";
/// A line for each run.
const TABLE: &str = "runs.csv";
/// Runs, a file each.
const RUNS: &str = "runs";
const HEAD: &str = "algorithm,run,generations,simulations,first,first_again,chosen,again,standard_error,nodes\n";
const MAX_RUN: u64 = 1 << 24;

/// The folder of an experiment that this process works on; no other process can have it at the same time.
pub struct Folder {
    path: PathBuf,
    configuration: u32,
    table: File,
}

impl Folder {
    /// True if the folder holds an experiment with Kilobots.
    pub fn holds_run(path: &Path) -> bool {
        path.join(EXPERIMENT).exists()
    }

    /// Makes the folder of an experiment that begins.
    ///
    /// # Errors
    /// If there is a run already, or the place cannot be written.
    pub fn create(path: &Path, config: &Config) -> Result<Folder, FolderError> {
        make(path)?;
        refuse_used(path, &[RUNS], (TABLE, HEAD))?;
        let runs = path.join(RUNS);
        make(&runs)?;
        if std::fs::read_dir(&runs).map_err(io(&runs))?.next().is_some() {
            return Err(fail(&runs, "holds runs of an experiment that is not there; name a new folder"));
        }
        let folder = Folder::open(path, config)?;
        // Last, as with it the folder is an experiment.
        folder.write_config(config)?;
        Ok(folder)
    }

    /// Opens an experiment to go on, with as many runs with each algorithm as are told, if any are.
    ///
    /// # Errors
    /// If there is none, another process works on it, or something of it is damaged.
    pub fn resume(path: &Path, runs: Option<u32>) -> Result<(Folder, Config, Vec<Finished>), FolderError> {
        let experiment = path.join(EXPERIMENT);
        if !Folder::holds_run(path) {
            return Err(no_run(path, EXPERIMENT));
        }
        let mut more = toml::Table::new();
        if let Some(runs) = runs {
            more.insert("runs".into(), i64::from(runs).into());
        }
        let kept = Config::load(Some(&experiment), toml::Table::new());
        let kept = kept.map_err(|error| fail(&experiment, error.to_string()))?;
        if let Some(fewer) = runs.filter(|runs| *runs < kept.runs) {
            return Err(fail(path, format!("--runs {fewer}: it has {}, and more can be made, not fewer", kept.runs)));
        }
        let config = Config::load(Some(&experiment), more).map_err(|error| fail(&experiment, error.to_string()))?;
        let mut folder = Folder::open(path, &config)?;
        clear_requests(path, &[STOP])?;
        let mut done = Vec::new();
        for (number, algorithm) in config.order() {
            done.extend(folder.read(number, algorithm)?);
        }
        if runs.is_some() {
            folder.write_config(&config)?;
        }
        folder.write_rows(&done)?;
        Ok((folder, config, done))
    }

    fn open(path: &Path, config: &Config) -> Result<Folder, FolderError> {
        let table = open_table(path, TABLE, HEAD)?;
        Ok(Folder { path: path.into(), configuration: config.fingerprint(), table })
    }

    fn write_config(&self, config: &Config) -> Result<(), FolderError> {
        let experiment = self.path.join(EXPERIMENT);
        atomic::write(&experiment, config.write().as_bytes()).map_err(io(&experiment))
    }

    /// True if a file `stop` asks for the end.
    pub fn is_to_stop(&self) -> bool {
        self.path.join(STOP).exists()
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn file_of(&self, number: u32, algorithm: Algorithm) -> PathBuf {
        self.path.join(RUNS).join(format!("{}-{number:02}.json", algorithm.name()))
    }

    /// A run that is kept; none if there is no file.
    fn read(&self, number: u32, algorithm: Algorithm) -> Result<Option<Finished>, FolderError> {
        let path = self.file_of(number, algorithm);
        if !path.try_exists().map_err(io(&path))? {
            return Ok(None);
        }
        let text = file::text(&path, MAX_RUN).map_err(|error| fail(&path, error.to_string()))?;
        let remedy = "take it away to make the run again";
        let run: Finished =
            serde_json::from_str(&text).map_err(|error| fail(&path, format!("is damaged ({error}); {remedy}")))?;
        for tree in [&run.first.tree, &run.best.tree] {
            Tree::parse_with(tree, RegisterMap::Kilobot, false)
                .map_err(|error| fail(&path, format!("holds no Kilobot's tree ({error}); {remedy}")))?;
        }
        if (run.configuration, run.run, run.algorithm) != (self.configuration, number, algorithm) {
            return Err(fail(&path, format!("is of another experiment or another run; {remedy}")));
        }
        if !run.agrees_with_itself() {
            return Err(fail(&path, format!("was changed: its numbers do not agree; {remedy}")));
        }
        Ok(Some(run))
    }

    /// Keeps a run: its file first, so that the table never has a line of a run that is not there.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn keep(&mut self, run: &Finished) -> Result<(), FolderError> {
        let path = self.file_of(run.run, run.algorithm);
        let json = serde_json::to_string(run).map_err(|error| fail(&path, error.to_string()))?;
        atomic::write(&path, (json + "\n").as_bytes()).map_err(io(&path))?;
        let table = self.path.join(TABLE);
        self.table.write_all(row(run).as_bytes()).and_then(|()| self.table.sync_data()).map_err(io(&table))
    }

    fn write_rows(&mut self, runs: &[Finished]) -> Result<(), FolderError> {
        let path = self.path.join(TABLE);
        let rows: String = runs.iter().map(row).collect();
        let written = self.table.set_len(0).and_then(|()| self.table.seek(SeekFrom::Start(0)));
        written.and_then(|_| self.table.write_all((HEAD.to_owned() + &rows).as_bytes())).map_err(io(&path))
    }

    /// Writes the chapter: its page, figures, tables and trees.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn finish(&self, chapter: &Chapter) -> Result<(), FolderError> {
        for (name, text) in &chapter.files {
            let path = self.path.join(name);
            if let Some(folder) = path.parent() {
                make(folder)?;
            }
            atomic::write(&path, text.as_bytes()).map_err(io(&path))?;
        }
        Ok(())
    }
}

fn row(run: &Finished) -> String {
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

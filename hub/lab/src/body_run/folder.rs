//! The folder of a run: what it is, a line for each generation, a checkpoint, and at the end what came out.

use super::config::Config;
use super::generation::{BodyRun, Row, State};
use super::outcome::Outcome;
use super::picture::{Curve, curve, gallery};
use super::replay::replay;
use crate::run_folder::{FolderError, STOP, clear_requests, fail, io, make, no_run, open_table, refuse_used};
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use xpuck_bodies::picture::plan_svg;
use xpuck_bodies::urdf::{self, Dialect};
use xpuck_bodies::{BodyError, Plan};
use xpuck_evolve::checkpoint;
use xpuck_wire::{atomic, file};

/// Every key of the run.
const RUN: &str = "bodies.toml";
/// A line for each generation and island.
const TABLE: &str = "generations.csv";
/// The run after its last whole generation.
const CHECKPOINT: &str = "checkpoint";
/// What came out.
const RESULT: &str = "result.json";
/// The best body of each island, in several forms.
const BODIES: &str = "bodies";
const HEAD: &str = "generation,island,evaluations,bodies,best_m,mean_m,families,parts\n";
const MAX_STATE: u64 = 1 << 30;

/// The folder of a run that this process works on; no other process can have it at the same time.
pub struct Folder {
    path: PathBuf,
    configuration: u32,
    table: File,
}

/// A run that goes on.
pub struct Resumed {
    /// Its folder.
    pub folder: Folder,
    /// The run after its last whole generation.
    pub evolution: BodyRun,
}

impl Folder {
    /// True if the folder holds a run of bodies.
    pub fn holds_run(path: &Path) -> bool {
        path.join(RUN).exists()
    }

    /// The longest ways of a run, whether or not a process works on it.
    ///
    /// # Errors
    /// There is no run, or its table cannot be read, is another's, or has a line that is no row.
    pub fn curve(path: &Path) -> Result<Curve, FolderError> {
        if !Folder::holds_run(path) {
            return Err(no_run(path, RUN));
        }
        let file = path.join(TABLE);
        let text = file::text(&file, MAX_STATE).map_err(|error| fail(&file, error.to_string()))?;
        if !text.starts_with(HEAD) {
            return Err(fail(&file, format!("does not begin with {}", HEAD.trim())));
        }
        let name = path.file_name().map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into());
        Curve::of(name, &text).map_err(|why| fail(&file, why))
    }

    /// Makes the folder of a run that begins.
    ///
    /// # Errors
    /// If there is a run already, or the place cannot be written.
    pub fn create(path: &Path, config: &Config) -> Result<Folder, FolderError> {
        make(path)?;
        refuse_used(path, &[], (TABLE, HEAD))?;
        let folder = Folder::open(path, config)?;
        // Last, as with it the folder is a run.
        let run = path.join(RUN);
        atomic::write(&run, config.write().as_bytes()).map_err(io(&run))?;
        Ok(folder)
    }

    /// Opens a run to go on after its last whole generation, as long as it was to be, or to so many evaluations of each island. A
    /// request to stop is taken away.
    ///
    /// # Errors
    /// If there is no run, another process works on it, something of it is damaged, or it is that long already.
    pub fn resume(path: &Path, evaluations: Option<u64>) -> Result<Resumed, FolderError> {
        let run = path.join(RUN);
        if !Folder::holds_run(path) {
            return Err(no_run(path, RUN));
        }
        let kept = Config::load(Some(&run), toml::Table::new()).map_err(|error| fail(path, error.to_string()))?;
        let config = match evaluations {
            Some(evaluations) => kept.prolonged(evaluations).map_err(|why| fail(path, why))?,
            None => kept.clone(),
        };
        let mut folder = Folder::open(path, &config)?;
        let evolution = folder.kept(&config)?;
        folder.keep_rows(&evolution)?;
        clear_requests(path, &[STOP])?;
        if config != kept {
            // What came out is no longer that of the whole run.
            clear_requests(path, &[RESULT])?;
            atomic::write(&run, config.write().as_bytes()).map_err(io(&run))?;
        }
        Ok(Resumed { folder, evolution })
    }

    /// The run as its checkpoint has it, or at its beginning.
    fn kept(&self, config: &Config) -> Result<BodyRun, FolderError> {
        let kept = self.path.join(CHECKPOINT);
        if !kept.try_exists().map_err(io(&kept))? {
            return Ok(BodyRun::new(config.clone()));
        }
        let again = "take it away to begin the run again";
        let bytes = file::bytes(&kept, MAX_STATE).map_err(|error| fail(&kept, error.to_string()))?;
        let islands: State = checkpoint::from_bytes(&bytes, self.configuration)
            .map_err(|error| fail(&kept, format!("{error}; {again}")))?;
        if islands.len() != usize::from(config.islands) {
            return Err(fail(&kept, format!("holds another number of islands; {again}")));
        }
        let evolution = BodyRun::resumed(config.clone(), islands);
        // Second walks of the last generation come on top.
        let made = evolution.evaluations().floor();
        if made > (config.evaluations + config.families.population as u64) as f64 {
            let why = format!("evaluations = {}, and {made} are made; give it as many", config.evaluations);
            return Err(fail(&self.path.join(RUN), why));
        }
        Ok(evolution)
    }

    fn open(path: &Path, config: &Config) -> Result<Folder, FolderError> {
        let table = open_table(path, TABLE, HEAD)?;
        Ok(Folder { path: path.into(), configuration: config.fingerprint(), table })
    }

    /// Leaves the rows of generations that the checkpoint has.
    fn keep_rows(&mut self, evolution: &BodyRun) -> Result<(), FolderError> {
        let file = self.path.join(TABLE);
        let text = file::text(&file, MAX_STATE).map_err(|error| fail(&file, error.to_string()))?;
        let generations = evolution.islands().first().map_or(0, |island| island.population.generation() as usize);
        let lines = 1 + generations * evolution.islands().len();
        let length: usize = text.split_inclusive('\n').take(lines).map(str::len).sum();
        if text.lines().count() < lines || !text.starts_with(HEAD) {
            return Err(fail(
                &file,
                format!("has fewer than the {lines} lines that the checkpoint counts; put it back"),
            ));
        }
        if !text[..length].ends_with('\n')
            || text[..length].lines().any(|line| line.split(',').count() != HEAD.split(',').count())
        {
            return Err(fail(&file, "has a line that is cut off or has other columns than the first; put it back"));
        }
        self.table.set_len(length as u64).and_then(|()| self.table.seek(SeekFrom::End(0))).map_err(io(&file))?;
        Ok(())
    }

    /// Where the run is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// True if a file asks the run to stop.
    pub(super) fn is_to_stop(&self) -> bool {
        self.path.join(STOP).exists()
    }

    /// Keeps a generation: its rows first, so that a checkpoint never counts rows that are not there. Of a last generation that the
    /// budget cut short there are rows alone, so that a longer run finds it whole.
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
        let file = self.path.join(TABLE);
        self.table.write_all(lines.as_bytes()).and_then(|()| self.table.sync_data()).map_err(io(&file))?;
        if evolution.is_cut() {
            return Ok(());
        }
        let kept = self.path.join(CHECKPOINT);
        atomic::write(&kept, &checkpoint::to_bytes(evolution.islands(), self.configuration)).map_err(io(&kept))
    }

    /// Writes what came out: a result, the best bodies, a gallery, a walk and a curve.
    ///
    /// # Errors
    /// If the folder cannot be written.
    pub fn finish(&self, evolution: &BodyRun, outcome: &Outcome) -> Result<(), FolderError> {
        let bodies = self.path.join(BODIES);
        std::fs::create_dir_all(&bodies).map_err(io(&bodies))?;
        let write = |file: PathBuf, text: &str| atomic::write(&file, text.as_bytes()).map_err(io(&file));
        let config = evolution.config();
        let told = |error: BodyError| fail(&bodies, error.to_string());
        let mut best = Vec::new();
        for (number, island) in evolution.islands().iter().enumerate() {
            let Some(one) = island.population.best() else { continue };
            let plan = Plan::new(&one.genome.prif).map_err(told)?;
            let stem = format!("island-{number}");
            write(bodies.join(format!("{stem}.prif")), &(one.genome.prif.print() + "\n"))?;
            write(bodies.join(format!("{stem}.urdf")), &urdf::export(&plan, Dialect::Simulators))?;
            write(
                bodies.join(format!("{stem}.nndf")),
                &one.genome.brain.to_nndf(&plan, Dialect::Simulators).map_err(told)?,
            )?;
            write(bodies.join(format!("{stem}.svg")), &plan_svg(&plan))?;
            best.push((one.fitness.unwrap_or(0.0), one.genome.clone()));
        }
        best.sort_by(|a, b| b.0.total_cmp(&a.0));
        let kinds = evolution.islands().iter().filter_map(|island| island.population.archive());
        let mut kinds: Vec<_> = kinds.flat_map(|archive| archive.cells().iter()).collect();
        if !kinds.is_empty() {
            // By kind, and of each the best first: islands have archives of their own.
            kinds.sort_by(|(a, one), (b, other)| a.cmp(b).then(other.worth().total_cmp(&one.worth())));
            kinds.dedup_by(|(a, _), (b, _)| a == b);
            let kinds: Vec<_> = kinds.into_iter().map(|(_, one)| (one.worth(), one.genome.clone())).collect();
            write(self.path.join("kinds.svg"), &gallery(&kinds))?;
        }
        write(self.path.join("gallery.svg"), &gallery(&best))?;
        if let Some((_, creature)) = best.first() {
            let walk = replay(creature, config.trial(), config.steps).map_err(told)?;
            write(self.path.join("walk.html"), &walk)?;
        }
        let table = self.path.join(TABLE);
        let text = file::text(&table, MAX_STATE).map_err(|error| fail(&table, error.to_string()))?;
        write(self.path.join("curve.svg"), &curve(&text))?;
        let json = serde_json::to_string_pretty(outcome).map_err(|error| fail(&self.path, error.to_string()))?;
        write(self.path.join(RESULT), &(json + "\n"))
    }
}

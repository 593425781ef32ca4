//! A row of the catalogue, out of a run's directory.

use serde::Serialize;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use xpuck_record::run_file::{RUN_FILE, RunFile};
use xpuck_record::{RecordError, budget, files, folders, snapshot};
use xpuck_wire::{Segment, Status};

/// A run in which more of the round trips took above 100 ms is marked P (thesis 8.4).
pub const SLOW: f64 = 0.05;

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Row {
    /// Its directory below the record directory.
    pub id: String,
    /// The experiment's name.
    pub name: String,
    /// When it began, ms since 1970.
    pub began_unix_ms: u64,
    /// Running time, pauses left out, s of arena time.
    pub length_s: f64,
    /// `running`, `finished`, `recovered` or `aborted`.
    pub state: String,
    /// The seed; text, as not every tool holds 64 bits.
    pub seed: String,
    /// Robots of the swarm.
    pub robots: u32,
    /// Robots lost during the run.
    pub dead: u32,
    /// Part of the round trips above 100 ms.
    pub slow_round_trips: f64,
    /// Marks of Table 8.3: `D` if robots died, `P` if more than 5 % of the round trips took above 100 ms.
    pub quality: String,
    /// Real fitness of the last segment.
    pub last_fitness: Option<f64>,
    /// Mean real fitness of all segments with evolved trees.
    pub mean_fitness: Option<f64>,
    /// Mean derated fitness of the champions at the end (f_EA of Table 8.3).
    pub evolved_fitness: f64,
    /// Size of all its files.
    pub bytes: u64,
    /// Commit of the hub that began it.
    pub git_commit: String,
    /// Version of the hub that began it.
    pub version: String,
}

/// How a run ended, or stood a moment ago; none if nobody told.
///
/// # Errors
/// It cannot be read, or makes no sense.
pub(super) fn status(directory: &Path) -> Result<Option<Status>, RecordError> {
    let path = directory.join("result.json");
    match std::fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes).map(Some).map_err(|error| RecordError::of(&path, error)),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Ok(snapshot::read(directory)?.whole().map(|(_, kept)| kept.status))
        }
        Err(error) => Err(RecordError::of(&path, error)),
    }
}

/// Segments in which evolved trees drove.
pub(super) fn scored(status: &Status) -> impl Iterator<Item = &Segment> {
    status.segments.iter().filter(|s| s.number > 0 && s.seconds > 0.0)
}

impl Row {
    /// Reads a run's directory.
    ///
    /// # Errors
    /// It has no `run.toml` of a hub's run, or something in it cannot be read.
    pub fn read(root: &Path, directory: &Path) -> Result<Row, RecordError> {
        let run = RunFile::read(directory)?;
        let status = status(directory)?.unwrap_or_default();
        let segments: Vec<f64> = scored(&status).map(|s| s.fitness).collect();
        let mean = segments.iter().sum::<f64>() / segments.len().max(1) as f64;
        let marks = [('D', status.dead > 0), ('P', status.slow_round_trips > SLOW)];
        Ok(Row {
            id: id(root, directory),
            name: run.name,
            began_unix_ms: run.started_unix_ms,
            length_s: status.run_seconds,
            state: run.state.name().into(),
            seed: run.seed.to_string(),
            robots: run.robots.len() as u32,
            dead: status.dead,
            slow_round_trips: status.slow_round_trips,
            quality: marks.iter().filter(|m| m.1).map(|m| m.0).collect(),
            last_fitness: segments.last().copied(),
            mean_fitness: (!segments.is_empty()).then_some(mean),
            evolved_fitness: status.evolved,
            bytes: budget::bytes(directory)?,
            git_commit: run.git_commit,
            version: run.version,
        })
    }
}

/// A run's name: its directory below the record directory.
pub(super) fn id(root: &Path, directory: &Path) -> String {
    directory.strip_prefix(root).unwrap_or(directory).to_string_lossy().into_owned()
}

/// The directories that hold a run, in the record directory and one below it, where demos keep theirs. What cannot be
/// looked at is told in `troubles`.
///
/// # Errors
/// The record directory cannot be read.
pub(super) fn directories(root: &Path, troubles: &mut Vec<String>) -> Result<Vec<PathBuf>, RecordError> {
    let mut runs = Vec::new();
    let mut look = |directory: PathBuf, runs: &mut Vec<PathBuf>| match is_run(&directory) {
        Ok(true) => {
            runs.push(directory);
            None
        }
        Ok(false) => Some(directory),
        Err(error) => {
            troubles.push(error.to_string());
            None
        }
    };
    let others: Vec<PathBuf> = folders(root)?.into_iter().filter_map(|folder| look(folder, &mut runs)).collect();
    let mut failed = Vec::new();
    for other in others {
        match folders(&other) {
            Ok(inner) => inner.into_iter().for_each(|folder| drop(look(folder, &mut runs))),
            Err(error) => failed.push(error.to_string()),
        }
    }
    troubles.extend(failed);
    Ok(runs)
}

fn is_run(directory: &Path) -> Result<bool, RecordError> {
    let file = directory.join(RUN_FILE);
    file.try_exists().map_err(|error| RecordError::of(&file, error))
}

/// Names, sizes and times of a run's files: as long as these stay, so does its row.
///
/// # Errors
/// The directory cannot be read.
pub(super) fn signature(directory: &Path) -> Result<String, RecordError> {
    let one = |path: &PathBuf| {
        let data = path.metadata().ok()?;
        let changed = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        Some(format!("{} {} {changed}", path.file_name()?.to_string_lossy(), data.len()))
    };
    // Of a file that cannot be looked at there is no line: the row is read again when there is.
    Ok(files(directory)?.iter().filter_map(one).collect::<Vec<_>>().join("\n"))
}

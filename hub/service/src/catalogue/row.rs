//! A row of the catalogue, out of a run's directory.

use crate::recovery;
use serde::Serialize;
use std::collections::BTreeSet;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;
use xpuck_hub_core::resumption::RETURN_WITHIN;
use xpuck_record::run_file::{RUN_FILE, RunFile, RunState};
use xpuck_record::{RecordError, budget, files, folders, result, snapshot};
use xpuck_wire::{Segment, Status};

/// A run in which more of the round trips took above 100 ms is marked P (thesis 8.4).
pub const SLOW: f64 = 0.05;

/// A run.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Row {
    /// Its directory below the record directory.
    pub id: String,
    /// The experiment's name.
    pub name: String,
    /// When it began, ms since 1970.
    pub began_unix_ms: u64,
    /// Running time, pauses left out, s of arena time.
    pub length_s: f64,
    /// `running`, `finished`, `recovered` or `aborted`; aborted too if its hub died and none goes on with it.
    pub state: String,
    /// The seed; text, as not every tool holds 64 bits.
    pub seed: String,
    /// Robots of the swarm.
    pub robots: u32,
    /// Number of times that a robot was lost during the run; one robot can be lost several times.
    pub dead: u32,
    /// Part of the round trips above 100 ms.
    pub slow_round_trips: f64,
    /// Marks of Table 8.3: `D` if a robot was lost, `P` if more than 5 % of the round trips took above 100 ms.
    pub quality: String,
    /// Real fitness of the last segment.
    pub last_fitness: Option<f64>,
    /// Mean real fitness of all segments with evolved trees, weighted by their time.
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
    match result(directory)? {
        Some(status) => Ok(Some(status)),
        None => Ok(snapshot::read(directory)?.whole().map(|(_, kept)| kept.status)),
    }
}

impl Row {
    /// Reads a run's directory.
    ///
    /// # Errors
    /// It has no `run.toml` of a hub's run, or something in it cannot be read.
    pub fn read(root: &Path, directory: &Path) -> Result<Row, RecordError> {
        let run = RunFile::read(directory)?;
        let status = status(directory)?.unwrap_or_default();
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
            last_fitness: Segment::scored(&status.segments).next_back().map(|segment| segment.fitness),
            mean_fitness: Segment::mean_fitness(&status.segments),
            evolved_fitness: status.evolved,
            bytes: budget::bytes(directory)?,
            git_commit: run.git_commit,
            version: run.version,
        })
    }
}

impl Row {
    /// The row as it is now: a run that says that it is running and that no hub writes was aborted, unless a hub may still
    /// come back to it. The files alone do not tell, as a dead hub changes none.
    pub fn as_of_now(self, root: &Path) -> Row {
        let directory = root.join(&self.id);
        match self.state == RunState::Running.name() && is_abandoned(&directory) {
            true => Row { state: RunState::Aborted.name().into(), ..self },
            false => self,
        }
    }
}

/// Nobody writes this run, nor has done for as long as a hub may take to come back. What cannot be looked at is not called
/// abandoned.
fn is_abandoned(directory: &Path) -> bool {
    let quiet = |path: &PathBuf| path.metadata().and_then(|data| data.modified()).ok()?.elapsed().ok();
    let Ok(all) = files(directory) else { return false };
    let youngest = all.iter().map(quiet).min_by_key(|age| age.unwrap_or_default());
    matches!(recovery::is_written(directory), Ok(false)) && youngest.flatten().is_some_and(|age| age > RETURN_WITHIN)
}

/// The experiment's name and the time of the beginning in the name of a run's directory, `NAME-MS-seedSEED`.
fn parts(id: &str) -> Option<(&str, &str)> {
    let (rest, _) = id.rsplit('/').next()?.rsplit_once("-seed")?;
    rest.rsplit_once('-').filter(|(_, stamp)| stamp.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Fewest digits of a short id.
const DIGITS: usize = 4;

/// What a run may be called for short: the experiment's name and the last digits of the time at which it began.
fn shortened(id: &str, digits: usize) -> String {
    parts(id).map_or(id.into(), |(name, stamp)| format!("{name}-{}", &stamp[stamp.len().saturating_sub(digits)..]))
}

/// Short ids of runs, all different and of as many digits as that takes.
pub fn short_ids(rows: &[Row]) -> Vec<String> {
    let of = |digits: usize| -> Vec<String> { rows.iter().map(|row| shortened(&row.id, digits)).collect() };
    let differ = |ids: &Vec<String>| ids.iter().collect::<BTreeSet<_>>().len() == ids.len();
    (DIGITS..20).map(of).find(differ).unwrap_or_else(|| rows.iter().map(|row| row.id.clone()).collect())
}

/// True if a run may be called so for short.
pub(super) fn is_called(id: &str, short: &str) -> bool {
    let wanted = short.rsplit_once('-').filter(|(_, digits)| digits.len() >= DIGITS);
    match (parts(id), wanted) {
        (Some((name, stamp)), Some((other, digits))) => name == other && stamp.ends_with(digits),
        _ => false,
    }
}

/// A run's name: its directory below the record directory.
pub(super) fn id(root: &Path, directory: &Path) -> String {
    directory.strip_prefix(root).unwrap_or(directory).to_string_lossy().into_owned()
}

/// The directories that hold a run, in the record directory and one below it, where demos keep theirs. What cannot be
/// looked at is told in `troubles`. A directory counts once, however many links lead to it.
///
/// # Errors
/// The record directory cannot be read.
pub(super) fn directories(root: &Path, troubles: &mut Vec<String>) -> Result<Vec<PathBuf>, RecordError> {
    let mut runs = Vec::new();
    let mut seen: BTreeSet<(u64, u64)> = identity(root).into_iter().collect();
    let mut once = |mut folders: Vec<PathBuf>| {
        // The directory itself is named, rather than a link to it.
        folders.sort_by_key(|folder| folder.is_symlink());
        folders.retain(|folder| identity(folder).is_none_or(|identity| seen.insert(identity)));
        folders
    };
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
    let others: Vec<PathBuf> = once(folders(root)?).into_iter().filter_map(|folder| look(folder, &mut runs)).collect();
    let mut failed = Vec::new();
    for other in others {
        match folders(&other) {
            Ok(inner) => once(inner).into_iter().for_each(|folder| drop(look(folder, &mut runs))),
            Err(error) => failed.push(error.to_string()),
        }
    }
    troubles.extend(failed);
    Ok(runs)
}

/// Device and inode of a directory; none if it cannot be looked at.
fn identity(directory: &Path) -> Option<(u64, u64)> {
    directory.metadata().ok().map(|data| (data.dev(), data.ino()))
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

//! Row of the catalogue, read from a run's directory.

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

/// Fraction of round trips above 100 ms from which a run is marked P (thesis 8.4).
pub const SLOW: f64 = 0.05;

/// Run in the catalogue.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Row {
    /// Directory, relative to the record directory.
    pub id: String,
    /// Name of the experiment.
    pub name: String,
    /// Start time (ms since 1970).
    pub began_unix_ms: u64,
    /// Running time without pauses (s of arena time).
    pub length_s: f64,
    /// `running`, `finished`, `recovered` or `aborted`; also `aborted` if its hub died and no hub continues it.
    pub state: String,
    /// Seed; text, because some tools lack 64-bit integers.
    pub seed: String,
    /// Number of robots in the swarm.
    pub robots: u32,
    /// Number of times that a robot was lost during the run; one robot can be lost several times.
    pub dead: u32,
    /// Fraction of the round trips above 100 ms.
    pub slow_round_trips: f64,
    /// Marks of Table 8.3: `D` if a robot was lost, `P` if more than 5 % of the round trips took above 100 ms.
    pub quality: String,
    /// Real fitness of the last segment.
    pub last_fitness: Option<f64>,
    /// Mean real fitness of all segments with evolved trees, weighted by their time.
    pub mean_fitness: Option<f64>,
    /// Mean derated fitness of the champions at the end (f_EA of Table 8.3).
    pub evolved_fitness: f64,
    /// Total size of its files (bytes).
    pub bytes: u64,
    /// Git commit of the hub that started it.
    pub git_commit: String,
    /// Version of the hub that started it.
    pub version: String,
}

/// Final status of a run, or its latest snapshot; `None` if neither exists.
///
/// # Errors
/// A file is unreadable or invalid.
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
    /// The directory has no `run.toml` of a hub's run, or a file is unreadable.
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
    /// Row with its current state: a run marked as running that no hub writes becomes aborted, unless a hub may still
    /// resume it. The files alone are not sufficient, because a dead hub does not update them.
    pub fn current(self, root: &Path) -> Row {
        let directory = root.join(&self.id);
        match self.state == RunState::Running.name() && is_abandoned(&directory) {
            true => Row { state: RunState::Aborted.name().into(), ..self },
            false => self,
        }
    }
}

/// Whether no hub writes this run or has written it within the time that a hub may take to resume it. A run that
/// cannot be examined does not count as abandoned.
fn is_abandoned(directory: &Path) -> bool {
    let quiet = |path: &PathBuf| path.metadata().and_then(|data| data.modified()).ok()?.elapsed().ok();
    let Ok(all) = files(directory) else { return false };
    let youngest = all.iter().map(quiet).min_by_key(|age| age.unwrap_or_default());
    matches!(recovery::is_written(directory), Ok(false)) && youngest.flatten().is_some_and(|age| age > RETURN_WITHIN)
}

/// Experiment name and start time from the name of a run's directory, `NAME-MS-seedSEED`.
fn parts(id: &str) -> Option<(&str, &str)> {
    let (rest, _) = id.rsplit('/').next()?.rsplit_once("-seed")?;
    rest.rsplit_once('-').filter(|(_, stamp)| stamp.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Minimum number of digits in a short id.
const DIGITS: usize = 4;

/// Short id of a run: the name of the experiment and the last digits of its start time.
fn shortened(id: &str, digits: usize) -> String {
    parts(id).map_or(id.into(), |(name, stamp)| format!("{name}-{}", &stamp[stamp.len().saturating_sub(digits)..]))
}

/// Unique short ids of runs, with the minimum number of digits.
pub fn short_ids(rows: &[Row]) -> Vec<String> {
    let of = |digits: usize| -> Vec<String> { rows.iter().map(|row| shortened(&row.id, digits)).collect() };
    let differ = |ids: &Vec<String>| ids.iter().collect::<BTreeSet<_>>().len() == ids.len();
    (DIGITS..20).map(of).find(differ).unwrap_or_else(|| rows.iter().map(|row| row.id.clone()).collect())
}

/// Whether a short id denotes this run.
pub(super) fn has_short_id(id: &str, short: &str) -> bool {
    let wanted = short.rsplit_once('-').filter(|(_, digits)| digits.len() >= DIGITS);
    match (parts(id), wanted) {
        (Some((name, stamp)), Some((other, digits))) => name == other && stamp.ends_with(digits),
        _ => false,
    }
}

/// Id of a run: its directory relative to the record directory.
pub(super) fn id(root: &Path, directory: &Path) -> String {
    directory.strip_prefix(root).unwrap_or(directory).to_string_lossy().into_owned()
}

/// Directories that contain a run, in the record directory and its direct subdirectories, where demos are stored.
/// Errors are added to `troubles`. A directory counts once, regardless of the number of links to it.
///
/// # Errors
/// The record directory cannot be read.
pub(super) fn directories(root: &Path, troubles: &mut Vec<String>) -> Result<Vec<PathBuf>, RecordError> {
    let mut runs = Vec::new();
    let mut seen: BTreeSet<(u64, u64)> = identity(root).into_iter().collect();
    let mut once = |mut folders: Vec<PathBuf>| {
        // The directory itself takes precedence over links to it.
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

/// Device and inode of a directory; `None` if it cannot be examined.
fn identity(directory: &Path) -> Option<(u64, u64)> {
    directory.metadata().ok().map(|data| (data.dev(), data.ino()))
}

fn is_run(directory: &Path) -> Result<bool, RecordError> {
    let file = directory.join(RUN_FILE);
    file.try_exists().map_err(|error| RecordError::new(&file, error))
}

/// Names, sizes and times of a run's files. The row is valid as long as these do not change.
///
/// # Errors
/// The directory cannot be read.
pub(super) fn signature(directory: &Path) -> Result<String, RecordError> {
    let one = |path: &PathBuf| {
        let data = path.metadata().ok()?;
        let changed = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        Some(format!("{} {} {changed}", path.file_name()?.to_string_lossy(), data.len()))
    };
    // A file that cannot be examined has no line; the row is read again once it can be.
    Ok(files(directory)?.iter().filter_map(one).collect::<Vec<_>>().join("\n"))
}

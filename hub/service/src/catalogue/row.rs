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

/// Fraction of round trips of more than 100 ms above which a run is marked `P` (thesis 8.4).
pub const SLOW: f64 = 0.05;

/// Row of the catalogue: one run.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Row {
    /// Id of the run: path of its directory, relative to the record directory.
    pub id: String,
    /// Name of the experiment.
    pub name: String,
    /// Start time (ms since 1970).
    pub began_unix_ms: u64,
    /// Running time without pauses (s of arena time).
    pub length_s: f64,
    /// `running`, `finished`, `recovered` or `aborted`. A run whose hub is dead also counts as `aborted`, unless a
    /// hub may still resume the run.
    pub state: String,
    /// Seed of the run; as text, because some tools lack 64-bit integers.
    pub seed: String,
    /// Number of robots in the swarm.
    pub robots: u32,
    /// Number of times that a robot was lost during the run; one robot can be lost several times.
    pub dead: u32,
    /// Fraction of the round trips that took more than 100 ms.
    pub slow_round_trips: f64,
    /// Marks of Table 8.3: `D` if a robot was lost, `P` if more than 5 % of the round trips took more than 100 ms.
    /// Both are possible.
    pub quality: String,
    /// Real fitness of the last segment with a fitness; `None` if there is none.
    pub last_fitness: Option<f64>,
    /// Mean real fitness of all segments with evolved trees, weighted by their duration; `None` if there are no such
    /// segments.
    pub mean_fitness: Option<f64>,
    /// Mean derated fitness of the champions at the end (f_EA of Table 8.3).
    pub evolved_fitness: f64,
    /// Total size of the run's files (bytes).
    pub bytes: u64,
    /// Git commit of the hub that started the run.
    pub git_commit: String,
    /// Version of the hub that started the run.
    pub version: String,
}

/// Returns the final status of a run, or else the status in its latest stored state. Returns `None` if neither
/// exists.
///
/// # Errors
/// If a file is unreadable or invalid.
pub(super) fn status(directory: &Path) -> Result<Option<Status>, RecordError> {
    match result(directory)? {
        Some(status) => Ok(Some(status)),
        None => Ok(snapshot::read(directory)?.whole().map(|(_, kept)| kept.status)),
    }
}

impl Row {
    /// Reads the row of a run from the run's directory.
    ///
    /// # Errors
    /// If the directory has no `run.toml` of a hub's run, or a file is unreadable.
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
    /// Returns the row with its current state. A run marked as running becomes aborted if no hub writes it and no hub
    /// may still resume it. This is computed on each call, because a dead hub does not update its files.
    pub fn current(self, root: &Path) -> Row {
        let directory = root.join(&self.id);
        match self.state == RunState::Running.name() && is_abandoned(&directory) {
            true => Row { state: RunState::Aborted.name().into(), ..self },
            false => self,
        }
    }
}

/// Returns whether no hub writes the run, and the time limit for resuming the run has expired since the last write. A
/// run that cannot be examined does not count as abandoned.
fn is_abandoned(directory: &Path) -> bool {
    let quiet = |path: &PathBuf| path.metadata().and_then(|data| data.modified()).ok()?.elapsed().ok();
    let Ok(all) = files(directory) else { return false };
    let youngest = all.iter().map(quiet).min_by_key(|age| age.unwrap_or_default());
    matches!(recovery::is_written(directory), Ok(false)) && youngest.flatten().is_some_and(|age| age > RETURN_WITHIN)
}

/// Returns the experiment's name and the start time, which are parts of the name of a run's directory
/// (`NAME-MS-seedSEED`).
fn parts(id: &str) -> Option<(&str, &str)> {
    let (rest, _) = id.rsplit('/').next()?.rsplit_once("-seed")?;
    rest.rsplit_once('-').filter(|(_, stamp)| stamp.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Minimum number of digits in a short id.
const DIGITS: usize = 4;

/// Returns the short id of a run: the name of the experiment and the last `digits` digits of its start time. An id of
/// another form is returned unchanged.
fn shortened(id: &str, digits: usize) -> String {
    parts(id).map_or(id.into(), |(name, stamp)| format!("{name}-{}", &stamp[stamp.len().saturating_sub(digits)..]))
}

/// Returns the short ids of runs. All of them have the smallest number of digits that makes them unique, but at least
/// `DIGITS`. If no number of digits is sufficient, the full ids are returned.
pub fn short_ids(rows: &[Row]) -> Vec<String> {
    let of = |digits: usize| -> Vec<String> { rows.iter().map(|row| shortened(&row.id, digits)).collect() };
    let differ = |ids: &Vec<String>| ids.iter().collect::<BTreeSet<_>>().len() == ids.len();
    (DIGITS..20).map(of).find(differ).unwrap_or_else(|| rows.iter().map(|row| row.id.clone()).collect())
}

/// Returns whether a short id, with any sufficient number of digits, denotes this run.
pub(super) fn has_short_id(id: &str, short: &str) -> bool {
    let wanted = short.rsplit_once('-').filter(|(_, digits)| digits.len() >= DIGITS);
    match (parts(id), wanted) {
        (Some((name, stamp)), Some((other, digits))) => name == other && stamp.ends_with(digits),
        _ => false,
    }
}

/// Returns the id of a run: its directory relative to the record directory.
pub(super) fn id(root: &Path, directory: &Path) -> String {
    directory.strip_prefix(root).unwrap_or(directory).to_string_lossy().into_owned()
}

/// Returns the directories that contain a run. Searches the record directory and its direct subdirectories, where
/// demos are stored. Errors in a directory are added to `troubles`. A directory that has several links is returned
/// once.
///
/// # Errors
/// If the record directory cannot be read.
pub(super) fn directories(root: &Path, troubles: &mut Vec<String>) -> Result<Vec<PathBuf>, RecordError> {
    let mut runs = Vec::new();
    let mut seen: BTreeSet<(u64, u64)> = identity(root).into_iter().collect();
    let mut once = |mut folders: Vec<PathBuf>| {
        // A directory precedes links to it, so that its own path is kept.
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

/// Returns the device and the inode of a directory; `None` if it cannot be examined.
fn identity(directory: &Path) -> Option<(u64, u64)> {
    directory.metadata().ok().map(|data| (data.dev(), data.ino()))
}

fn is_run(directory: &Path) -> Result<bool, RecordError> {
    let file = directory.join(RUN_FILE);
    file.try_exists().map_err(|error| RecordError::new(&file, error))
}

/// Returns the names, sizes and modification times of a run's files as text. The run's row is valid as long as this
/// text does not change.
///
/// # Errors
/// If the directory cannot be read.
pub(super) fn signature(directory: &Path) -> Result<String, RecordError> {
    let one = |path: &PathBuf| {
        let data = path.metadata().ok()?;
        let changed = data.modified().ok()?.duration_since(UNIX_EPOCH).ok()?.as_nanos();
        Some(format!("{} {} {changed}", path.file_name()?.to_string_lossy(), data.len()))
    };
    // A file that cannot be examined has no line. As soon as it can be examined, the signature changes and the row is
    // read again.
    Ok(files(directory)?.iter().filter_map(one).collect::<Vec<_>>().join("\n"))
}

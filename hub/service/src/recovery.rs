//! Handles the runs that an earlier hub left behind, when a hub starts. It resumes the run that this hub has to
//! continue with its robots, and closes the runs that have ended. It repairs truncated and damaged files on a
//! separate thread. Unreadable runs are reported and left unchanged until the next start.
//! [`xpuck_hub_core::resumption`] decides which runs are resumed, closed or left.

use crate::stops::Stops;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tracing::{error, info};
use xpuck_hub_core::config::Config;
use xpuck_hub_core::resumption::{self, Candidate, Decision, Reason};
use xpuck_hub_core::switchboard::Snapshot;
use xpuck_record::run_file::{RUN_FILE, RunFile, RunState};
use xpuck_record::snapshot::{self, Reach, State};
use xpuck_record::{RecordError, Recorder, end_run, folders, recover};
use xpuck_wire::clock::unix_ms;
use xpuck_wire::output;

/// Run that the hub has to resume.
pub struct ResumedRun {
    /// Directory of the run.
    pub directory: PathBuf,
    /// State of the run.
    pub snapshot: Snapshot,
    /// Age of the stored state (wall time).
    pub away: Duration,
}

/// Result of the examination at the start of the hub.
#[derive(Default)]
pub struct Recovery {
    /// Run that the hub has to resume, if any.
    pub resumed: Option<ResumedRun>,
    /// Number of STOPs of the swarm, as recorded on the disk.
    pub stops: u64,
    /// Messages for the operators.
    pub notes: Vec<String>,
}

/// Run left behind by an earlier hub.
struct AbandonedRun {
    directory: PathBuf,
    /// Open files of the run, to which no program is writing.
    files: Vec<PathBuf>,
    state: StoredState,
}

/// Stored state of a run.
enum StoredState {
    /// The state is valid: time of writing (ms since 1970), extent of the record, and contents.
    Whole(u64, Reach, Box<Snapshot>),
    /// The state is missing or invalid.
    None,
    /// The state cannot be read.
    Unread,
}

/// Examines the runs that an earlier hub left behind. The result contains the run to resume; the other runs are
/// handled on a separate thread. `mark` identifies the hub's swarm.
pub fn scan(config: &Config, mark: &str) -> Recovery {
    let mut found = Recovery::default();
    let root = &config.hub.record.directory;
    let left: Vec<AbandonedRun> = left_behind(root, &mut found.notes)
        .into_iter()
        .filter_map(|run| AbandonedRun::read(run, &mut found.notes))
        .collect();
    // If the STOP count cannot be read, no run is resumed, because any run may have been stopped.
    let (known, counted) = match Stops::read(root, mark) {
        Ok(stops) => (stops, true),
        Err(error) => {
            found.notes.push(format!("{error}: no run is resumed, because it may have been stopped; remove the file"));
            (0, false)
        }
    };
    let now = unix_ms();
    let whole: Vec<usize> = (0..left.len()).filter(|i| matches!(left[*i].state, StoredState::Whole(..))).collect();
    let candidates: Vec<Candidate> = whole.iter().filter_map(|i| left[*i].candidate(config, mark)).collect();
    found.stops = candidates.iter().filter(|run| run.same_swarm).map(|run| run.stops).fold(known, u64::max);
    let fates = resumption::decide(&candidates, found.stops, now);
    let mut work = Vec::new();
    for (i, run) in left.into_iter().enumerate() {
        let decided = whole.iter().position(|whole| *whole == i).map(|at| fates[at]);
        let fate = match (&run.state, decided) {
            (StoredState::Unread, _) => Decision::Leave(Reason::Unknown),
            (_, None) => Decision::Close(Reason::Unknown),
            (_, Some(Decision::Ask(_))) if !counted => Decision::Leave(Reason::Unknown),
            (_, Some(fate)) => fate,
        };
        work.push(found.decide(run, fate, now, config));
    }
    let see_to = move || {
        for (directory, files, becomes) in work {
            let done = match becomes {
                Fate::GoesOn => make_whole(&directory, &files).map(|text| format!("resumed; {text}")),
                Fate::StaysOpen => make_whole(&directory, &files).map(|text| format!("stays open; {text}")),
                Fate::Closed => repair_and_close(&directory, &files),
            };
            match done {
                Ok(text) => info!(target: "hub", "run {}: {text}", directory.display()),
                Err(error) => error!(target: "hub", "{error}"),
            }
        }
    };
    if let Err(error) = std::thread::Builder::new().name("recovery".into()).spawn(see_to) {
        found.notes.push(format!("abandoned runs are not repaired: {error}"));
    }
    found
}

/// Decision about a run's folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    GoesOn,
    StaysOpen,
    Closed,
}

impl AbandonedRun {
    /// Reads the stored state of a run; `None` if its files cannot be examined.
    fn read(directory: PathBuf, notes: &mut Vec<String>) -> Option<AbandonedRun> {
        // The files to repair are listed now, so that the list does not contain files that this hub opens later.
        let files = match recover::left_open(&directory) {
            Ok(files) => files,
            Err(error) => {
                notes.push(format!("{error}: the run is left unchanged"));
                return None;
            }
        };
        let state = match snapshot::read(&directory) {
            Ok(State::Whole(then, reach, snapshot)) => StoredState::Whole(then, reach, snapshot),
            Ok(State::Missing) => StoredState::None,
            Ok(State::Damaged(why)) => {
                notes.push(format!("run {} is not resumed: its run.state {why}", directory.display()));
                StoredState::None
            }
            Err(error) => {
                notes.push(format!("{error}: the run is not resumed and stays open"));
                StoredState::Unread
            }
        };
        Some(AbandonedRun { directory, files, state })
    }

    fn candidate(&self, config: &Config, mark: &str) -> Option<Candidate> {
        let StoredState::Whole(written, _, snapshot) = &self.state else { return None };
        let of = RunFile::read(&self.directory).ok().and_then(|run| run.swarm_mark);
        let same_robots = config.swarm.robots.starts_with(&snapshot.robots);
        Some(Candidate {
            over: snapshot.is_over(),
            same_swarm: same_robots && of.is_none_or(|of| of == mark),
            stops: snapshot.stops,
            directive: snapshot.last_number,
            written: *written,
        })
    }
}

impl Recovery {
    /// Converts a decision about a run into the work on its folder. Sets `resumed` to the run if it has to be resumed.
    /// Adds messages for the operators.
    fn decide(
        &mut self,
        run: AbandonedRun,
        fate: Decision,
        now: u64,
        config: &Config,
    ) -> (PathBuf, Vec<PathBuf>, Fate) {
        let AbandonedRun { directory, files, state } = run;
        let name = directory.display();
        let becomes = match (fate, state) {
            (Decision::Ask(away), StoredState::Whole(_, reach, snapshot)) => {
                match Recorder::has_room(config, &directory) {
                    Ok(()) => {
                        let mut snapshot = *snapshot;
                        if let Err(error) = snapshot::catch_up(&directory, &mut snapshot, reach) {
                            self.notes.push(format!("generations of the last second may be recorded twice: {error}"));
                        }
                        self.resumed = Some(ResumedRun { directory: directory.clone(), snapshot, away });
                        Fate::GoesOn
                    }
                    Err(error) => {
                        self.notes.push(format!("the run is not resumed, because it could not be recorded: {error}"));
                        Fate::Closed
                    }
                }
            }
            (Decision::Leave(Reason::Future), StoredState::Whole(then, ..)) => {
                self.notes.push(format!(
                    "run {name} is not resumed: its run.state was written {} s in the future, so this machine's clock \
                     was set back; set the clock and start the hub again, or close the run with: xpuck runs recover \
                     {name}",
                    (then - now).div_ceil(1000)
                ));
                Fate::StaysOpen
            }
            (Decision::Leave(Reason::OtherSwarm), _) => {
                self.notes.push(format!("run {name} belongs to another swarm and is left to its hub"));
                Fate::StaysOpen
            }
            (Decision::Leave(_), _) => Fate::StaysOpen,
            (Decision::Close(Reason::Stopped), _) => {
                self.notes.push(format!("run {name} is closed, because it was stopped"));
                Fate::Closed
            }
            (Decision::Ask(_) | Decision::Close(_), _) => Fate::Closed,
        };
        (directory, files, becomes)
    }
}

/// Returns the folders of runs that are marked as running or contain open files, and to which no hub is writing.
/// Folders that cannot be examined are omitted and reported in `notes`.
pub fn left_behind(root: &Path, notes: &mut Vec<String>) -> Vec<PathBuf> {
    let directories = match std::fs::metadata(root) {
        // The first run creates the root folder. A missing folder therefore contains no runs.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        _ => folders(root),
    };
    let directories = directories.unwrap_or_else(|error| {
        notes.push(format!("{error}: runs of a previous hub are not checked"));
        Vec::new()
    });
    let mut found = Vec::new();
    for directory in directories {
        match is_left_behind(&directory) {
            Ok(true) => found.push(directory),
            Ok(false) => {}
            Err(error) => notes.push(format!("{error}: this entry is skipped; the other runs are checked")),
        }
    }
    found
}

fn is_left_behind(directory: &Path) -> Result<bool, RecordError> {
    let described = directory.join(RUN_FILE);
    if !described.try_exists().map_err(|error| RecordError::new(&described, error))? {
        return Ok(false);
    }
    let open = recover::left_open(directory)?;
    if is_written(directory)? {
        return Ok(false);
    }
    // Open files need a repair, whatever state run.toml contains.
    Ok(!open.is_empty() || RunFile::read(directory)?.state == RunState::Running)
}

/// Returns whether a hub is writing to this run.
///
/// # Errors
/// The files cannot be examined.
pub fn is_written(directory: &Path) -> Result<bool, RecordError> {
    for file in recover::left_open(directory)? {
        if recover::is_written(&file).map_err(|error| RecordError::new(&file, error))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Repairs a run's files. If the run is still marked as running, also closes it with the status in its stored state.
/// The run is then marked as finished if it is over in the stored state, and as aborted otherwise. A run without a
/// valid stored state is marked as recovered. Returns a description of the result.
///
/// # Errors
/// A file cannot be read or written. The run then keeps its state.
pub fn repair_and_close(directory: &Path, files: &[PathBuf]) -> Result<String, RecordError> {
    let made = make_whole(directory, files)?;
    Ok(format!("{}; {made}", close(directory)?))
}

/// Repairs files of a run. Returns a description of the result.
fn make_whole(directory: &Path, files: &[PathBuf]) -> Result<String, RecordError> {
    let done = recover::run(directory, files)?;
    let messages: u64 = done.iter().map(|r| r.messages).sum();
    let count = |what: fn(&recover::Recovered) -> bool| done.iter().filter(|r| what(r)).count();
    let many = |messages: u64| output::count(messages as usize, "message", "messages");
    let (whole, lost) = (count(|r| r.untouched), count(|r| r.messages == 0 && r.damage.is_some()));
    let mut text = match done.len() {
        0 => "no file was left open".into(),
        all if all == whole => format!("already complete, with {}", many(messages)),
        all => {
            let files = output::count(all - whole - lost, "file", "files");
            format!("{files} repaired, {} in total", many(messages))
        }
    };
    for damaged in done.iter().filter(|r| r.damage.is_some()) {
        text += &format!("; {}: {}", damaged.path.display(), damaged.words());
    }
    Ok(text)
}

/// Closes a run whose files are intact, if it is still marked as running. Returns the name of the run's state.
fn close(directory: &Path) -> Result<&'static str, RecordError> {
    let described = directory.join(RUN_FILE);
    if !described.try_exists().map_err(|error| RecordError::new(&described, error))? {
        return Ok("without run.toml");
    }
    let state = RunFile::read(directory)?.state;
    if state != RunState::Running {
        return Ok(state.name());
    }
    let left = snapshot::read(directory)?.whole();
    let ended = match &left {
        Some((_, snapshot)) if snapshot.is_over() => RunState::Finished,
        Some(_) => RunState::Aborted,
        None => RunState::Recovered,
    };
    match left {
        Some((_, snapshot)) => end_run(directory, &snapshot.status, ended)?,
        None => RunFile::change(directory, |run| run.state = ended)?,
    }
    snapshot::remove(directory)?;
    Ok(ended.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unreadable_runs_are_reported_and_not_taken_as_empty() {
        let root = tempfile::tempdir().unwrap();
        let mut notes = Vec::new();
        assert!(left_behind(&root.path().join("none"), &mut notes).is_empty() && notes.is_empty());
        // This entry is not a folder. It is a symbolic link to itself.
        let circle = root.path().join("circle");
        std::os::unix::fs::symlink(&circle, &circle).unwrap();
        assert!(left_behind(&circle, &mut notes).is_empty());
        assert!(notes[0].contains("circle"), "{notes:?}");
        // A run.toml that cannot be examined must not prevent the examination of the other runs.
        let good = root.path().join("good");
        std::fs::create_dir(&good).unwrap();
        std::fs::write(good.join(RUN_FILE), "").unwrap();
        std::fs::write(good.join("run.mcap.open"), "").unwrap();
        notes.clear();
        assert_eq!(left_behind(root.path(), &mut notes), [good]);
        assert_eq!(notes.len(), 1, "{notes:?}");
    }
}

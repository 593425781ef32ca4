//! What a hub that starts does about the runs that an earlier one left behind: it goes on with the one that was going on
//! a moment ago, closes those that are too old as aborted, and makes cut-off and damaged files whole, on a thread of its
//! own. What cannot be read is told and left alone: the next start looks again.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tracing::{error, info};
use xpuck_hub_core::config::Config;
use xpuck_hub_core::switchboard::Snapshot;
use xpuck_record::run_file::{RUN_FILE, RunFile, RunState};
use xpuck_record::snapshot::{self, RETURN_WITHIN, State};
use xpuck_record::{RecordError, Recorder, end_run, folders, recover};
use xpuck_wire::clock::unix_ms;
use xpuck_wire::output;

/// A state that was written later than now by more than this was written before the clock went back.
const AHEAD: Duration = Duration::from_secs(5);

/// A run that this hub is to go on with.
pub struct ResumedRun {
    /// The run's directory.
    pub directory: PathBuf,
    /// How it stood.
    pub snapshot: Snapshot,
    /// How long ago, wall time.
    pub away: Duration,
}

/// What a hub that starts has found.
#[derive(Default)]
pub struct Found {
    /// The run to go on with.
    pub resumed: Option<ResumedRun>,
    /// What operators have to know.
    pub notes: Vec<String>,
}

/// What becomes of a run that was left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It may be gone on with; so long ago its state was written.
    Resume(Duration),
    /// It is closed.
    Close,
    /// Its state is kept, for somebody who knows better.
    Leave,
}

/// What becomes of a run whose state was written then.
fn fate(then: u64, now: u64) -> Fate {
    let between = Duration::from_millis(now.abs_diff(then));
    match now >= then {
        true if between <= RETURN_WITHIN => Fate::Resume(between),
        true => Fate::Close,
        // Clocks are set by a little all the time.
        false if between <= AHEAD => Fate::Resume(Duration::ZERO),
        false => Fate::Leave,
    }
}

/// Looks at the runs that were left behind. Gives the one to go on with; the rest is seen to meanwhile.
pub fn look_back(config: &Config) -> Found {
    let mut found = Found::default();
    let runs = left_behind(&config.hub.record.directory, &mut found.notes);
    let now = unix_ms();
    // The files to make whole are named now: those that this hub writes come later.
    let mut work = Vec::new();
    for directory in runs {
        let files = match recover::left_open(&directory) {
            Ok(files) => files,
            Err(error) => {
                found.notes.push(format!("{error}: the run stays as it is"));
                continue;
            }
        };
        let fate = found.look_at(&directory, now, config);
        work.push((directory, files, fate));
    }
    let mine = found.resumed.as_ref().map(|t| t.directory.clone());
    let see_to = move || {
        for (directory, files, fate) in work {
            let done = match fate {
                _ if mine.as_ref() == Some(&directory) => {
                    make_whole(&directory, &files).map(|text| format!("goes on; {text}"))
                }
                Fate::Leave => make_whole(&directory, &files).map(|text| format!("stays open; {text}")),
                Fate::Resume(_) | Fate::Close => settle(&directory, &files),
            };
            match done {
                Ok(text) => info!(target: "hub", "run {}: {text}", directory.display()),
                Err(error) => error!(target: "hub", "{error}"),
            }
        }
    };
    if let Err(error) = std::thread::Builder::new().name("recovery".into()).spawn(see_to) {
        found.notes.push(format!("runs that were left behind are not made whole: {error}"));
    }
    found
}

impl Found {
    /// Decides about a run, and remembers it if it is the one to go on with.
    fn look_at(&mut self, directory: &Path, now: u64, config: &Config) -> Fate {
        let name = directory.display();
        let (then, reach, mut snapshot) = match snapshot::read(directory) {
            Ok(State::Whole(then, reach, snapshot)) => (then, reach, *snapshot),
            Ok(State::Missing) => return Fate::Close,
            Ok(State::Damaged(why)) => {
                self.notes.push(format!("run {name} is not taken up: its run.state {why}"));
                return Fate::Close;
            }
            Err(error) => {
                self.notes.push(format!("{error}: the run is not taken up and stays open"));
                return Fate::Leave;
            }
        };
        let fate = if snapshot.is_over() { Fate::Close } else { fate(then, now) };
        match fate {
            Fate::Resume(away) if config.swarm.robots.starts_with(&snapshot.robots) => {
                if let Err(error) = Recorder::has_room(config, directory) {
                    self.notes.push(format!("the run is not taken up, as nothing of it could be recorded: {error}"));
                    return Fate::Close;
                }
                if let Err(error) = snapshot::catch_up(directory, &mut snapshot, reach) {
                    self.notes.push(format!("generations of the last second may be recorded twice: {error}"));
                }
                if self.resumed.as_ref().is_none_or(|other| away < other.away) {
                    self.resumed = Some(ResumedRun { directory: directory.into(), snapshot, away });
                }
            }
            Fate::Leave => self.notes.push(format!(
                "run {name} is not taken up: its run.state was written {} s in the future, so this machine's clock went \
                 back; set the clock and start the hub again, or close the run with: xpuck runs recover {name}",
                (then - now).div_ceil(1000)
            )),
            Fate::Resume(_) | Fate::Close => {}
        }
        fate
    }
}

/// The directories of runs that say that they are running, or hold files that are open and that nobody writes. What cannot
/// be looked at is left out, and told in `notes`.
pub fn left_behind(root: &Path, notes: &mut Vec<String>) -> Vec<PathBuf> {
    let told = |error: &RecordError| format!("{error}: runs that were left behind are not looked at");
    let directories = match std::fs::metadata(root) {
        // The first run makes it.
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        _ => folders(root),
    };
    let directories = directories.unwrap_or_else(|error| {
        notes.push(told(&error));
        Vec::new()
    });
    let mut found = Vec::new();
    for directory in directories {
        match is_left_behind(&directory) {
            Ok(true) => found.push(directory),
            Ok(false) => {}
            Err(error) => notes.push(told(&error)),
        }
    }
    found
}

fn is_left_behind(directory: &Path) -> Result<bool, RecordError> {
    let described = directory.join(RUN_FILE);
    if !described.try_exists().map_err(|error| RecordError::of(&described, error))? {
        return Ok(false);
    }
    let open = recover::left_open(directory)?;
    if is_written(directory)? {
        return Ok(false);
    }
    // Files are made whole whatever run.toml says.
    Ok(!open.is_empty() || RunFile::read(directory)?.state == RunState::Running)
}

/// True if a hub is writing this run.
///
/// # Errors
/// That cannot be seen.
pub fn is_written(directory: &Path) -> Result<bool, RecordError> {
    for file in recover::left_open(directory)? {
        if recover::is_written(&file).map_err(|error| RecordError::of(&file, error))? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Makes a run's files whole and closes it. A run that had begun is aborted, unless
/// it was over already; the status that was kept last is its result.
///
/// # Errors
/// What the disk says; the run's state is kept then.
pub fn settle(directory: &Path, files: &[PathBuf]) -> Result<String, RecordError> {
    let made = make_whole(directory, files)?;
    Ok(format!("{}; {made}", close(directory)?))
}

/// Makes files of a run whole, and says what came of it.
fn make_whole(directory: &Path, files: &[PathBuf]) -> Result<String, RecordError> {
    let done = recover::run(directory, files)?;
    let messages: u64 = done.iter().map(|r| r.messages).sum();
    let count = |what: fn(&recover::Recovered) -> bool| done.iter().filter(|r| what(r)).count();
    let many = |messages: u64| output::count(messages as usize, "message", "messages");
    let (whole, lost) = (count(|r| r.untouched), count(|r| r.messages == 0 && r.damage.is_some()));
    let mut text = match done.len() {
        0 => "it has no record".into(),
        all if all == whole => format!("whole already, with {}", many(messages)),
        all => {
            let files = output::count(all - whole - lost, "file", "files");
            format!("{files} made whole, {} in all", many(messages))
        }
    };
    for damaged in done.iter().filter(|r| r.damage.is_some()) {
        text += &format!("; {}: {}", damaged.path.display(), damaged.words());
    }
    Ok(text)
}

/// Closes a run whose files are whole, if it is not closed yet. Gives how it stands then.
fn close(directory: &Path) -> Result<&'static str, RecordError> {
    let described = directory.join(RUN_FILE);
    if !described.try_exists().map_err(|error| RecordError::of(&described, error))? {
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
    fn a_state_from_the_future_is_left_alone() {
        let now = 1_000_000_000;
        assert_eq!(fate(now - 60_000, now), Fate::Resume(RETURN_WITHIN));
        assert_eq!(fate(now - 60_001, now), Fate::Close);
        assert_eq!(fate(now + 5_000, now), Fate::Resume(Duration::ZERO));
        assert_eq!(fate(now + 5_001, now), Fate::Leave);
        assert_eq!(fate(now + 3_600_000, now), Fate::Leave);
        assert_eq!(fate(u64::MAX, 0), Fate::Leave);
    }

    #[test]
    fn what_cannot_be_looked_at_is_told_and_not_taken_for_empty() {
        let root = tempfile::tempdir().unwrap();
        let mut notes = Vec::new();
        assert!(left_behind(&root.path().join("none"), &mut notes).is_empty() && notes.is_empty());
        // A folder that is none: a link in a circle.
        let circle = root.path().join("circle");
        std::os::unix::fs::symlink(&circle, &circle).unwrap();
        assert!(left_behind(&circle, &mut notes).is_empty());
        assert!(notes[0].contains("circle"), "{notes:?}");
        // Of a run whose run.toml cannot be looked at its neighbours are.
        let good = root.path().join("good");
        std::fs::create_dir(&good).unwrap();
        std::fs::write(good.join(RUN_FILE), "").unwrap();
        std::fs::write(good.join("run.mcap.open"), "").unwrap();
        notes.clear();
        assert_eq!(left_behind(root.path(), &mut notes), [good]);
        assert_eq!(notes.len(), 1, "{notes:?}");
    }
}

//! What a hub that starts does about the runs that an earlier one left behind: it goes on with the one that was going on
//! a moment ago, closes those that are too old as aborted, and makes cut-off files whole, on a thread of its own.

use crate::config::Config;
use crate::recorder::kept::{self, RETURN_WITHIN, unix_ms};
use crate::recorder::run_file::{RunFile, RunState};
use crate::recorder::{end_run, recover};
use crate::switchboard::Kept;
use std::path::{Path, PathBuf};
use std::time::Duration;
use xpuck_wire::log;

/// A run that this hub is to go on with.
pub struct TakenUp {
    /// The run's directory.
    pub directory: PathBuf,
    /// How it stood.
    pub kept: Kept,
    /// How long ago, wall time.
    pub away: Duration,
}

/// Looks at the runs that were left behind. Gives the one to go on with; the rest is seen to meanwhile.
pub fn look_back(config: &Config) -> Option<TakenUp> {
    let runs = left_behind(&config.hub.record.directory);
    let now = unix_ms();
    let state = |directory: &PathBuf| {
        let (then, kept) = kept::read(directory).ok()?;
        let away = Duration::from_millis(now.saturating_sub(then));
        let fits = away <= RETURN_WITHIN && kept.robots == config.swarm.robots;
        fits.then(|| TakenUp { directory: directory.clone(), kept, away })
    };
    let taken = runs.iter().filter_map(state).min_by_key(|t| t.away);
    // The files to make whole are named now: those that this hub writes come later.
    let work: Vec<(PathBuf, Vec<PathBuf>)> = runs.into_iter().map(|d| (d.clone(), recover::left_open(&d))).collect();
    let mine = taken.as_ref().map(|t| t.directory.clone());
    let see_to = move || {
        for (directory, files) in work {
            let going_on = mine.as_ref() == Some(&directory);
            match settle(&directory, &files, going_on) {
                Ok(text) => log::line(format_args!("hub: run {}: {text}", directory.display())),
                Err(error) => log::line(format_args!("hub: {error}")),
            }
        }
    };
    if let Err(error) = std::thread::Builder::new().name("recovery".into()).spawn(see_to) {
        log::line(format_args!("hub: runs that were left behind are not made whole: {error}"));
    }
    taken
}

/// The directories of runs that say that they are running, or hold files that are open and that nobody writes.
pub fn left_behind(root: &Path) -> Vec<PathBuf> {
    let directories = std::fs::read_dir(root).into_iter().flatten().flatten().map(|e| e.path());
    let mut found: Vec<PathBuf> = directories
        .filter(|directory| {
            let open = recover::left_open(directory);
            let left = RunFile::read(directory).is_ok_and(|run| run.state == RunState::Running || !open.is_empty());
            left && !is_written(directory)
        })
        .collect();
    found.sort();
    found
}

/// True if a hub is writing this run.
pub fn is_written(directory: &Path) -> bool {
    recover::left_open(directory).iter().any(|file| recover::is_written(file))
}

/// Makes a run's files whole, and closes it unless it goes on. A run that had begun is aborted; the status that was kept
/// last is its result.
///
/// # Errors
/// What the disk says.
pub fn settle(directory: &Path, files: &[PathBuf], going_on: bool) -> Result<String, crate::recorder::RecordError> {
    let state = kept::read(directory).ok().filter(|_| !going_on);
    let ended = if state.is_some() { RunState::Aborted } else { RunState::Recovered };
    let done = recover::run(directory, files, (!going_on).then_some(ended))?;
    if let Some((_, kept)) = state {
        end_run(directory, &kept.status, ended)?;
    }
    let messages: u64 = done.iter().map(|r| r.messages).sum();
    let what = if going_on { "goes on" } else { ended.name() };
    Ok(format!("{what}; {} files made whole with {messages} messages", done.len()))
}

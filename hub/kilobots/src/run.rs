//! An experiment from where it stands to its end, or to where it is told to stop.

use super::config::Config;
use super::evolve::{Finished, Standing, evolve};
use super::folder::Folder;
use std::sync::atomic::{AtomicBool, Ordering};
use xpuck_lab::run_folder::FolderError;

/// How it ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// With all runs, in order.
    Whole(Vec<Finished>),
    /// As it was told to, with so many runs.
    Stopped(usize),
}

/// Makes the runs that `done` lacks, and keeps each in the folder, if there is one. `watch` sees what runs, how many are
/// done, and where it stands. `stop`, or a file of that name in the folder, ends it after a generation; a run that is not at its end begins again next time.
///
/// # Errors
/// If the folder cannot be written; all runs before are kept.
pub fn run(
    config: &Config,
    mut done: Vec<Finished>,
    mut folder: Option<&mut Folder>,
    stop: &AtomicBool,
    mut watch: impl FnMut(usize, Standing),
) -> Result<Ended, FolderError> {
    for (number, algorithm) in config.order() {
        if done.iter().any(|run| (run.run, run.algorithm) == (number, algorithm)) {
            continue;
        }
        let count = done.len();
        // The settings passed the file's check.
        let Ok(settings) = config.settings(algorithm) else { continue };
        let is_to_stop = || stop.load(Ordering::Relaxed) || folder.as_ref().is_some_and(|folder| folder.is_to_stop());
        let Some(finished) = evolve(config, settings, number, is_to_stop, |standing| watch(count, standing)) else {
            return Ok(Ended::Stopped(count));
        };
        if let Some(folder) = &mut folder {
            folder.keep(&finished)?;
        }
        done.push(finished);
    }
    Ok(Ended::Whole(done))
}

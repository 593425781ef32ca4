//! Executes an experiment from its current state to its end, or to a stop request.

use super::config::Config;
use super::evolve::{RunProgress, RunResult, evolve};
use super::folder::Folder;
use std::sync::atomic::{AtomicBool, Ordering};
use xpuck_lab::run_folder::FolderError;

/// Result of executing an experiment.
#[derive(Clone, Debug, PartialEq)]
pub enum Ended {
    /// All runs are complete.
    Complete(Vec<RunResult>),
    /// A stop request ended the experiment. The number of completed runs is given.
    Stopped(usize),
}

/// Executes the runs that are missing in `done`, and saves each run in the folder, if one is given. `watch` is called
/// with the number of completed runs and the progress of the current run. `stop`, or a stop file in the folder, ends
/// the experiment after a generation. An incomplete run restarts from its beginning the next time.
///
/// # Errors
/// The folder cannot be written. Earlier runs stay saved.
pub fn run(
    config: &Config,
    mut done: Vec<RunResult>,
    mut folder: Option<&mut Folder>,
    stop: &AtomicBool,
    mut watch: impl FnMut(usize, RunProgress),
) -> Result<Ended, FolderError> {
    for (number, algorithm) in config.order() {
        if done.iter().any(|run| (run.run, run.algorithm) == (number, algorithm)) {
            continue;
        }
        let count = done.len();
        // The settings were checked when the file was read, so this never fails.
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
    Ok(Ended::Complete(done))
}

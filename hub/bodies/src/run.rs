//! Execution of a run from its current state to its end, or to a stop request.

use super::folder::Folder;
use super::generation::{BodyRun, Row};
use std::sync::atomic::{AtomicBool, Ordering};
use xpuck_lab::run_folder::FolderError;

/// Reason for the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// The budget was used up.
    Complete,
    /// The run was stopped after a complete generation.
    Stopped,
}

/// Runs the remaining generations. If a folder is given, each generation is saved in it, before `watch` is called and
/// the next generation begins. `stop`, or a stop file in the folder, ends the run after the current generation.
///
/// # Errors
/// If the folder cannot be written. Earlier generations stay saved.
pub fn run(
    evolution: &mut BodyRun,
    mut folder: Option<&mut Folder>,
    stop: &AtomicBool,
    mut watch: impl FnMut(&BodyRun, &[Row]),
) -> Result<Ended, FolderError> {
    while !evolution.is_done() {
        let rows = evolution.step();
        if let Some(folder) = &mut folder {
            folder.keep(evolution, &rows)?;
        }
        watch(evolution, &rows);
        let asked = stop.load(Ordering::Relaxed) || folder.as_ref().is_some_and(|folder| folder.is_to_stop());
        if asked && !evolution.is_done() {
            return Ok(Ended::Stopped);
        }
    }
    Ok(Ended::Complete)
}

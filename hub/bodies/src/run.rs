//! A run from where it stands to its end, or to where it is told to stop.

use super::folder::Folder;
use super::generation::{BodyRun, Row};
use std::sync::atomic::{AtomicBool, Ordering};
use xpuck_lab::run_folder::FolderError;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With its last evaluation.
    Whole,
    /// After a whole generation, as it was told to.
    Stopped,
}

/// Runs the generations that are left. Each is kept in the folder, if there is one, before the next begins; then `watch` sees
/// it. `stop`, or a file of that name in the folder, ends the run after the generation in hand.
///
/// # Errors
/// If the folder cannot be written; all generations before are kept.
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
    Ok(Ended::Whole)
}

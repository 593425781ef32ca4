//! A run from where it stands to its end, or to where it is told to stop.

use super::folder::Folder;
use super::generation::{EvolutionRun, Generation};
use crate::run_folder::FolderError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With its last generation.
    Whole,
    /// After a whole generation, as it was told to.
    Stopped,
}

/// Runs the generations that are left. Each is kept in the folder, if there is one, before the next begins; then `watch`
/// sees the run. `stop`, or a file of that name in the folder, ends the run after the generation in hand.
///
/// # Errors
/// If the folder cannot be written; all generations before are kept.
pub fn run(
    evolution: &mut EvolutionRun,
    folder: Option<&mut Folder>,
    stop: &AtomicBool,
    watch: impl FnMut(&EvolutionRun),
) -> Result<Ended, FolderError> {
    run_with(evolution, folder, stop, EvolutionRun::step, watch)
}

/// The same with another way to make a step: [`EvolutionRun::step_with`] immigrants from elsewhere.
///
/// # Errors
/// As [`run`].
pub fn run_with(
    evolution: &mut EvolutionRun,
    mut folder: Option<&mut Folder>,
    stop: &AtomicBool,
    mut step: impl FnMut(&mut EvolutionRun) -> Generation,
    mut watch: impl FnMut(&EvolutionRun),
) -> Result<Ended, FolderError> {
    let mut mark = Instant::now();
    while !evolution.is_done() {
        let generation = step(evolution);
        let wall_s = mark.elapsed().as_secs_f64();
        evolution.spend(wall_s);
        mark = Instant::now();
        if let Some(folder) = &mut folder {
            folder.note_time(evolution.state().generation, wall_s)?;
            folder.note_engine(evolution.state().generation, &evolution.engine().status())?;
            folder.keep(evolution.state(), &generation)?;
        }
        watch(evolution);
        if stop.load(Ordering::Relaxed) || folder.as_ref().is_some_and(|folder| folder.is_to_stop()) {
            return Ok(Ended::Stopped);
        }
    }
    Ok(Ended::Whole)
}

//! Runs an evolution from its current state to its end, or until a stop request.

use super::folder::Folder;
use super::generation::{EvolutionRun, Generation};
use crate::run_folder::FolderError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Reason for the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// All generations are done, or the budget is used up.
    Finished,
    /// The run was stopped on request after a complete generation.
    Stopped,
}

/// Runs the remaining generations. Each generation is written to `folder`, if there is one, before the next generation
/// begins. After each generation, `watch` is called. The run ends after the current generation if `stop` is set, or if
/// the folder contains a file named `stop`.
///
/// # Errors
/// The folder cannot be written. All previous generations are kept.
pub fn run(
    evolution: &mut EvolutionRun,
    folder: Option<&mut Folder>,
    stop: &AtomicBool,
    watch: impl FnMut(&EvolutionRun),
) -> Result<Ended, FolderError> {
    run_with(evolution, folder, stop, EvolutionRun::step, watch)
}

/// Same as [`run`] with another step function. For example, `step` can call [`EvolutionRun::step_with`] with immigrants
/// from another process.
///
/// # Errors
/// The errors are the same as those of [`run`].
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
        mark = Instant::now();
        keep(evolution, folder.as_deref_mut(), &generation, wall_s)?;
        watch(evolution);
        if stop.load(Ordering::Relaxed) || folder.as_ref().is_some_and(|folder| folder.is_to_stop()) {
            return Ok(Ended::Stopped);
        }
    }
    Ok(Ended::Finished)
}

/// Adds the wall time of a generation (s) to the run, and writes the generation to `folder`, if there is one.
///
/// # Errors
/// The folder cannot be written. All previous generations are kept.
pub fn keep(
    evolution: &mut EvolutionRun,
    folder: Option<&mut Folder>,
    generation: &Generation,
    wall_s: f64,
) -> Result<(), FolderError> {
    evolution.spend(wall_s);
    let Some(folder) = folder else { return Ok(()) };
    folder.note_engine(evolution.state().generation, &evolution.engine().status())?;
    folder.keep(evolution.state(), generation)?;
    // The time comes last: a generation that could not be kept is evaluated again, and has one row in the table of times.
    folder.note_time(evolution.state().generation, wall_s)
}

//! A run from where it stands to its end, or to where it is told to stop.

use super::folder::{Folder, FolderError};
use super::generation::Swarm;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// With its last generation.
    Whole,
    /// By `stop`, after a whole generation.
    Stopped,
}

/// Runs the generations that are left. Each is kept in the folder, if there is one, before the next begins; then `watch`
/// sees the swarm. `stop` ends the run after the generation in hand.
///
/// # Errors
/// If the folder cannot be written; all generations before are kept.
pub fn run(
    swarm: &mut Swarm,
    mut folder: Option<&mut Folder>,
    stop: &AtomicBool,
    mut watch: impl FnMut(&Swarm),
) -> Result<Ended, FolderError> {
    let mut mark = Instant::now();
    while !swarm.is_done() {
        let generation = swarm.step();
        swarm.spend(mark.elapsed().as_secs_f64());
        mark = Instant::now();
        if let Some(folder) = &mut folder {
            folder.keep(swarm.state(), &generation)?;
        }
        watch(swarm);
        if stop.load(Ordering::Relaxed) {
            return Ok(Ended::Stopped);
        }
    }
    Ok(Ended::Whole)
}

//! Conclusion of a trial.

use super::Disk;
use super::place::{BaseVersions, SlotStore};
use super::state::{Candidate, Phase};
use super::table::{Event, next};
use crate::health::Verdict;
use std::io::Result;

/// Version on trial, if any.
///
/// # Errors
/// The disk cannot be read.
pub fn on_trial(disk: &mut impl Disk, here: &BaseVersions) -> Result<Option<Candidate>> {
    let place = SlotStore::read(disk, here)?;
    Ok(place.state.candidate.filter(|_| place.state.phase == Phase::Trial))
}

/// Component that must be restarted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// No component needs a restart.
    No,
    /// The robot's program.
    Program,
    /// The board.
    Board,
}

/// Keeps the version that was on trial, or reverts. Returns the component to restart so that the right version runs.
/// A verdict on a version that is no longer on trial has no effect.
///
/// # Errors
/// Errors of the disk. A version that could not be kept is still on trial; a version that could not be reverted does
/// not run.
pub fn conclude_trial(
    disk: &mut impl Disk,
    here: &BaseVersions,
    judged: &Candidate,
    verdict: Verdict,
) -> Result<Restart> {
    let mut place = SlotStore::read(disk, here)?;
    let same = place.state.candidate.as_ref().is_some_and(|now| now.slot == judged.slot && now.sha256 == judged.sha256);
    if place.state.phase != Phase::Trial || !same {
        return Ok(Restart::No);
    }
    match verdict {
        Verdict::Healthy => {
            if judged.slot.is_root() {
                place.commit_root(judged.slot)?;
            }
            if let Some(state) = next(&place.state, Event::Healthy) {
                place.write_state(state)?;
            }
            place.clean();
            Ok(Restart::No)
        }
        Verdict::Unhealthy(why) => {
            let noted = match next(&place.state, Event::Unhealthy(why)) {
                Some(state) => place.write_state(state),
                None => Ok(()),
            };
            // Reverts even if there is no space to store the verdict. The next start is counted and has the same
            // result.
            place.revert()?;
            noted?;
            if let Some(state) = next(&place.state, Event::Back) {
                place.write_state(state)?;
            }
            place.clean();
            Ok(if place.wants_boot() { Restart::Board } else { Restart::Program })
        }
    }
}

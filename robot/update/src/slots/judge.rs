//! Conclusion of the trial of a new version: the version is kept or reverted.

use super::Disk;
use super::place::{BaseVersions, SlotStore};
use super::state::{Candidate, Phase};
use super::table::{Event, next};
use crate::health::Verdict;
use std::io::Result;

/// Returns the version on trial; `None` if no trial is in progress.
///
/// # Errors
/// The disk cannot be read.
pub fn on_trial(disk: &mut impl Disk, here: &BaseVersions) -> Result<Option<Candidate>> {
    let place = SlotStore::read(disk, here)?;
    Ok(place.state.candidate.filter(|_| place.state.phase == Phase::Trial))
}

/// Component that must be restarted after a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Restart {
    /// No component needs a restart.
    No,
    /// The robot's program.
    Program,
    /// The board.
    Board,
}

/// Keeps the version `judged` if it is healthy, and otherwise reverts to the previous version. Returns the component
/// to restart. A verdict on a version that is no longer on trial has no effect.
///
/// # Errors
/// The disk cannot be read or written. If a healthy version could not be stored as current, it is still on trial.
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
            // The previous version is restored even if there is no space to store the verdict. If the verdict is not
            // stored, the next start continues the trial, until the starts of the trial are used up.
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

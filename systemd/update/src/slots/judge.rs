//! What becomes of a trial.

use super::Disk;
use super::place::Place;
use super::state::{Candidate, Phase};
use super::table::{Event, next};
use crate::health::Verdict;
use crate::release::Release;
use std::io::Result;

/// What is on trial; none if nothing is.
///
/// # Errors
/// The disk cannot be read.
pub fn on_trial(disk: &mut impl Disk, packaged: &Release) -> Result<Option<Candidate>> {
    let place = Place::read(disk, packaged)?;
    Ok(place.state.candidate.filter(|_| place.state.phase == Phase::Trial))
}

/// Keeps a version that was on trial, or goes back. True if the robot's program is to be started again, because another version
/// is to run. Whoever judged a version that is no longer on trial changes nothing.
///
/// # Errors
/// What the disk says. A version that could not be kept is still on trial; one that could not be given up does not run.
pub fn settle(disk: &mut impl Disk, packaged: &Release, judged: &Candidate, verdict: Verdict) -> Result<bool> {
    let mut place = Place::read(disk, packaged)?;
    let same = place.state.candidate.as_ref().is_some_and(|now| now.slot == judged.slot && now.sha256 == judged.sha256);
    if place.state.phase != Phase::Trial || !same {
        return Ok(false);
    }
    match verdict {
        Verdict::Healthy => {
            if let Some(state) = next(&place.state, Event::Healthy) {
                place.keep(state)?;
            }
            place.clean();
            Ok(false)
        }
        Verdict::Unhealthy(why) => {
            let noted = match next(&place.state, Event::Unhealthy(why)) {
                Some(state) => place.keep(state),
                None => Ok(()),
            };
            // Also if there is no room to note it: the next start counts, and ends in the same.
            place.go_back()?;
            noted?;
            if let Some(state) = next(&place.state, Event::Back) {
                place.keep(state)?;
            }
            place.clean();
            Ok(true)
        }
    }
}

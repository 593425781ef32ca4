//! Steps of the update slots before each start of the robot's program.

use super::place::{BaseVersions, SlotStore, complete_release};
use super::state::{Candidate, Phase, State, Target};
use super::table::{Event, next};
use super::{Disk, INCOMING, READY, STARTS, TrialResult};
use std::io::Result;

/// Result of the steps before a start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Boot {
    /// Target of the link `current`, which is the version to run.
    pub runs: Target,
    /// Number of starts that are left after this one, if the version is on trial.
    pub starts_left: Option<u8>,
    /// Whether the board must be rebooted, because the other root must run.
    pub reboot: bool,
    /// Messages for the log.
    pub lines: Vec<String>,
}

/// Prepares a start of the robot's program. Counts the start of a version on trial, and reverts if no starts are left.
/// Sets the link `current` to the version to run.
///
/// # Errors
/// The disk accepts neither a new state nor the return to the previous version.
pub fn boot(disk: &mut impl Disk, here: &BaseVersions) -> Result<Boot> {
    let mut place = SlotStore::read(disk, here)?;
    let mut lines = std::mem::take(&mut place.repaired);
    if let Err(error) = step(&mut place, &mut lines) {
        lines.push(format!("cannot record the start: {error}; freeing space and retrying"));
        place.clean();
        if let Err(error) = step(&mut place, &mut lines) {
            // A start of the version on trial must be counted. If the count cannot be written, the previous version
            // runs.
            lines.push(format!("cannot record the start: {error}; running the previous version"));
            place.revert()?;
        }
    }
    let runs = place.points_at().unwrap_or(Target::Packaged);
    let trial = place.state.candidate.as_ref().filter(|_| place.state.phase == Phase::Trial);
    let starts_left = trial.filter(|candidate| Target::from(candidate.slot) == runs).map(|c| c.starts_left);
    Ok(Boot { runs, starts_left, reboot: place.wants_boot(), lines })
}

fn step(place: &mut SlotStore<'_, impl Disk>, lines: &mut Vec<String>) -> Result<()> {
    if let Some(candidate) = place.state.candidate.clone().filter(|_| place.state.phase == Phase::Trial) {
        if waits_for_boot(place, &candidate) {
            lines.push(format!("version {} is tried at the next boot", candidate.release.version));
            return place.apply_targets();
        }
        if let Some(why) = trouble(place, &candidate)
            && let Some(state) = next(&place.state, Event::Unhealthy(why))
        {
            place.write_state(state)?;
        }
    }
    if matches!(place.state.phase, Phase::Trial | Phase::Reverting) {
        // Removes the bundle of the version on trial if an earlier removal failed, so that it is not installed again.
        place.disk.remove(READY)?;
        let _ = place.disk.sync_folder(INCOMING);
    }
    if !matches!(place.state.phase, Phase::Settled | Phase::Reverting)
        && let Some(state) = next(&place.state, Event::Start)
    {
        let before = place.state.phase;
        place.write_state(state)?;
        lines.push(describe_transition(before, &place.state));
    }
    if place.state.phase == Phase::Reverting {
        place.revert()?;
        if let Some(state) = next(&place.state, Event::Back) {
            place.write_state(state)?;
        }
        lines.push(describe_transition(Phase::Reverting, &place.state));
    }
    if place.state.phase == Phase::Settled {
        place.apply_targets()?;
        // While the rejected root still runs, its release must not be recorded as the highest healthy release.
        if !place.wants_boot() {
            settle(place, lines)?;
        }
    }
    place.apply_targets()
}

/// Returns whether the trial of a new root is not yet registered for the next boot. This happens if the power failed
/// before the registration.
fn waits_for_boot(place: &SlotStore<'_, impl Disk>, candidate: &Candidate) -> bool {
    let (slot, never) = (candidate.slot, candidate.starts_left == candidate.slot.starts());
    slot.is_root() && never && place.roots.is_some_and(|roots| roots.trial.is_none() && roots.current != slot)
}

/// Returns the reason why the version on trial cannot run; `None` if it can run.
fn trouble(place: &SlotStore<'_, impl Disk>, candidate: &Candidate) -> Option<String> {
    if candidate.slot.is_root() {
        if place.here.root != Some(candidate.slot) {
            let left = place.roots.map_or(0, |roots| roots.starts);
            return Some(match left {
                0 => format!("its root was booted {STARTS} times and did not become healthy"),
                _ => "its boot could not be counted; perhaps the card is full".into(),
            });
        }
        return (place.here.packaged != candidate.release).then(|| "its root contains another release".into());
    }
    (complete_release(place.disk, candidate.slot).as_ref() != Some(&candidate.release))
        .then(|| "its slot is damaged".into())
}

/// Returns to the packaged version if it is newer than the version in the current slot, or if that slot is damaged.
fn settle(place: &mut SlotStore<'_, impl Disk>, lines: &mut Vec<String>) -> Result<()> {
    let packaged = &place.here.packaged;
    let Some(slot) = place.state.current.slot() else {
        if packaged.counter > place.state.good.counter {
            let state = State { good: packaged.clone(), ..place.state.clone() };
            place.write_state(state)?;
        }
        return Ok(());
    };
    let found = complete_release(place.disk, slot);
    let slot = slot.folder();
    let why = match found {
        None => format!("slot {slot} is damaged; the packaged version {} runs", packaged.version),
        Some(_) if packaged.counter > place.state.good.counter => {
            format!("the packaged version {} is newer than slot {slot}; the packaged version runs", packaged.version)
        }
        Some(_) => return Ok(()),
    };
    lines.push(why);
    let good = if packaged.counter > place.state.good.counter { packaged.clone() } else { place.state.good.clone() };
    place.write_state(State { current: Target::Packaged, good, ..place.state.clone() })
}

fn describe_transition(before: Phase, now: &State) -> String {
    let last = now.last.as_ref().filter(|last| last.result == TrialResult::Reverted);
    match (before, now.phase, &now.candidate, last) {
        (Phase::Unpacking | Phase::Unpacked, ..) => "an installation was interrupted; it starts again".into(),
        (_, Phase::Trial, Some(candidate), _) => {
            let release = &candidate.release;
            format!(
                "version {} is on trial; it has {} more starts after this one",
                release.version, candidate.starts_left
            )
        }
        (_, Phase::Reverting, Some(candidate), _) => {
            format!("version {} failed its trial: {}", candidate.release.version, candidate.why)
        }
        (.., Some(last)) => format!("the version before {} runs again: {}", last.release.version, last.why),
        _ => "nothing is on trial".into(),
    }
}

//! Allowed transitions of the slots, as a table: in a phase, an event leads to another phase. The table also
//! describes, as text for readers, which data must be on the disk before the phase changes and the target of
//! `current`; the shell's tests check both.

use super::state::{Candidate, Outcome, Phase, Result, State, line};
use crate::release::Release;

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A bundle was verified and will be unpacked for this candidate.
    Bundle(Candidate),
    /// The slot is filled and completely synchronised.
    Filled,
    /// The bundle cannot be installed, with the reason.
    Failed(String),
    /// The trial begins.
    Try,
    /// The robot's program is about to start.
    Start,
    /// The candidate was found healthy.
    Healthy,
    /// The candidate was found unhealthy, with the reason.
    Unhealthy(String),
    /// `current` points to the version before the candidate again.
    Back,
}

/// Events without their data, for the table; a start is divided by whether the trial has starts left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "as the events")]
pub enum When {
    Bundle,
    Filled,
    Failed,
    Try,
    Start,
    LastStartUsed,
    Healthy,
    Unhealthy,
    Back,
}

/// A row: the phase, the event, the steps before the new phase is written, and the new phase.
pub type Row = (Phase, When, &'static str, Phase);

/// All allowed transitions. Any other event has no effect.
pub const TABLE: [Row; 15] = {
    use Phase::*;
    [
        (Settled, When::Bundle, "the payload is verified and in a file of root's", Unpacking),
        (Settled, When::Failed, "nothing", Settled),
        (Settled, When::Start, "nothing", Settled),
        (Unpacking, When::Filled, "every file and folder of the slot is written and on the disk", Unpacked),
        (Unpacking, When::Failed, "nothing", Settled),
        (Unpacking, When::Start, "nothing; the bundle is taken again", Settled),
        (Unpacked, When::Try, "the link for the way back is on the disk", Trial),
        (Unpacked, When::Failed, "nothing", Settled),
        (Unpacked, When::Start, "nothing; the bundle is taken again", Settled),
        (Trial, When::Start, "nothing; one start fewer is left, then `current` points at the candidate", Trial),
        (Trial, When::LastStartUsed, "nothing", Reverting),
        (Trial, When::Healthy, "nothing; the counter rises to the candidate's", Settled),
        (Trial, When::Unhealthy, "nothing", Reverting),
        (Reverting, When::Start, "`current` points at the version before", Settled),
        (Reverting, When::Back, "`current` points at the version before", Settled),
    ]
};

fn when(state: &State, event: &Event) -> When {
    let none_left = state.candidate.as_ref().is_some_and(|candidate| candidate.starts_left == 0);
    match event {
        Event::Bundle(_) => When::Bundle,
        Event::Filled => When::Filled,
        Event::Failed(_) => When::Failed,
        Event::Try => When::Try,
        Event::Start if state.phase == Phase::Trial && none_left => When::LastStartUsed,
        Event::Start => When::Start,
        Event::Healthy => When::Healthy,
        Event::Unhealthy(_) => When::Unhealthy,
        Event::Back => When::Back,
    }
}

/// State after an event; `None` if the event is not allowed now.
pub fn next(state: &State, event: Event) -> Option<State> {
    let when = when(state, &event);
    let (.., phase) = *TABLE.iter().find(|row| row.0 == state.phase && row.1 == when)?;
    let mut next = State { phase, ..state.clone() };
    let outcome = |result, why: &str| {
        let candidate = state.candidate.as_ref();
        let release = candidate.map_or(Release::default(), |candidate| candidate.release.clone());
        let sha256 = candidate.map_or(String::new(), |candidate| candidate.sha256.clone());
        Some(Outcome { release, sha256, result, why: line(why) })
    };
    let give_up = |next: &mut State, why: &str| {
        if let Some(candidate) = &mut next.candidate {
            candidate.why = line(why);
        }
    };
    match (event, phase) {
        (Event::Bundle(candidate), _) => next.candidate = Some(candidate),
        (Event::Try, _) => {
            let candidate = next.candidate.as_mut()?;
            candidate.starts_left = candidate.slot.starts();
        }
        (Event::Start, Phase::Trial) => next.candidate.as_mut()?.starts_left -= 1,
        (Event::Start, Phase::Reverting) => {
            let starts = state.candidate.as_ref()?.slot.starts();
            give_up(&mut next, &format!("{starts} starts did not make it well"));
        }
        (Event::Unhealthy(why), _) => give_up(&mut next, &why),
        (Event::Failed(why), _) => next.last = outcome(Result::Refused, &why),
        (Event::Healthy, _) => {
            let candidate = next.candidate.as_ref()?;
            next.current = candidate.slot.into();
            if candidate.release.counter >= next.good.counter {
                next.good = candidate.release.clone();
            }
            next.last = outcome(Result::Good, "");
        }
        (Event::Start | Event::Back, Phase::Settled) if state.phase == Phase::Reverting => {
            let why = state.candidate.as_ref().map_or("", |candidate| &candidate.why);
            next.last = outcome(Result::Reverted, why);
        }
        _ => {}
    }
    if phase == Phase::Settled {
        next.candidate = None;
    }
    Some(next)
}

/// The table in the format of docs/update.md.
pub fn page() -> String {
    let mut text = String::from("| phase | event | on the disk before | next phase |\n|---|---|---|---|\n");
    for (from, when, before, to) in TABLE {
        text += &format!("| {from:?} | {when:?} | {before} | {to:?} |\n");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::STARTS;
    use super::super::state::{Slot, Target};
    use super::*;

    fn in_phase(phase: Phase, starts_left: u8) -> State {
        let release = Release { version: "2".into(), counter: 2 };
        let candidate = Candidate { slot: Slot::A, release, sha256: "d".into(), starts_left, why: String::new() };
        let good = Release { version: "1".into(), counter: 1 };
        let candidate = (phase != Phase::Settled).then_some(candidate);
        State { phase, current: Target::B, good, candidate, last: None }
    }

    #[test]
    fn every_pair_of_phase_and_event_is_decided_and_leaves_a_sound_state() {
        let candidate = in_phase(Phase::Trial, 2).candidate.unwrap();
        let events = [
            Event::Bundle(candidate),
            Event::Filled,
            Event::Failed("no".into()),
            Event::Try,
            Event::Start,
            Event::Healthy,
            Event::Unhealthy("no".into()),
            Event::Back,
        ];
        let mut rows = Vec::new();
        for phase in [Phase::Settled, Phase::Unpacking, Phase::Unpacked, Phase::Trial, Phase::Reverting] {
            for starts_left in 0..=STARTS {
                let state = in_phase(phase, starts_left);
                assert_eq!(State::parse(&state.to_text()).unwrap(), state);
                for event in events.clone() {
                    let happened = when(&state, &event);
                    let Some(next) = next(&state, event) else { continue };
                    assert_eq!(State::parse(&next.to_text()).unwrap(), next, "{phase:?} {happened:?}");
                    assert!(next.good.counter >= state.good.counter);
                    // The version that runs is unchanged, or an unpacked candidate, or a candidate on trial.
                    let may = match (phase, happened) {
                        (Phase::Unpacked, When::Try) | (Phase::Trial, When::Start | When::Healthy) => Target::A,
                        _ => Target::B,
                    };
                    assert_eq!(next.runs(), may, "{phase:?} {happened:?}");
                    if !rows.contains(&(phase, happened)) {
                        rows.push((phase, happened));
                    }
                }
            }
        }
        assert_eq!(rows.len(), TABLE.len(), "a row that nothing reaches, or two for one pair: {rows:?}");
    }

    #[test]
    fn the_page_has_this_table() {
        let page = include_str!("../../../../docs/update.md");
        assert!(page.contains(&super::page()), "docs/update.md is to have this:\n{}", super::page());
    }

    #[test]
    fn a_state_that_contradicts_itself_is_damaged() {
        let good = in_phase(Phase::Trial, 2);
        let damaged = |state: State| assert!(State::parse(&state.to_text()).is_err(), "{state:?}");
        damaged(State { candidate: None, ..good.clone() });
        damaged(State { phase: Phase::Settled, ..good.clone() });
        damaged(State { current: Target::A, ..good });
        damaged(in_phase(Phase::Trial, STARTS + 1));
        assert!(State::parse("").is_err());
    }
}

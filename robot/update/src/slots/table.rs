//! Table of the allowed transitions between the phases of an update. Each row has a phase, an event, and the phase to
//! which the event leads. As documentation, each row also describes the data that must be on the disk before the phase
//! changes.

use super::state::{Candidate, Outcome, Phase, Result, State, line};
use crate::release::Release;

/// Event that may change the phase of an update.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// A bundle was verified; its version, the candidate, will be unpacked.
    Bundle(Candidate),
    /// All files of the candidate's slot are written and synchronised.
    Filled,
    /// The bundle cannot be installed; the text is the reason.
    Failed(String),
    /// The trial of the candidate begins.
    Try,
    /// The robot's program is about to start.
    Start,
    /// The candidate was found healthy.
    Healthy,
    /// The candidate was found unhealthy; the text is the reason.
    Unhealthy(String),
    /// The previous version was restored as the target of the link `current`.
    Back,
}

/// Kind of an [`Event`], without its data. [`Event::Start`] has two kinds: `LastStartUsed` during a trial without
/// remaining starts, and `Start` otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "as the events")]
pub enum EventKind {
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

/// Row of the table: the phase, the event, the data that must be on the disk before the phase changes, and the new
/// phase.
pub type Row = (Phase, EventKind, &'static str, Phase);

/// All allowed transitions. Any other event has no effect.
pub const TABLE: [Row; 15] = {
    use Phase::*;
    [
        (Settled, EventKind::Bundle, "the payload is verified and in a file owned by root", Unpacking),
        (Settled, EventKind::Failed, "nothing", Settled),
        (Settled, EventKind::Start, "nothing", Settled),
        (Unpacking, EventKind::Filled, "every file and folder of the slot is written and on the disk", Unpacked),
        (Unpacking, EventKind::Failed, "nothing", Settled),
        (Unpacking, EventKind::Start, "nothing; the bundle is installed again", Settled),
        (Unpacked, EventKind::Try, "the link for the return to the previous version is on the disk", Trial),
        (Unpacked, EventKind::Failed, "nothing", Settled),
        (Unpacked, EventKind::Start, "nothing; the bundle is installed again", Settled),
        (Trial, EventKind::Start, "nothing; one start fewer is left, then `current` points at the candidate", Trial),
        (Trial, EventKind::LastStartUsed, "nothing", Reverting),
        (Trial, EventKind::Healthy, "nothing; the counter rises to the candidate's", Settled),
        (Trial, EventKind::Unhealthy, "nothing", Reverting),
        (Reverting, EventKind::Start, "`current` points at the previous version", Settled),
        (Reverting, EventKind::Back, "`current` points at the previous version", Settled),
    ]
};

fn when(state: &State, event: &Event) -> EventKind {
    let none_left = state.candidate.as_ref().is_some_and(|candidate| candidate.starts_left == 0);
    match event {
        Event::Bundle(_) => EventKind::Bundle,
        Event::Filled => EventKind::Filled,
        Event::Failed(_) => EventKind::Failed,
        Event::Try => EventKind::Try,
        Event::Start if state.phase == Phase::Trial && none_left => EventKind::LastStartUsed,
        Event::Start => EventKind::Start,
        Event::Healthy => EventKind::Healthy,
        Event::Unhealthy(_) => EventKind::Unhealthy,
        Event::Back => EventKind::Back,
    }
}

/// Returns the state after an event; `None` if the event is not allowed in the current phase.
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
            give_up(&mut next, &format!("it did not become healthy in {starts} starts"));
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

/// Returns the table as Markdown, as in docs/update.md.
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
    fn every_transition_leaves_a_valid_state() {
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
                    // The candidate must run after a transition into or within a trial, and after a healthy verdict.
                    // After all other transitions, the previous version must run.
                    let may = match (phase, happened) {
                        (Phase::Unpacked, EventKind::Try) | (Phase::Trial, EventKind::Start | EventKind::Healthy) => {
                            Target::A
                        }
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
    fn update_page_contains_table() {
        let page = include_str!("../../../../docs/update.md");
        assert!(page.contains(&super::page()), "docs/update.md is to have this:\n{}", super::page());
    }

    #[test]
    fn contradictory_state_is_rejected() {
        let good = in_phase(Phase::Trial, 2);
        let damaged = |state: State| assert!(State::parse(&state.to_text()).is_err(), "{state:?}");
        damaged(State { candidate: None, ..good.clone() });
        damaged(State { phase: Phase::Settled, ..good.clone() });
        damaged(State { current: Target::A, ..good });
        damaged(in_phase(Phase::Trial, STARTS + 1));
        assert!(State::parse("").is_err());
    }
}

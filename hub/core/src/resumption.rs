//! Decision whether a restarted hub resumes the run of an earlier hub. It depends on saved states and on the
//! testimonies of the robots. A testimony reports the last order that a robot has received. Robots must not resume a
//! run that was stopped or paused, but the disk may have failed to store the STOP or PAUSE. A run is therefore resumed
//! only if the robots confirm that it was meant to continue. The count of STOPs shows whether a STOP was given after a
//! state was saved, because clocks may be wrong. A wrong clock may prevent a resumption, but never causes one.

use std::time::Duration;
use xpuck_wire::state::State;
use xpuck_wire::witness::{LastDirectiveReport, ObeyedDirective};

/// Maximum age of the last saved state of a run that is resumed.
pub const RETURN_WITHIN: Duration = Duration::from_secs(60);
/// Maximum time by which the time of a saved state may lie in the future, because clocks are often adjusted slightly.
/// A greater difference means that the clock was set back.
const AHEAD: Duration = Duration::from_secs(5);

/// Saved state of a run, which may be resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Whether the run had ended.
    pub over: bool,
    /// Whether the run has the robots of the current swarm.
    pub same_swarm: bool,
    /// Count of STOPs in the saved state.
    pub stops: u64,
    /// Number of the last directive in the saved state.
    pub directive: u64,
    /// Time at which the state was saved (ms since 1970).
    pub written: u64,
}

/// Decision about an unfinished run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decision {
    /// Ask the robots whether the run may continue. The duration is the age of its saved state.
    Ask(Duration),
    /// Close the run.
    Close(Reason),
    /// Leave the run unchanged.
    Leave(Reason),
}

/// Reason for closing or leaving a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The run had ended.
    Over,
    /// A STOP was given after the run's state was saved.
    Stopped,
    /// The run belongs to another swarm.
    OtherSwarm,
    /// The run's saved state is too old.
    Old,
    /// The run's saved state has a time in the future.
    Future,
    /// Another run was started later.
    Later,
    /// The run's state or the count of STOPs cannot be read.
    Unknown,
}

/// Decides about each run. `stops` is the greatest count of STOPs on the hub's disk, and `now` is the current time (ms
/// since 1970). The robots are asked about at most one run. It is the run with the greatest count of STOPs and, among
/// runs with equal counts, the greatest directive number.
pub fn decide(candidates: &[Candidate], stops: u64, now: u64) -> Vec<Decision> {
    let stops = candidates.iter().filter(|run| run.same_swarm).map(|run| run.stops).fold(stops, u64::max);
    let mut fates: Vec<Decision> = candidates.iter().map(|run| fate(run, stops, now)).collect();
    let asked = |i: &usize| matches!(fates[*i], Decision::Ask(_));
    let last = (0..fates.len()).filter(asked).max_by_key(|i| (candidates[*i].stops, candidates[*i].directive));
    for (i, fate) in fates.iter_mut().enumerate() {
        if matches!(fate, Decision::Ask(_)) && Some(i) != last {
            *fate = Decision::Close(Reason::Later);
        }
    }
    fates
}

fn fate(run: &Candidate, stops: u64, now: u64) -> Decision {
    let between = Duration::from_millis(now.abs_diff(run.written));
    let ahead = run.written > now;
    match run {
        Candidate { over: true, .. } => Decision::Close(Reason::Over),
        Candidate { same_swarm: true, stops: known, .. } if *known < stops => Decision::Close(Reason::Stopped),
        _ if ahead && between > AHEAD => Decision::Leave(Reason::Future),
        _ if !ahead && between > RETURN_WITHIN => Decision::Close(Reason::Old),
        Candidate { same_swarm: false, .. } => Decision::Leave(Reason::OtherSwarm),
        _ if ahead => Decision::Ask(Duration::ZERO),
        _ => Decision::Ask(between),
    }
}

/// State of a run that robots must confirm before it continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Number of the run.
    pub run: u64,
    /// State to which the robots were ordered.
    pub state: State,
    /// Number of the first directive that ordered this state.
    pub since: u64,
    /// Number of the last directive that ordered this state.
    pub last: u64,
    /// Count of STOPs at the time at which the state was saved.
    pub stops: u64,
    /// Robots that were connected and not held. All of them must confirm the claim.
    pub alive: Vec<String>,
}

/// Verdict about a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The robots confirm the claim, and the run continues.
    Resume,
    /// The listed robots have not answered yet.
    Wait(Vec<String>),
    /// The robots stand still until an operator gives RESUME. The text is the reason.
    Stand(String),
    /// The run is over. The text is the reason.
    Over(String),
}

/// Evaluates a claim. `robots` contains each robot of the swarm with its testimony, or with `None` if it has not
/// answered yet. `stops` is the count of STOPs known to the hub.
pub fn evaluate<'a>(
    claim: &Claim,
    stops: u64,
    robots: impl Iterator<Item = (&'a str, Option<&'a LastDirectiveReport>)>,
) -> Verdict {
    let (mut missing, mut against) = (claim.alive.clone(), None);
    if stops > claim.stops {
        return Verdict::Over("STOP was given later".into());
    }
    for (id, witness) in robots {
        let Some(witness) = witness else { continue };
        if witness.told.as_ref().is_some_and(|told| told.stops > claim.stops) {
            return Verdict::Over(format!("robot {id} received a later STOP"));
        }
        if claim.alive.iter().any(|alive| alive == id) {
            missing.retain(|name| name != id);
            against = against.or_else(|| doubt(claim, witness).map(|why| format!("robot {id} {why}")));
        }
    }
    match against {
        _ if !missing.is_empty() => Verdict::Wait(missing),
        Some(why) => Verdict::Stand(why),
        None => Verdict::Resume,
    }
}

/// Returns the reason why a robot's testimony does not confirm the claim, or `None` if the testimony confirms it.
fn doubt(claim: &Claim, witness: &LastDirectiveReport) -> Option<String> {
    let silent = witness.silent_s.filter(|silent| *silent > RETURN_WITHIN.as_secs_f64());
    let Some(told) = &witness.told else {
        return Some("does not know its last order (it has restarted)".into());
    };
    let ObeyedDirective { directive, state, run, .. } = *told;
    let same = (claim.since..=claim.last).contains(&directive) && state == claim.state;
    // If the robot knows a later directive than the last one in the saved state, a later state was not stored. In this
    // case only RUN confirms the claim.
    let later = directive > claim.last && state == State::Run;
    if run != claim.run {
        Some("has received an order for another run".into())
    } else if told.held {
        None
    } else if !same && !later {
        Some(format!("received {} last", name(state)))
    } else {
        silent.map(|s| format!("has not heard a hub for {s:.0} s, but the run's state seems newer: a clock is wrong"))
    }
}

/// Returns the name of a state for operators.
fn name(state: State) -> &'static str {
    match state {
        State::Idle => "nothing",
        State::Ready => "READY",
        State::Run => "RUN",
        State::Pause => "PAUSE",
        State::Stop => "STOP",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RUN: Candidate = Candidate { over: false, same_swarm: true, stops: 2, directive: 9, written: 1_000_000_000 };

    fn fate_of(run: Candidate, stops: u64, now: u64) -> Decision {
        decide(&[run], stops, now)[0]
    }

    #[test]
    fn clocks_forbid_and_counts_decide() {
        let now = RUN.written;
        assert_eq!(fate_of(RUN, 2, now + 60_000), Decision::Ask(RETURN_WITHIN));
        assert_eq!(fate_of(RUN, 2, now + 60_001), Decision::Close(Reason::Old));
        assert_eq!(fate_of(RUN, 2, now - 5_000), Decision::Ask(Duration::ZERO));
        assert_eq!(fate_of(RUN, 2, now - 5_001), Decision::Leave(Reason::Future));
        assert_eq!(fate_of(RUN, 2, 0), Decision::Leave(Reason::Future));
        for now in [0, now, u64::MAX] {
            assert_eq!(fate_of(RUN, 3, now), Decision::Close(Reason::Stopped), "whatever the clock shows");
        }
        assert_eq!(fate_of(Candidate { over: true, ..RUN }, 2, now), Decision::Close(Reason::Over));
        let other = Candidate { same_swarm: false, stops: 9, ..RUN };
        assert_eq!(fate_of(other, 20, now), Decision::Leave(Reason::OtherSwarm));
        assert_eq!(decide(&[other, RUN], 2, now)[1], Decision::Ask(Duration::ZERO), "its STOPs are not this swarm's");
        // The state of the second run contains more STOPs than the count on the disk and the state of the first run.
        // The first run has a later timestamp, because the clock was set back between the runs.
        let earlier = Candidate { written: now + 3_000, ..RUN };
        let fates = decide(&[earlier, Candidate { stops: 3, ..RUN }], 0, now);
        assert_eq!(fates, [Decision::Close(Reason::Stopped), Decision::Ask(Duration::ZERO)]);
        let fates = decide(&[Candidate { directive: 10, ..RUN }, earlier], 0, now);
        assert_eq!(fates, [Decision::Ask(Duration::ZERO), Decision::Close(Reason::Later)]);
    }

    fn claim(state: State) -> Claim {
        Claim { run: 5, state, since: 7, last: 9, stops: 2, alive: vec!["a".into(), "b".into()] }
    }

    fn last_report(directive: u64, state: State) -> LastDirectiveReport {
        let told = ObeyedDirective { directive, state, run: 5, held: false, stops: 2 };
        LastDirectiveReport { told: Some(told), silent_s: Some(2.0) }
    }

    /// Returns the verdict if robot a confirms the claim and robot b gives the testimony `other`.
    fn with(claim: &Claim, other: Option<&LastDirectiveReport>) -> Verdict {
        let run = last_report(9, claim.state);
        evaluate(claim, 2, [("a", Some(&run)), ("b", other)].into_iter())
    }

    fn stands(claim: &Claim, other: &LastDirectiveReport, word: &str) {
        let verdict = with(claim, Some(other));
        assert!(
            matches!(&verdict, Verdict::Stand(why) if why.contains("robot b") && why.contains(word)),
            "{verdict:?}"
        );
    }

    #[test]
    fn run_resumes_only_if_every_robot_reports_run() {
        let run = claim(State::Run);
        assert_eq!(with(&run, Some(&last_report(9, State::Run))), Verdict::Resume);
        assert_eq!(with(&run, Some(&last_report(12, State::Run))), Verdict::Resume);
        assert_eq!(with(&run, None), Verdict::Wait(vec!["b".into()]));
        assert_eq!(with(&run, Some(&last_report(7, State::Run))), Verdict::Resume);
        stands(&run, &last_report(6, State::Run), "RUN");
        stands(&run, &last_report(8, State::Pause), "PAUSE");
        stands(&run, &last_report(10, State::Pause), "PAUSE");
        stands(&run, &last_report(10, State::Stop), "STOP");
        stands(&run, &LastDirectiveReport { told: None, silent_s: Some(1.0) }, "it has restarted");
        stands(&run, &LastDirectiveReport { silent_s: Some(61.0), ..last_report(9, State::Run) }, "clock");
        assert_eq!(
            with(&run, Some(&LastDirectiveReport { silent_s: None, ..last_report(9, State::Run) })),
            Verdict::Resume
        );
        let of = |change: fn(&mut ObeyedDirective)| {
            let mut witness = last_report(10, State::Run);
            witness.told.iter_mut().for_each(change);
            witness
        };
        stands(&run, &of(|told| told.run = 6), "another run");
        // A held robot stands still in any case, so its last state does not matter.
        assert_eq!(with(&run, Some(&of(|told| (told.held, told.state) = (true, State::Stop)))), Verdict::Resume);
    }

    #[test]
    fn paused_run_resumes_only_with_its_own_directive() {
        let relocates = claim(State::Pause);
        assert_eq!(with(&relocates, Some(&last_report(9, State::Pause))), Verdict::Resume);
        // A PAUSE by an operator differs only in its number from the PAUSE that the hub gives for a relocation.
        stands(&relocates, &last_report(10, State::Pause), "PAUSE");
        assert_eq!(with(&relocates, Some(&last_report(10, State::Run))), Verdict::Resume);
    }

    #[test]
    fn single_stop_ends_run_regardless_of_robot() {
        let run = claim(State::Run);
        let mut stopped = last_report(20, State::Run);
        stopped.told.iter_mut().for_each(|told| (told.stops, told.run) = (3, 0));
        for id in ["b", "c"] {
            assert!(matches!(evaluate(&run, 2, [(id, Some(&stopped))].into_iter()), Verdict::Over(_)), "{id}");
        }
        assert!(matches!(evaluate(&run, 3, [].into_iter()), Verdict::Over(_)));
    }
}

//! Whether a hub that returns goes on with a run that an earlier one left behind: candidates and witnesses in, a decision
//! out. A permission must not outlive its withdrawal, and a disk may have refused the withdrawal; so a run is taken up again
//! only on the robots' word that it was meant to go on. STOPs are ordered by their count. Clocks can only forbid.

use std::time::Duration;
use xpuck_wire::state::State;
use xpuck_wire::witness::{Testimony, Witness};

/// A hub that returns later than this leaves the run alone.
pub const RETURN_WITHIN: Duration = Duration::from_secs(60);
/// A state that was written later than now by more than this was written before the clock went back: clocks are set by a
/// little all the time.
const AHEAD: Duration = Duration::from_secs(5);

/// A run that was left behind, as its state on the disk says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// It was over.
    pub over: bool,
    /// The swarm has its robots.
    pub same_swarm: bool,
    /// Count of STOPs that it knew of.
    pub stops: u64,
    /// Number of the last directive.
    pub directive: u64,
    /// When it was written, ms since 1970.
    pub written: u64,
}

/// Decision about a run that an earlier hub left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// Robots are asked whether it may go on; its state was written so long ago.
    Ask(Duration),
    /// It is closed.
    Close(Why),
    /// It is left as it is.
    Leave(Why),
}

/// Why a run is closed or left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// It was over.
    Over,
    /// A STOP came after it.
    Stopped,
    /// It is another swarm's.
    OtherSwarm,
    /// It was left behind too long ago.
    Old,
    /// Its state was written in the future.
    Future,
    /// Another run was begun later.
    Later,
    /// There is no telling how it stood.
    Unknown,
}

/// Decides about runs that were left behind; `stops` is the greatest count of STOPs that the hub's disk knows of, and `now`
/// is ms since 1970. At most one is asked about: the last that was begun, by counts.
pub fn look_back(candidates: &[Candidate], stops: u64, now: u64) -> Vec<Fate> {
    let stops = candidates.iter().filter(|run| run.same_swarm).map(|run| run.stops).fold(stops, u64::max);
    let mut fates: Vec<Fate> = candidates.iter().map(|run| fate(run, stops, now)).collect();
    let asked = |i: &usize| matches!(fates[*i], Fate::Ask(_));
    let last = (0..fates.len()).filter(asked).max_by_key(|i| (candidates[*i].stops, candidates[*i].directive));
    for (i, fate) in fates.iter_mut().enumerate() {
        if matches!(fate, Fate::Ask(_)) && Some(i) != last {
            *fate = Fate::Close(Why::Later);
        }
    }
    fates
}

fn fate(run: &Candidate, stops: u64, now: u64) -> Fate {
    let between = Duration::from_millis(now.abs_diff(run.written));
    let ahead = run.written > now;
    match run {
        Candidate { over: true, .. } => Fate::Close(Why::Over),
        Candidate { same_swarm: true, stops: known, .. } if *known < stops => Fate::Close(Why::Stopped),
        _ if ahead && between > AHEAD => Fate::Leave(Why::Future),
        _ if !ahead && between > RETURN_WITHIN => Fate::Close(Why::Old),
        Candidate { same_swarm: false, .. } => Fate::Leave(Why::OtherSwarm),
        _ if ahead => Fate::Ask(Duration::ZERO),
        _ => Fate::Ask(between),
    }
}

/// State of a run that robots have to confirm before it continues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Its number.
    pub run: u64,
    /// The state that robots were told to be in, since which directive, and the number of the last one that said so.
    pub state: State,
    /// See `state`.
    pub since: u64,
    /// See `state`.
    pub last: u64,
    /// Count of STOPs when it was written.
    pub stops: u64,
    /// Robots that were there and not held: all of them have to bear witness.
    pub alive: Vec<String>,
}

/// Verdict of the robots on a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The run goes on.
    Resume,
    /// These have not spoken yet.
    Wait(Vec<String>),
    /// The robots stand until an operator says RESUME, and why.
    Stand(String),
    /// The run is over, and why.
    Over(String),
}

/// Judges a claim by what the robots of the swarm say, each with its id; those that have not spoken have no witness.
/// `stops` is the count of STOPs that the hub knows of.
pub fn judge<'a>(claim: &Claim, stops: u64, robots: impl Iterator<Item = (&'a str, Option<&'a Witness>)>) -> Verdict {
    let (mut missing, mut against) = (claim.alive.clone(), None);
    if stops > claim.stops {
        return Verdict::Over("STOP was said after it".into());
    }
    for (id, witness) in robots {
        let Some(witness) = witness else { continue };
        if witness.told.as_ref().is_some_and(|told| told.stops > claim.stops) {
            return Verdict::Over(format!("robot {id} was told STOP after it"));
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

/// Why a robot's word does not support the claim, if it does not.
fn doubt(claim: &Claim, witness: &Witness) -> Option<String> {
    let silent = witness.silent_s.filter(|silent| *silent > RETURN_WITHIN.as_secs_f64());
    let Some(told) = &witness.told else {
        return Some("does not know what it was told last (it was started again)".into());
    };
    let Testimony { directive, state, run, .. } = *told;
    let same = (claim.since..=claim.last).contains(&directive) && state == claim.state;
    // A later directive than the disk knows means that it refused a later state: only RUN is clear without that.
    let later = directive > claim.last && state == State::Run;
    if run != claim.run {
        Some("was told something else since".into())
    } else if told.held {
        None
    } else if !same && !later {
        Some(format!("was told {} last", name(state)))
    } else {
        silent.map(|s| format!("has heard no hub for {s:.0} s, and the run's state seems younger: a clock is wrong"))
    }
}

/// A state as operators write it.
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

    fn fate_of(run: Candidate, stops: u64, now: u64) -> Fate {
        look_back(&[run], stops, now)[0]
    }

    #[test]
    fn clocks_forbid_and_counts_decide() {
        let now = RUN.written;
        assert_eq!(fate_of(RUN, 2, now + 60_000), Fate::Ask(RETURN_WITHIN));
        assert_eq!(fate_of(RUN, 2, now + 60_001), Fate::Close(Why::Old));
        assert_eq!(fate_of(RUN, 2, now - 5_000), Fate::Ask(Duration::ZERO));
        assert_eq!(fate_of(RUN, 2, now - 5_001), Fate::Leave(Why::Future));
        assert_eq!(fate_of(RUN, 2, 0), Fate::Leave(Why::Future));
        for now in [0, now, u64::MAX] {
            assert_eq!(fate_of(RUN, 3, now), Fate::Close(Why::Stopped), "whatever the clock shows");
        }
        assert_eq!(fate_of(Candidate { over: true, ..RUN }, 2, now), Fate::Close(Why::Over));
        let other = Candidate { same_swarm: false, stops: 9, ..RUN };
        assert_eq!(fate_of(other, 20, now), Fate::Leave(Why::OtherSwarm));
        assert_eq!(look_back(&[other, RUN], 2, now)[1], Fate::Ask(Duration::ZERO), "its STOPs are not this swarm's");
        // A later run knows of more STOPs than the disk; an earlier one was written later, by a clock that went back.
        let earlier = Candidate { written: now + 3_000, ..RUN };
        let fates = look_back(&[earlier, Candidate { stops: 3, ..RUN }], 0, now);
        assert_eq!(fates, [Fate::Close(Why::Stopped), Fate::Ask(Duration::ZERO)]);
        let fates = look_back(&[Candidate { directive: 10, ..RUN }, earlier], 0, now);
        assert_eq!(fates, [Fate::Ask(Duration::ZERO), Fate::Close(Why::Later)]);
    }

    fn claim(state: State) -> Claim {
        Claim { run: 5, state, since: 7, last: 9, stops: 2, alive: vec!["a".into(), "b".into()] }
    }

    fn told(directive: u64, state: State) -> Witness {
        let told = Testimony { directive, state, run: 5, held: false, stops: 2 };
        Witness { told: Some(told), silent_s: Some(2.0) }
    }

    /// Verdict on a claim if one robot says RUN and the other this.
    fn with(claim: &Claim, other: Option<&Witness>) -> Verdict {
        let run = told(9, claim.state);
        judge(claim, 2, [("a", Some(&run)), ("b", other)].into_iter())
    }

    fn stands(claim: &Claim, other: &Witness, word: &str) {
        let verdict = with(claim, Some(other));
        assert!(
            matches!(&verdict, Verdict::Stand(why) if why.contains("robot b") && why.contains(word)),
            "{verdict:?}"
        );
    }

    #[test]
    fn every_robot_has_to_say_run() {
        let run = claim(State::Run);
        assert_eq!(with(&run, Some(&told(9, State::Run))), Verdict::Resume);
        assert_eq!(with(&run, Some(&told(12, State::Run))), Verdict::Resume);
        assert_eq!(with(&run, None), Verdict::Wait(vec!["b".into()]));
        assert_eq!(with(&run, Some(&told(7, State::Run))), Verdict::Resume);
        stands(&run, &told(6, State::Run), "RUN");
        stands(&run, &told(8, State::Pause), "PAUSE");
        stands(&run, &told(10, State::Pause), "PAUSE");
        stands(&run, &told(10, State::Stop), "STOP");
        stands(&run, &Witness { told: None, silent_s: Some(1.0) }, "started again");
        stands(&run, &Witness { silent_s: Some(61.0), ..told(9, State::Run) }, "clock");
        assert_eq!(with(&run, Some(&Witness { silent_s: None, ..told(9, State::Run) })), Verdict::Resume);
        let of = |change: fn(&mut Testimony)| {
            let mut witness = told(10, State::Run);
            witness.told.iter_mut().for_each(change);
            witness
        };
        stands(&run, &of(|told| told.run = 6), "something else");
        // Who is held stands anyway.
        assert_eq!(with(&run, Some(&of(|told| (told.held, told.state) = (true, State::Stop)))), Verdict::Resume);
    }

    #[test]
    fn a_run_that_stood_goes_on_standing_only_by_its_own_directive() {
        let relocates = claim(State::Pause);
        assert_eq!(with(&relocates, Some(&told(9, State::Pause))), Verdict::Resume);
        // An operator's PAUSE looks like the hub's own, but for its number.
        stands(&relocates, &told(10, State::Pause), "PAUSE");
        assert_eq!(with(&relocates, Some(&told(10, State::Run))), Verdict::Resume);
    }

    #[test]
    fn one_stop_ends_the_run_whoever_heard_it() {
        let run = claim(State::Run);
        let mut stopped = told(20, State::Run);
        stopped.told.iter_mut().for_each(|told| (told.stops, told.run) = (3, 0));
        for id in ["b", "c"] {
            assert!(matches!(judge(&run, 2, [(id, Some(&stopped))].into_iter()), Verdict::Over(_)), "{id}");
        }
        assert!(matches!(judge(&run, 3, [].into_iter()), Verdict::Over(_)));
    }
}

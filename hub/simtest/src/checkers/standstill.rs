//! After an acknowledged STOP, PAUSE or HOLD no wheel turns but by a later START, RESUME or RELEASE, whatever was killed,
//! whatever disks refused and clocks showed in between.

use super::Fault;
use crate::{ROBOTS, id};
use xpuck_wire::message::State;

/// A robot that cannot be reached drives on by what it was told for at most so long, ms: until the hub is silent for it, and for
/// as long as it may drive alone, with messages on their way.
const UNREACHED: u32 = 8_000;
/// What was said before is obeyed no more after so long, ms: directives expire after 3 s.
const OVERTAKEN: u32 = 3_500;
const RULE: &str = "an acknowledged STOP, PAUSE or HOLD outlives every restart";

/// Since when a robot is to stand, ms, and whether it was seen to after what was said before had expired.
#[derive(Clone, Copy, Debug)]
struct Stands {
    since: u32,
    stood: bool,
    what: &'static str,
}

/// What was acknowledged.
#[derive(Debug, Default)]
pub struct StandstillChecker {
    stopped: [Option<Stands>; ROBOTS],
    paused: [Option<Stands>; ROBOTS],
    held: [Option<Stands>; ROBOTS],
    /// Commands by which wheels may turn so far.
    permissions: u64,
    pub(super) fault: Fault,
}

fn from(since: u32, what: &'static str) -> Option<Stands> {
    Some(Stands { since, stood: false, what })
}

impl StandstillChecker {
    /// Commands by which wheels may turn so far: what is acknowledged after a later one was asked before it.
    pub fn permissions(&self) -> u64 {
        self.permissions
    }

    /// STOP is acknowledged.
    pub fn stops(&mut self, now: u32) {
        self.stopped = [from(now, "STOP"); ROBOTS];
    }

    /// PAUSE is.
    pub fn pauses(&mut self, now: u32) {
        self.paused = [from(now, "PAUSE"); ROBOTS];
    }

    /// HOLD of a robot is.
    pub fn holds(&mut self, now: u32, robot: usize) {
        self.held[robot] = from(now, "HOLD");
    }

    /// A robot is released.
    pub fn releases(&mut self, robot: usize) {
        self.permissions += 1;
        self.held[robot] = None;
    }

    /// RESUME: a run that was stopped is over all the same.
    pub fn resumes(&mut self) {
        self.permissions += 1;
        self.paused = [None; ROBOTS];
    }

    /// A run starts.
    pub fn starts(&mut self) {
        self.permissions += 1;
        (self.stopped, self.paused) = ([None; ROBOTS], [None; ROBOTS]);
    }

    /// A robot in this state has wheels that turn so fast, m/s.
    pub fn turn(&mut self, now: u32, robot: usize, state: Option<State>, wheels: [f32; 2]) {
        let still = wheels == [0.0; 2];
        let StandstillChecker { stopped, paused, held, fault, .. } = self;
        for stands in [&mut stopped[robot], &mut paused[robot], &mut held[robot]].into_iter().flatten() {
            let after = now - stands.since;
            stands.stood |= after > OVERTAKEN && still && state != Some(State::Run);
            if !still && (stands.stood || after > UNREACHED) {
                let what = format!("wheels turn at {wheels:?} m/s {after} ms after {}", stands.what);
                fault.say(now, RULE, id(robot), what);
            }
        }
    }
}

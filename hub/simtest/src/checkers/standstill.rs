//! Checker of standstill. After an acknowledged STOP, PAUSE or HOLD, wheels turn only after a later START, RESUME or
//! RELEASE. Crashes, disk faults and clock jumps must not change this.

use super::Fault;
use crate::{ROBOTS, id};
use xpuck_wire::message::State;

/// Maximum time for which an unreachable robot follows earlier directives (ms). It includes the time until the robot
/// detects the silence of the hub, the time of permitted driving without a hub, and message delays.
const MAX_UNREACHABLE_MS: u32 = 8_000;
/// Time after which robots no longer follow earlier directives (ms). Directives expire after 3 s.
const DIRECTIVE_EXPIRY_MS: u32 = 3_500;
const RULE: &str = "an acknowledged STOP, PAUSE or HOLD outlives every restart";

/// Required standstill: its start (ms), whether the robot has stood still since earlier directives expired, and the
/// acknowledged order.
#[derive(Clone, Copy, Debug)]
struct Standstill {
    since: u32,
    stood: bool,
    what: &'static str,
}

/// Checker of standstill, with the acknowledged orders for each robot.
#[derive(Debug, Default)]
pub struct StandstillChecker {
    stopped: [Option<Standstill>; ROBOTS],
    paused: [Option<Standstill>; ROBOTS],
    held: [Option<Standstill>; ROBOTS],
    /// Number of permissions, that is, of commands so far that permit motion.
    permissions: u64,
    pub(super) fault: Fault,
}

fn from(since: u32, what: &'static str) -> Option<Standstill> {
    Some(Standstill { since, stood: false, what })
}

impl StandstillChecker {
    /// Returns the number of commands so far that permit motion. If this number changes between an order and its
    /// acknowledgement, a later command has permitted motion again.
    pub fn permissions(&self) -> u64 {
        self.permissions
    }

    /// Handles the acknowledgement of a STOP.
    pub fn stops(&mut self, now: u32) {
        self.stopped = [from(now, "STOP"); ROBOTS];
    }

    /// Handles the acknowledgement of a PAUSE.
    pub fn pauses(&mut self, now: u32) {
        self.paused = [from(now, "PAUSE"); ROBOTS];
    }

    /// Handles the acknowledgement of a robot's HOLD.
    pub fn holds(&mut self, now: u32, robot: usize) {
        self.held[robot] = from(now, "HOLD");
    }

    /// Handles the release of a robot.
    pub fn releases(&mut self, robot: usize) {
        self.permissions += 1;
        self.held[robot] = None;
    }

    /// Handles the acknowledgement of a RESUME, which does not resume a stopped run.
    pub fn resumes(&mut self) {
        self.permissions += 1;
        self.paused = [None; ROBOTS];
    }

    /// Handles the start of a run.
    pub fn starts(&mut self) {
        self.permissions += 1;
        (self.stopped, self.paused) = ([None; ROBOTS], [None; ROBOTS]);
    }

    /// Checks the wheel speeds (m/s) of a robot in the given state.
    pub fn turn(&mut self, now: u32, robot: usize, state: Option<State>, wheels: [f32; 2]) {
        let still = wheels == [0.0; 2];
        let StandstillChecker { stopped, paused, held, fault, .. } = self;
        for stands in [&mut stopped[robot], &mut paused[robot], &mut held[robot]].into_iter().flatten() {
            let after = now - stands.since;
            stands.stood |= after > DIRECTIVE_EXPIRY_MS && still && state != Some(State::Run);
            if !still && (stands.stood || after > MAX_UNREACHABLE_MS) {
                let what = format!("wheels turn at {wheels:?} m/s {after} ms after {}", stands.what);
                fault.say(now, RULE, id(robot), what);
            }
        }
    }
}

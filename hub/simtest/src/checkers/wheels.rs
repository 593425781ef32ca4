//! Checker of wheels. They must stop after STOP, when the hub is silent, when the control thread hangs, and when the
//! program is dead. The time limit for a silent hub includes the time for which the robot may drive without a hub.

use super::Fault;
use crate::text::trust;
use crate::{ALONE, BODY_STEP, FORGED, ROBOTS, STEP, id};
use std::collections::BTreeMap;
use xpuck_experiment::Plan;
use xpuck_robot_core::core::HUB_SILENCE;
use xpuck_robot_core::lease::LEASE;
use xpuck_wire::message::{Directive, RobotMessage, State, ToRobot};
use xpuck_wire::seal::Sealed;
use xpuck_wire::settings::Answer;

/// Maximum delay from a command to the wheels (ms): an exchange with the body and a simulation step.
pub const SLACK: u32 = BODY_STEP + STEP;
/// Silence of the hub after which control updates stop the wheels (ms), with a margin for clock drift.
pub const SILENCE: u32 = (HUB_SILENCE * 1000.0) as u32 + 1;
/// Silence of the hub after which wheels must have stopped (ms). It includes the 100 ms between two control updates.
pub const SILENT: u32 = SILENCE + 100 + SLACK;
/// Time without a control update after which wheels must have stopped (ms).
pub const HUNG: u32 = LEASE.as_millis() as u32 + SLACK;
/// Time without a running program after which wheels must have stopped (ms). The time-out of the dsPIC stops them.
pub const DEAD: u32 = 200 + SLACK;

#[derive(Clone, Copy, Debug, Default)]
struct RobotObservation {
    dead_since: Option<u32>,
    heard: Option<u32>,
    controlled: Option<u32>,
    /// Time of the first message after a silence (ms), from which driving is forbidden until RUN arrives. `None`:
    /// driving is permitted.
    silenced: Option<u32>,
    /// Directive of the acknowledged STOP, and the time of its acknowledgement (ms).
    stopped: Option<(Rank, u32)>,
    /// Highest directive that the robot has reported as obeyed.
    obeyed: Rank,
    /// Time for which the robot may drive without a hub (ms). It depends on the experiment that the robot accepted
    /// last, and on the robot's own file.
    alone: u32,
    /// Session of the robot's program.
    session: u64,
    /// Number of the hub, and message count, in the latest valid seal of this session.
    seal: (u64, u64),
}

/// Rank of a directive: number of the hub, and number of the directive. The seal of a message contains the number of
/// the hub. Each new hub has a higher number.
type Rank = (u64, u64);

/// Checker of wheels, with the observations of each robot.
#[derive(Debug, Default)]
pub struct WheelChecker {
    seen: [RobotObservation; ROBOTS],
    /// Time for which robots may drive without a hub (ms), by the number of the experiment.
    alone: BTreeMap<u64, u32>,
    pub(super) fault: Fault,
    moves: u64,
}

impl WheelChecker {
    /// Handles the start of a robot's program.
    pub fn started(&mut self, now: u32, robot: usize, session: u64) {
        let stopped = self.seen[robot].stopped;
        self.seen[robot] = RobotObservation { controlled: Some(now), stopped, session, ..RobotObservation::default() };
    }

    /// Handles the death of a robot's program.
    pub fn died(&mut self, now: u32, robot: usize) {
        self.seen[robot].dead_since = Some(now);
    }

    pub(super) fn controlled(&mut self, now: u32, robot: usize) {
        self.seen[robot].controlled = Some(now);
    }

    /// Handles a message that a robot receives. Repeated or overtaken messages do not end a silence or permit motion.
    pub(super) fn heard(&mut self, now: u32, robot: usize, sealed: &Sealed) {
        let seen = &mut self.seen[robot];
        let seal = (sealed.hub, sealed.count);
        if sealed.session != seen.session || seal <= seen.seal {
            // Without a fresh seal, a robot obeys only STOP. If the STOP comes from a later hub, the robot then
            // rejects messages of earlier hubs.
            let stop = matches!(sealed.message, ToRobot::Directive(Directive { state: State::Stop, .. }));
            if stop && sealed.hub > seen.seal.0 {
                seen.seal = (sealed.hub, 0);
            }
            return;
        }
        seen.seal = seal;
        if seen.heard.is_none_or(|at| now - at > SILENCE) {
            seen.silenced = Some(now);
        }
        seen.heard = Some(now);
        if let ToRobot::Experiment { number, signed, .. } = &sealed.message
            && *number < FORGED
            && !self.alone.contains_key(number)
            && let Ok((plan, _)) = Plan::open(signed, &trust(), ROBOTS)
        {
            self.alone.insert(*number, (plan.silence.drives(f64::from(ALONE) / 1000.0) * 1000.0) as u32);
        }
        // A forged RUN does not permit motion.
        if let ToRobot::Directive(Directive { number, state: State::Run, .. }) = &sealed.message
            && *number < FORGED
        {
            seen.silenced = None;
            // RUN ends the standstill if its number is higher than that of the STOP, or if another hub sent it. This
            // other hub started later, because an earlier hub does not know this session, or its seals are stale.
            seen.stopped = seen.stopped.filter(|(stop, _)| sealed.hub == stop.0 && *number <= stop.1);
        }
    }

    pub(super) fn said(&mut self, now: u32, robot: usize, message: &RobotMessage) {
        let seen = &mut self.seen[robot];
        if let RobotMessage::Experiment { number, answer: Answer::Accepted } = message {
            seen.alone = self.alone.get(number).copied().unwrap_or(0);
        }
        let RobotMessage::Telemetry(told) = message else { return };
        // After a silence, the robot reports the number 0, because its last directive no longer counts as obeyed.
        if told.obeyed == 0 {
            return;
        }
        // After a change of hubs, the robot also reports the number 0 at first. Any other number therefore belongs to a
        // directive of the latest hub.
        let (obeyed, last) = ((seen.seal.0, told.obeyed), seen.obeyed);
        seen.obeyed = last.max(obeyed);
        if told.state == State::Stop && seen.stopped.is_none_or(|(stop, _)| stop.0 != obeyed.0 || stop < obeyed) {
            seen.stopped = Some((obeyed, now));
        }
        if obeyed < last {
            let what = format!("obeys directive {obeyed:?} after directive {last:?}");
            self.fault.say(now, "the directives that a robot obeys never fall", id(robot), what);
        }
    }

    /// Checks a robot's wheel speeds (m/s). `told` is the time of the last command to the robot's body (ms).
    pub fn turn(&mut self, now: u32, told: u32, robot: usize, wheels: [f32; 2]) {
        if wheels == [0.0; 2] {
            return;
        }
        self.moves += 1;
        let seen = self.seen[robot];
        // An unreachable body keeps its wheel speeds until its own time-out. Most rules therefore measure time up to
        // the last command, not up to `now`.
        let since = |at: Option<u32>| at.map_or(u32::MAX, |at| told.saturating_sub(at));
        let mut wrong = |rule, what: String| {
            self.fault.say(now, rule, id(robot), format!("wheels turn at {wheels:?} m/s {what}"));
        };
        if seen.dead_since.is_some_and(|at| now - at > DEAD) {
            let what = format!("{:?} ms after the robot's program ended", seen.dead_since.map(|at| now - at));
            wrong("wheels stand when the program is dead", what);
        } else if now - told > DEAD {
            wrong("wheels stand when the body hears nothing", format!("{} ms after the command", now - told));
        } else if seen.dead_since.is_none() && since(seen.controlled) > HUNG {
            let what = format!("{} ms after the last control update", since(seen.controlled));
            wrong("wheels stand when the control thread hangs", what);
        }
        let unheard = seen.controlled.zip(seen.heard).is_some_and(|(c, h)| c.saturating_sub(h) > SILENCE + seen.alone);
        if seen.heard.is_none() || (since(seen.heard) > SILENT + seen.alone && unheard) {
            let what = format!("{} ms after the last message", since(seen.heard));
            wrong("wheels stand when the hub is silent", what);
        }
        if seen.silenced.is_some_and(|at| told.saturating_sub(at) > 100 + SLACK) {
            let what = format!("{} ms after the end of a silence, without a later RUN", since(seen.silenced));
            wrong("only RUN starts wheels after a silence", what);
        }
        if let Some((number, at)) = seen.stopped.filter(|(_, at)| told.saturating_sub(*at) > SLACK) {
            let what = format!("{} ms after STOP {number:?} was acknowledged, without a later RUN", told - at);
            wrong("wheels stand after STOP", what);
        }
    }

    /// Returns the number of steps in which a robot's wheels turned, summed over all robots.
    pub fn moves(&self) -> u64 {
        self.moves
    }
}

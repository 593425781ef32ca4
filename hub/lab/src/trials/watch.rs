//! Validity of a trial: observations during the trial, and reasons to discard it.

use serde::{Deserialize, Serialize};
use xpuck_wire::{Body, Phase, Status};

/// Maximum displacement of a body between two status messages: a tolerance (m), plus a speed (m/s) times the elapsed
/// time. A body with a larger displacement was carried.
const CARRIED: (f64, f64) = (0.12, 0.4);
/// Distance beyond the arena's edge at which the frisbee's centre counts as outside the arena (m).
const OUT: f32 = 0.02;

/// Reason for discarding a trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case", tag = "why", content = "which")]
pub enum Discard {
    /// A robot stopped sending, or was missing. The text is its id.
    RobotLost(String),
    /// A robot's battery voltage is below the limit. The text is the robot's id.
    Battery(String),
    /// A robot or the frisbee was moved by hand, or an operator paused the run or held a robot. The text is a
    /// description.
    Touched(String),
    /// The frisbee left the arena.
    FrisbeeOut,
    /// Motion capture failed to track the bodies.
    MocapLost,
    /// The run ended early. The text is the reason.
    CutShort(String),
}

impl std::fmt::Display for Discard {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Discard::RobotLost(id) => write!(f, "robot lost: {id}"),
            Discard::Battery(id) => write!(f, "battery: {id}"),
            Discard::Touched(what) => write!(f, "touched: {what}"),
            Discard::FrisbeeOut => f.write_str("the frisbee left the arena"),
            Discard::MocapLost => f.write_str("motion capture lost"),
            Discard::CutShort(why) => write!(f, "cut short: {why}"),
        }
    }
}

/// Observations of a trial so far.
#[derive(Clone, Debug)]
pub struct Watch {
    frisbee: String,
    least_battery_v: f32,
    last: Option<(f64, Phase, Vec<Body>)>,
    /// First and last observed position of the frisbee along x (m). `None` before the frisbee is observed.
    pub frisbee_x: Option<(f64, f64)>,
}

impl Watch {
    /// Starts to observe a trial. `frisbee` is the frisbee's name in motion capture, and `least_battery_v` is the
    /// minimum battery voltage (V).
    pub fn new(frisbee: &str, least_battery_v: f32) -> Watch {
        Watch { frisbee: frisbee.into(), least_battery_v, last: None, frisbee_x: None }
    }

    /// Evaluates a status of the run, and returns the reason to discard the trial, if any. It is called a few times
    /// per second.
    pub fn see(&mut self, status: &Status) -> Option<Discard> {
        if let Some(body) = status.bodies.iter().find(|body| body.name == self.frisbee) {
            let x = f64::from(body.pose[0]);
            self.frisbee_x = Some((self.frisbee_x.map_or(x, |(first, _)| first), x));
        }
        let why = self.judge(status);
        self.last = Some((status.time, status.phase, status.bodies.clone()));
        why
    }

    fn judge(&self, status: &Status) -> Option<Discard> {
        for robot in &status.robots {
            let id = || robot.id.clone();
            if !robot.alive || !robot.refusal.is_empty() {
                return Some(Discard::RobotLost(id()));
            }
            if robot.battery_v.is_some_and(|volts| volts < self.least_battery_v) {
                return Some(Discard::Battery(id()));
            }
            if robot.held {
                return Some(Discard::Touched(format!("{} is held", id())));
            }
        }
        match status.phase {
            Phase::Paused => return Some(Discard::Touched("paused by an operator".into())),
            Phase::Blind => return Some(Discard::MocapLost),
            _ => {}
        }
        if !status.tracking {
            return Some(Discard::MocapLost);
        }
        let frisbee = status.bodies.iter().find(|body| body.name == self.frisbee);
        if frisbee.is_some_and(|f| (0..2).any(|i| f.pose[i].abs() > status.half_arena[i] + OUT)) {
            return Some(Discard::FrisbeeOut);
        }
        self.carried(status)
    }

    /// Detects a body whose displacement since the last status is too large for driving or being pushed. The frisbee is
    /// ignored during a relocation, in which it is returned to the centre.
    fn carried(&self, status: &Status) -> Option<Discard> {
        let (time, phase, bodies) = self.last.as_ref()?;
        let reach = CARRIED.0 + CARRIED.1 * (status.time - time).max(0.0);
        let relocated = *phase == Phase::Relocating || status.phase == Phase::Relocating;
        for body in &status.bodies {
            let Some(before) = bodies.iter().find(|before| before.name == body.name) else { continue };
            let [x, y] = [0, 1].map(|i| f64::from(body.pose[i] - before.pose[i]));
            if x.hypot(y) > reach && !(relocated && body.name == self.frisbee) {
                return Some(Discard::Touched(format!("{} was carried", body.name)));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_wire::RobotRow;

    fn status(time: f64, x: f32) -> Status {
        let body = |name: &str, x: f32| Body { name: name.into(), pose: [x, 0.0, 0.0] };
        Status {
            time,
            phase: Phase::Running,
            tracking: true,
            half_arena: [1.0, 0.75],
            robots: vec![RobotRow { id: "xp01".into(), alive: true, battery_v: Some(3.9), ..RobotRow::default() }],
            bodies: vec![body("xp01", 0.0), body("frisbee", x)],
            ..Status::default()
        }
    }

    fn seen(change: impl FnOnce(&mut Status)) -> Option<Discard> {
        let mut watch = Watch::new("frisbee", 3.4);
        assert_eq!(watch.see(&status(1.0, 0.02)), None);
        let mut next = status(1.2, 0.0);
        change(&mut next);
        watch.see(&next)
    }

    #[test]
    fn every_discard_reason_is_detected_and_sound_run_counts() {
        assert_eq!(seen(|_| ()), None);
        assert_eq!(seen(|s| s.robots[0].alive = false), Some(Discard::RobotLost("xp01".into())));
        assert_eq!(seen(|s| s.robots[0].battery_v = Some(3.3)), Some(Discard::Battery("xp01".into())));
        assert!(matches!(seen(|s| s.robots[0].held = true), Some(Discard::Touched(_))));
        assert!(matches!(seen(|s| s.phase = Phase::Paused), Some(Discard::Touched(_))));
        assert_eq!(seen(|s| s.phase = Phase::Blind), Some(Discard::MocapLost));
        assert_eq!(seen(|s| s.tracking = false), Some(Discard::MocapLost));
        assert_eq!(seen(|s| s.bodies[1].pose[1] = 0.8), Some(Discard::FrisbeeOut));
        assert_eq!(seen(|s| s.bodies[1].pose[0] = 0.3), Some(Discard::Touched("frisbee was carried".into())));
        assert_eq!(seen(|s| s.bodies[0].pose[1] = 0.3), Some(Discard::Touched("xp01 was carried".into())));
        let put_back = seen(|s| (s.phase, s.bodies[1].pose[0]) = (Phase::Relocating, 0.6));
        assert_eq!(put_back, None, "it is put back while the run waits");
    }
}

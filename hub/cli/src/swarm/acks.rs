//! Acknowledgements of the last directive, and their delays. Does no I/O.

use schemars::JsonSchema;
use serde::Serialize;
use xpuck_hub_core::switchboard::phase_name;
use xpuck_wire::message::State;
use xpuck_wire::{Phase, Status, escape};

/// Acknowledgement of the last directive by a robot.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Answer {
    /// Id of the robot.
    pub robot: String,
    /// Whether the hub currently receives messages of the robot.
    pub there: bool,
    /// Whether the hub has received a message of the robot since the hub started.
    pub known: bool,
    /// Whether the robot has acknowledged the directive.
    pub obeys: bool,
    /// Time from the directive to the acknowledgement (ms of wall time); `None` without an acknowledgement.
    pub ms: Option<f32>,
    /// Current state of the robot.
    pub state: State,
    /// Whether an operator holds the robot, so that it does not drive even if the swarm runs.
    pub held: bool,
}

/// Last directive, and its acknowledgements by all robots.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Obedience {
    /// Phase of the hub.
    pub phase: Phase,
    /// Last directive to the robots.
    pub directive: State,
    /// Acknowledgement of each robot, in the order of the swarm file.
    pub robots: Vec<Answer>,
}

impl Obedience {
    /// Extracts the acknowledgements from a status.
    pub fn from_status(status: &Status) -> Obedience {
        let answer = |robot: &xpuck_wire::RobotRow| Answer {
            robot: robot.id.clone(),
            there: robot.alive,
            known: !robot.version.is_empty(),
            obeys: robot.alive && robot.obeys,
            ms: robot.obeyed_ms.filter(|_| robot.alive && robot.obeys),
            state: robot.state,
            held: robot.held,
        };
        Obedience {
            phase: status.phase,
            directive: status.directive.state,
            robots: status.robots.iter().map(answer).collect(),
        }
    }

    /// Returns whether all robots that are present have acknowledged.
    pub fn is_settled(&self) -> bool {
        self.robots.iter().all(|robot| robot.obeys || !robot.there)
    }

    /// Returns whether the directive stops the robots (STOP or PAUSE).
    pub fn stops_robots(&self) -> bool {
        matches!(self.directive, State::Stop | State::Pause)
    }

    /// Returns the ids of the robots that have been heard since the hub's start, but have not acknowledged.
    pub fn unacked(&self) -> Vec<String> {
        self.ids(|robot| !robot.obeys && robot.known)
    }

    fn ids(&self, so: impl Fn(&Answer) -> bool) -> Vec<String> {
        self.robots.iter().filter(|robot| so(robot)).map(|robot| escape(&robot.robot)).collect()
    }

    /// Returns the number of robots that have acknowledged, and the longest delay, as text: `9 of 9 robots stand, the
    /// last after 112 ms`.
    pub fn summary(&self) -> String {
        let obeying = || self.robots.iter().filter(|robot| robot.obeys);
        let Some(first) = obeying().next() else {
            return match self.robots.iter().any(|robot| robot.there) {
                true => "no robot has acknowledged".into(),
                false => "no robot is present".into(),
            };
        };
        let does = match self.directive {
            State::Run => "run",
            State::Ready => "are ready",
            State::Idle => "wait",
            State::Pause | State::Stop => "stand",
        };
        let drives = self.directive == State::Run;
        let number = obeying().filter(|robot| !(drives && robot.held)).count();
        let last = obeying().filter_map(|robot| robot.ms).reduce(f32::max);
        let last = match (last, obeying().count()) {
            (None, _) => String::new(),
            (Some(ms), 1) => format!(", {} after {ms:.0} ms", escape(&first.robot)),
            (Some(ms), _) => format!(", the last after {ms:.0} ms"),
        };
        let held = self.ids(|robot| drives && robot.obeys && robot.held);
        let held = if held.is_empty() { String::new() } else { format!("; {} held and standing", held.join(", ")) };
        format!("{number} of {} robots {does}{last}{held}", self.robots.len())
    }

    /// Returns the phase of the hub and the summary as text.
    pub fn headline(&self) -> String {
        format!("{}: {}", phase_name(self.phase), self.summary())
    }

    /// Returns one line for each robot that has acknowledged, with the delay.
    pub fn rows(&self) -> Vec<String> {
        let width = self.robots.iter().map(|robot| escape(&robot.robot).chars().count()).max().unwrap_or(0);
        let row = |robot: &Answer| {
            let ms = robot.ms.map_or("acknowledged".into(), |ms| format!("{ms:>6.0} ms"));
            format!("  {:<width$}  {ms}", escape(&robot.robot))
        };
        self.robots.iter().filter(|robot| robot.obeys).map(row).collect()
    }

    /// Returns a warning about the robots in [`Obedience::unacked`]; `None` if there are none.
    pub fn warning(&self) -> Option<String> {
        let silent = self.unacked();
        let why = if self.stops_robots() {
            "wheels stop 1 s after the hub's last message; check the robots"
        } else {
            "`xpuck robot list` shows their state"
        };
        (!silent.is_empty()).then(|| format!("no acknowledgement from {}: {why}", silent.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_wire::{LastDirective, RobotRow};

    fn row(id: &str, ms: Option<f32>) -> RobotRow {
        RobotRow {
            id: id.into(),
            version: "1".into(),
            alive: true,
            obeys: ms.is_some(),
            obeyed_ms: ms,
            ..RobotRow::default()
        }
    }

    fn acks_for(state: State, robots: Vec<RobotRow>) -> Obedience {
        let directive = LastDirective { state, ..LastDirective::default() };
        Obedience::from_status(&Status { phase: Phase::Finished, directive, robots, ..Status::default() })
    }

    #[test]
    fn stop_summary_states_last_delay() {
        let stop = acks_for(State::Stop, vec![row("xp01", Some(98.4)), row("xp02", Some(112.0))]);
        assert_eq!(stop.headline(), "finished: 2 of 2 robots stand, the last after 112 ms");
        assert_eq!(stop.rows(), ["  xp01      98 ms", "  xp02     112 ms"]);
        assert!(stop.is_settled() && stop.warning().is_none());
        assert_eq!(acks_for(State::Pause, vec![row("a", Some(9.0))]).summary(), "1 of 1 robots stand, a after 9 ms");
    }

    #[test]
    fn silent_robots_are_awaited_and_named() {
        let lost = RobotRow { alive: false, ..row("xp03", Some(4.0)) };
        let absent = RobotRow { id: "xp04".into(), ..RobotRow::default() };
        let stop =
            acks_for(State::Stop, vec![row("xp01", Some(98.0)), row("xp02", None), lost.clone(), absent.clone()]);
        assert!(!stop.is_settled());
        assert_eq!(stop.summary(), "1 of 4 robots stand, xp01 after 98 ms");
        assert!(stop.warning().unwrap().starts_with("no acknowledgement from xp02, xp03: wheels stop 1 s"));
        assert!(acks_for(State::Stop, vec![lost]).is_settled(), "who is lost is not waited for");
        let none = acks_for(State::Stop, vec![absent]);
        assert_eq!((none.summary().as_str(), none.warning()), ("no robot is present", None));
        assert_eq!(acks_for(State::Stop, vec![row("a", None)]).summary(), "no robot has acknowledged");
    }

    #[test]
    fn held_robot_is_listed_as_standing_during_run() {
        let held = RobotRow { held: true, ..row("xp02", Some(20.0)) };
        let run = acks_for(State::Run, vec![row("xp01", Some(10.0)), held]);
        assert_eq!(run.summary(), "1 of 2 robots run, the last after 20 ms; xp02 held and standing");
    }
}

//! Health of the hub, derived from its status.

use std::time::Duration;
use xpuck_wire::output::count;
use xpuck_wire::{Phase, Status};

/// Duration of a turn of the hub's loop above which the hub counts as too slow. Virtual sensor data is due every 40
/// ms.
const LATE: Duration = Duration::from_millis(100);
/// Time without lost log lines after which the log counts as healthy again (s). A quiet hub logs a line only every
/// few seconds.
const GROWS: f64 = 30.0;

/// Inputs of the health check that are not part of the status.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// Whether a record is open.
    pub recording: bool,
    /// Time of the last frame of motion capture (s of arena time); `None` before the first frame.
    pub last_frame: Option<f64>,
    /// Longest turn of the loop since the last check.
    pub slowest_turn: Duration,
    /// Counter of lost log lines.
    pub log: LossCounter,
}

/// Counter of losses, with the time of its last growth and the time of its last update (s of wall time).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LossCounter {
    count: u64,
    grew: Option<f64>,
    now: f64,
}

impl LossCounter {
    /// Sets the counter to `count` at the time `wall` (s of wall time).
    pub fn look(&mut self, wall: f64, count: u64) {
        if count > self.count {
            self.grew = Some(wall);
        }
        (self.count, self.now) = (count, wall);
    }

    fn is_recent(&self) -> bool {
        self.grew.is_some_and(|at| self.now - at < GROWS)
    }
}

/// Returns the reasons why the hub is unhealthy, one line each. The list is empty if the hub is healthy.
pub fn reasons(status: &Status, facts: &Facts) -> Vec<String> {
    let mut reasons = Vec::new();
    let run = !matches!(status.phase, Phase::Idle | Phase::Finished);
    if run && !facts.recording {
        reasons.push("a run is in progress but not recorded".into());
    }
    if !status.waits.is_empty() {
        reasons.push(status.waits.clone());
    }
    if !status.not_kept.is_empty() {
        reasons.push(format!("the disk does not save the state of the run: {}", status.not_kept));
    }
    if !status.tracking {
        reasons.push("no poses for 1 s".into());
    }
    if facts.slowest_turn > LATE {
        reasons.push(format!("the hub is late: one loop took {} ms", facts.slowest_turn.as_millis()));
    }
    if !status.security.keys_unreadable.is_empty() {
        reasons.push(format!("the keys cannot be read: {}", status.security.keys_unreadable));
    }
    if facts.log.is_recent() {
        let lines = status.log_lines_lost;
        reasons.push(format!(
            "log lines are lost, {lines} so far: the disk of the log is full, or its reader has stopped"
        ));
    }
    let lost: Vec<&str> = status.robots.iter().filter(|r| !r.alive).map(|r| r.id.as_str()).collect();
    if !lost.is_empty() {
        let (is, all) = (if lost.len() == 1 { "is" } else { "are" }, count(status.robots.len(), "robot", "robots"));
        reasons.push(format!("{} of {all} {is} not connected: {}", lost.len(), lost.join(", ")));
    }
    reasons
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_wire::{RobotRow, SecurityReport};

    #[test]
    fn each_ailment_is_named_and_a_healthy_hub_has_none() {
        let robot = |id: &str, alive| RobotRow { id: id.into(), alive, ..RobotRow::default() };
        let well =
            Status { tracking: true, phase: Phase::Running, robots: vec![robot("xp01", true)], ..Status::default() };
        let facts = Facts { recording: true, ..Facts::default() };
        assert_eq!(reasons(&well, &facts), Vec::<String>::new());
        assert_eq!(reasons(&Status { phase: Phase::Idle, ..well.clone() }, &Facts::default()), Vec::<String>::new());
        let security = SecurityReport { keys_unreadable: "keys: no such folder".into(), ..SecurityReport::default() };
        let robots = vec![robot("xp01", true), robot("xp02", false)];
        let not_kept = String::from("runs: read-only");
        let ill = Status { tracking: false, robots, security, not_kept, ..well };
        let late = Facts { recording: false, slowest_turn: Duration::from_millis(250), ..facts };
        let found = reasons(&ill, &late).join("; ");
        for word in [
            "not recorded",
            "no poses",
            "does not save the state of the run: runs: read-only",
            "took 250 ms",
            "cannot be read: keys",
            "1 of 2 robots is not connected: xp02",
        ] {
            assert!(found.contains(word), "{found}");
        }
    }

    #[test]
    fn lost_log_lines_are_unhealthy_until_pause() {
        let mut facts = Facts { recording: true, ..Facts::default() };
        let status = Status { tracking: true, log_lines_lost: 3, ..Status::default() };
        facts.log.look(0.1, 0);
        assert_eq!(reasons(&status, &facts), Vec::<String>::new());
        facts.log.look(1.0, 3);
        assert!(reasons(&status, &facts)[0].contains("log lines are lost, 3 so far"));
        facts.log.look(30.0, 3);
        assert_eq!(reasons(&status, &facts).len(), 1);
        facts.log.look(32.0, 3);
        assert_eq!(reasons(&status, &facts), Vec::<String>::new());
    }
}

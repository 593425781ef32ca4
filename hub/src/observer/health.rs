//! Whether the hub is well, from how things stand.

use std::time::Duration;
use xpuck_wire::{Phase, Status};

/// A turn of the loop that takes longer makes virtual senses late, which are due every 40 ms.
const LATE: Duration = Duration::from_millis(100);

/// What the status does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Facts {
    /// A record is open.
    pub recording: bool,
    /// When the last frame of motion capture came, s of arena time.
    pub last_frame: Option<f64>,
    /// The longest turn of the loop since the last look.
    pub slowest_turn: Duration,
}

/// Why the hub is not well, a line each; none if it is.
pub fn reasons(status: &Status, facts: &Facts) -> Vec<String> {
    let mut reasons = Vec::new();
    let run = !matches!(status.phase, Phase::Idle | Phase::Finished);
    if run && !facts.recording {
        reasons.push("a run is going on and nothing is recorded".into());
    }
    if !status.tracking {
        reasons.push("no poses for 1 s".into());
    }
    if facts.slowest_turn > LATE {
        reasons.push(format!("the hub is late: a turn took {} ms", facts.slowest_turn.as_millis()));
    }
    if !status.security.keys_unreadable.is_empty() {
        reasons.push(format!("the keys cannot be read: {}", status.security.keys_unreadable));
    }
    let lost: Vec<&str> = status.robots.iter().filter(|r| !r.alive).map(|r| r.id.as_str()).collect();
    if !lost.is_empty() {
        reasons.push(format!("{} of {} robots are not there: {}", lost.len(), status.robots.len(), lost.join(", ")));
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
        let ill = Status { tracking: false, robots, security, ..well };
        let late = Facts { recording: false, slowest_turn: Duration::from_millis(250), ..facts };
        let found = reasons(&ill, &late).join("; ");
        for word in [
            "nothing is recorded",
            "no poses",
            "took 250 ms",
            "cannot be read: keys",
            "1 of 2 robots are not there: xp02",
        ] {
            assert!(found.contains(word), "{found}");
        }
    }
}

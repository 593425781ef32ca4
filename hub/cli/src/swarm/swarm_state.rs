//! Descriptions of the swarm's state as text, for several commands. Does no I/O.

use xpuck_hub_core::switchboard::phase_name;
use xpuck_wire::{Phase, RobotRow, Status, escape};

/// Formats a time (s) as minutes and seconds, `4:05`. From one hour, hours are added: `1:04:05`.
pub fn clock(seconds: f64) -> String {
    let s = seconds.max(0.0) as u64;
    match s / 3600 {
        0 => format!("{}:{:02}", s / 60, s % 60),
        hours => format!("{hours}:{:02}:{:02}", s / 60 % 60, s % 60),
    }
}

/// Returns the state of a robot in capitals while the hub hears it. Otherwise returns `held` if an operator holds the
/// robot, `absent` if the hub has never heard it, or else `lost`.
pub fn state(robot: &RobotRow) -> String {
    match robot.alive {
        true if robot.held => "HELD".into(),
        true => format!("{:?}", robot.state).to_uppercase(),
        false if robot.held => "held".into(),
        // A robot sends its version in its first message. The hub has therefore never heard a robot without a
        // version.
        false if robot.version.is_empty() => "absent".into(),
        false => "lost".into(),
    }
}

/// Explains a phase to a user.
pub fn phase_meaning(phase: Phase) -> &'static str {
    match phase {
        Phase::Idle => "no run; `xpuck start FILE` starts one",
        Phase::Preparing => "the robots receive the experiment; the run begins when they are ready",
        Phase::Running => "the robots drive",
        Phase::Paused => "an operator paused the robots; `xpuck resume` continues the run",
        Phase::Relocating => "all robots stand until the frisbee is back near the centre",
        Phase::Blind => "all robots stand until motion capture sees the robots and the frisbee again",
        Phase::Resting => "all robots stand, as the experiment requires",
        Phase::Finished => "the run is over; the robots stand",
        Phase::Parking => "robots drive to their poses by motion capture; `xpuck stop` stops them",
    }
}

/// Returns reference values for the real fitness of a task; empty if there are none.
pub fn fitness_reference(task: &str) -> &'static str {
    match task {
        "transport" => "0.71 = pushed at full robot speed; hand-tuned tree: 0.3",
        _ => "",
    }
}

/// Returns the real fitness of the current segment. `None` in segment 0, and during the first second of a segment.
pub fn fitness(status: &Status) -> Option<f64> {
    status.segments.last().filter(|segment| segment.number > 0 && segment.seconds > 1.0).map(|s| s.fitness)
}

/// Returns the raw value of the current segment, as [`fitness`]. `None` if the task is not a mission.
pub fn value(status: &Status) -> Option<f64> {
    status.segments.last().filter(|segment| segment.number > 0 && segment.seconds > 1.0).and_then(|s| s.value)
}

/// Formats the number of robots in each state: `8 of 9 present, 1 lost (xp03), 1 held (xp02)`.
pub fn robot_counts(status: &Status) -> String {
    let ids = |so: &dyn Fn(&RobotRow) -> bool| -> Vec<String> {
        status.robots.iter().filter(|robot| so(robot)).map(|robot| escape(&robot.id)).collect()
    };
    let mut text = format!("{} of {} present", ids(&|r| r.alive).len(), status.robots.len());
    for (word, ids) in [
        ("lost", ids(&|r| !r.alive && !r.version.is_empty())),
        ("absent", ids(&|r| !r.alive && r.version.is_empty())),
        ("held", ids(&|r| r.held)),
    ] {
        if !ids.is_empty() {
            text += &format!(", {} {word} ({})", ids.len(), ids.join(", "));
        }
    }
    text
}

/// Describes the problems of a robot; empty if there are none. Absence is not listed here, but in [`troubles`].
pub fn robot_problems(robot: &RobotRow) -> Vec<String> {
    let lost = match robot.heard_s {
        _ if robot.alive || robot.version.is_empty() => None,
        Some(ago) => Some(format!("lost, silent for {} s", ago.max(0.0) as u64)),
        None => Some("lost".into()),
    };
    let refuses = (!robot.refusal.is_empty()).then(|| format!("refuses the experiment: {}", escape(&robot.refusal)));
    let devices = (!robot.device_trouble.is_empty()).then(|| escape(&robot.device_trouble));
    [lost, refuses, devices].into_iter().flatten().collect()
}

/// Describes the problems of the swarm, one text each; empty if there are none.
pub fn troubles(status: &Status) -> Vec<String> {
    let goes_on = !matches!(status.phase, Phase::Idle | Phase::Finished);
    let mut troubles = Vec::new();
    if goes_on && (status.record.is_empty() || status.record.starts_with("NOT RECORD")) {
        troubles.push(match status.record.is_empty() {
            true => "a run is in progress, but nothing is recorded".into(),
            false => escape(&status.record),
        });
    }
    if goes_on && !status.tracking {
        troubles.push("no poses: check the motion-capture server".into());
    }
    if !status.names.is_empty() {
        troubles.push(escape(&status.names));
    }
    if status.phase == Phase::Paused && !status.waits.is_empty() {
        troubles.push(escape(&status.waits));
    }
    if !status.not_kept.is_empty() {
        let why = escape(&status.not_kept);
        troubles.push(format!("the run's state cannot be saved: a restarted hub will wait for START ({why})"));
    }
    if !status.security.keys_unreadable.is_empty() {
        troubles.push(format!("the keys cannot be read: {}", escape(&status.security.keys_unreadable)));
    }
    let absent: Vec<String> = status.robots.iter().filter(|r| state(r) == "absent").map(|r| escape(&r.id)).collect();
    if !absent.is_empty() {
        troubles.push(format!("{} absent: switch on, or start xpuckd", absent.join(", ")));
    }
    for robot in &status.robots {
        troubles.extend(robot_problems(robot).into_iter().map(|what| format!("{}: {what}", escape(&robot.id))));
    }
    troubles
}

/// Formats the phase of the hub with an explanation. If the experiment has several phases, its current phase is
/// added.
pub fn phase(status: &Status) -> String {
    let of_several = status
        .experiment_phase
        .as_ref()
        .filter(|phase| phase.count > 1)
        .map(|phase| format!(" (phase {} of {}, {})", phase.number + 1, phase.count, escape(&phase.name)));
    format!(
        "{}{}: {}",
        phase_name(status.phase),
        of_several.unwrap_or_default(),
        if status.waits.is_empty() { phase_meaning(status.phase).into() } else { escape(&status.waits) }
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_wire::ExperimentPhase;

    fn robot(id: &str, alive: bool, version: &str) -> RobotRow {
        RobotRow { id: id.into(), alive, version: version.into(), ..RobotRow::default() }
    }

    #[test]
    fn robots_are_counted_by_how_they_are() {
        let held = RobotRow { held: true, ..robot("xp02", true, "1") };
        let robots = vec![robot("xp01", true, "1"), held, robot("xp03", false, "1"), robot("xp04", false, "")];
        let status = Status { robots, ..Status::default() };
        assert_eq!(robot_counts(&status), "2 of 4 present, 1 lost (xp03), 1 absent (xp04), 1 held (xp02)");
        assert_eq!(status.robots.iter().map(state).collect::<Vec<_>>(), ["IDLE", "HELD", "lost", "absent"]);
        assert_eq!(troubles(&status), ["xp04 absent: switch on, or start xpuckd", "xp03: lost"]);
    }

    #[test]
    fn problems_are_listed_without_false_alarms() {
        let well = Status { phase: Phase::Running, tracking: true, record: "runs/x".into(), ..Status::default() };
        assert_eq!(troubles(&well), Vec::<String>::new());
        assert_eq!(troubles(&Status::default()), Vec::<String>::new(), "without a run nothing has to be recorded");
        let refuses =
            RobotRow { refusal: "no such\nkey".into(), device_trouble: "the bus".into(), ..robot("a", true, "1") };
        let ill = Status { tracking: false, record: "NOT RECORDING: no room".into(), robots: vec![refuses], ..well };
        assert_eq!(
            troubles(&ill),
            [
                "NOT RECORDING: no room",
                "no poses: check the motion-capture server",
                "a: refuses the experiment: no such\\nkey",
                "a: the bus"
            ]
        );
    }

    #[test]
    fn times_and_phases_are_words() {
        assert_eq!([0.0, 65.9, 3600.0, -1.0, f64::NAN].map(clock), ["0:00", "1:05", "1:00:00", "0:00", "0:00"]);
        let several = ExperimentPhase { number: 1, count: 3, name: "rest".into(), ..ExperimentPhase::default() };
        let status = Status { phase: Phase::Running, experiment_phase: Some(several), ..Status::default() };
        assert_eq!(phase(&status), "running (phase 2 of 3, rest): the robots drive");
    }
}

//! Formats the details of one robot. Does no I/O.

use crate::swarm::operator::engine;
use crate::swarm::sensors;
use crate::swarm::swarm_state::{robot_problems, state};
use xpuck_stats::figure::Figure;
use xpuck_wire::{RobotRow, escape};

/// Maximum number of lines about a robot.
pub const LINES: u16 = 7;

/// Returns the lines about a robot. Problems are the last line.
pub fn lines(robot: &RobotRow) -> Vec<String> {
    let heard = robot.heard_s.map_or("not heard so far".into(), |ago| format!("heard {ago:.1} s ago"));
    let obeys = match (robot.obeys, robot.obeyed_ms) {
        (true, Some(ms)) => format!("acknowledged after {ms:.0} ms"),
        (true, None) => "acknowledged".into(),
        (false, _) => "no acknowledgement".into(),
    };
    let version = if robot.version.is_empty() { "version unknown".into() } else { escape(&robot.version) };
    let value = |value: Option<f32>, digits: usize, unit: &str| {
        value.map_or(format!("- {unit}"), |value| format!("{value:.digits$} {unit}"))
    };
    let trip = value(robot.round_trip_ms.map(|ms| ms as f32), 1, "ms");
    let e = &robot.evolution;
    let nodes = robot.tree_nodes.map_or("no tree".into(), |nodes| format!("{nodes} nodes"));
    let blue: Vec<&str> =
        robot.blue.iter().zip(["left", "centre", "right"]).filter(|(sees, _)| **sees).map(|(_, side)| side).collect();
    let blue = if blue.is_empty() { "no blue".into() } else { format!("blue {}", blue.join(" and ")) };
    let mut lines = vec![
        format!("{}, {version}, {heard}, {obeys}", state(robot)),
        format!(
            "battery {}, {}, {}; processor {}",
            value(robot.battery_v, 2, "V"),
            value(robot.battery_minutes, 0, "min left"),
            value(robot.power_w, 2, "W"),
            value(robot.soc_c, 0, "°C"),
        ),
        format!(
            "round trip {trip}, jitter {}; control {:.1} ms late; {} device errors",
            value(robot.jitter_ms, 1, "ms"),
            robot.late_p99_ms,
            robot.device_errors,
        ),
        format!(
            "generation {}: best {:.3} of {} samples, mean {:.3}, duty {:.0} %",
            e.generation,
            Figure(e.best),
            e.evaluations,
            Figure(e.mean),
            100.0 * e.duty,
        ),
        format!(
            "engine {}; segment {}, {nodes}; {} neighbours, {blue}",
            escape(&engine(&robot.engine)),
            robot.segment,
            robot.neighbours
        ),
    ];
    lines.extend(robot.sensors.as_deref().map(sensors::words));
    lines.extend(Some(robot_problems(robot).join("; ")).filter(|trouble| !trouble.is_empty()));
    lines
}

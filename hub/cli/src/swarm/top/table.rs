//! Table of robots, with its columns, order and filter. Does no I/O.

use super::state::TopState;
use crate::swarm::operator::engine;
use crate::swarm::swarm_state::{robot_problems, state};
use std::cmp::Ordering;
use xpuck_stats::figure::Figure;
use xpuck_wire::{RobotRow, escape};

/// Column of the table.
pub struct Column {
    /// Title of the column.
    pub title: &'static str,
    /// Width (characters). 0 means the remaining width of the terminal.
    pub width: u16,
    /// Whether the column is shown only on wide terminals.
    pub wide: bool,
    /// Whether the column holds numbers, which are right-aligned.
    pub number: bool,
    /// Function that formats the cell of a robot.
    pub text: fn(&RobotRow) -> String,
    /// Function that returns the sort key of a robot. Robots without a key are last. If the function is `None`, rows
    /// are sorted by the text of the cell.
    key: Option<fn(&RobotRow) -> Option<f64>>,
}

const fn text(title: &'static str, width: u16, text: fn(&RobotRow) -> String) -> Column {
    Column { title, width, wide: false, number: false, text, key: None }
}

const fn number(
    title: &'static str,
    width: u16,
    text: fn(&RobotRow) -> String,
    key: fn(&RobotRow) -> Option<f64>,
) -> Column {
    Column { title, width, wide: false, number: true, text, key: Some(key) }
}

/// Columns of the table.
pub const COLUMNS: [Column; 14] = [
    text("robot", 7, |r| escape(&r.id)),
    text("state", 6, state),
    number("V", 4, |r| value(r.battery_v, 2), |r| r.battery_v.map(f64::from)),
    number("min", 4, |r| value(r.battery_minutes, 0), |r| r.battery_minutes.map(f64::from)),
    number("W", 4, |r| value(r.power_w, 1), |r| r.power_w.map(f64::from)),
    number("°C", 3, |r| value(r.soc_c, 0), |r| r.soc_c.map(f64::from)),
    number("trip", 5, |r| value(r.round_trip_ms.map(|ms| ms as f32), 1), |r| r.round_trip_ms),
    Column { wide: true, ..number("jit", 4, |r| value(r.jitter_ms, 1), |r| r.jitter_ms.map(f64::from)) },
    number("late", 4, |r| value(late(r), 1), |r| late(r).map(f64::from)),
    number("gen", 5, |r| r.evolution.generation.to_string(), |r| Some(r.evolution.generation.into())),
    number("best(n)", 10, best, |r| (r.evolution.generation > 0).then_some(r.evolution.best)),
    Column {
        wide: true,
        ..number(
            "nod",
            3,
            |r| r.tree_nodes.map_or("-".into(), |nodes| nodes.to_string()),
            |r| r.tree_nodes.map(f64::from),
        )
    },
    Column { wide: true, ..text("engine", 14, |r| escape(&engine(&r.engine))) },
    Column {
        // Robots with the most problems are first.
        key: Some(|r| Some(-(robot_problems(r).len() as f64))),
        ..text("problem", 0, |r| robot_problems(r).join("; "))
    },
];

/// Returns the 99th percentile of a robot's control lateness (ms); `None` if the hub has never heard the robot.
fn late(robot: &RobotRow) -> Option<f32> {
    (!robot.version.is_empty()).then_some(robot.late_p99_ms)
}

fn best(robot: &RobotRow) -> String {
    let e = &robot.evolution;
    if e.generation == 0 { "-".into() } else { format!("{:.3}({})", Figure(e.best), e.evaluations) }
}

fn value(value: Option<f32>, digits: usize) -> String {
    value.map_or("-".into(), |value| format!("{value:.digits$}"))
}

/// Returns the robots that pass the filter, in the order that the user has selected.
pub fn shown(top: &TopState) -> Vec<&RobotRow> {
    let mut rows: Vec<&RobotRow> = top.robots().iter().filter(|robot| passes(robot, &top.filter)).collect();
    let Some(column) = COLUMNS.get(top.sort).filter(|_| top.sort > 0 || top.down) else { return rows };
    rows.sort_by(|a, b| compare(column, a, b, top.down));
    rows
}

fn passes(robot: &RobotRow, filter: &str) -> bool {
    let filter = filter.to_lowercase();
    filter.is_empty() || COLUMNS.iter().any(|column| (column.text)(robot).to_lowercase().contains(&filter))
}

fn compare(column: &Column, a: &RobotRow, b: &RobotRow, down: bool) -> Ordering {
    let turned = |order: Ordering| if down { order.reverse() } else { order };
    let Some(key) = column.key else { return turned((column.text)(a).cmp(&(column.text)(b))) };
    match (key(a), key(b)) {
        (Some(a), Some(b)) => turned(a.total_cmp(&b)),
        (a, b) => b.is_some().cmp(&a.is_some()),
    }
}

/// Returns the index of the chosen robot in `rows`. Returns 0 if no robot is chosen, or if the filter hides the
/// chosen robot.
pub fn place(top: &TopState, rows: &[&RobotRow]) -> usize {
    rows.iter().position(|robot| Some(&robot.id) == top.chosen.as_ref()).unwrap_or(0)
}

/// Returns the robot at the selected row; `None` if no robot is shown.
pub fn chosen(top: &TopState) -> Option<&RobotRow> {
    let rows = shown(top);
    rows.get(place(top, &rows)).copied()
}

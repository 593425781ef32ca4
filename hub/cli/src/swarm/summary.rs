//! Formats the lines of `xpuck status`. Does no I/O.

use crate::swarm::acks::Obedience;
use crate::swarm::swarm_state::{clock, fitness, fitness_reference, phase, robot_counts, troubles, value};
use xpuck_stats::figure::Figure;
use xpuck_wire::output::{count, value_note};
use xpuck_wire::{Status, escape};

/// Maximum number of recent events in the summary.
const EVENTS: usize = 5;
/// Width of the name column (characters).
const NAMES: usize = 10;

/// Line of the summary of the swarm's state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Topic of the line; empty for a continuation line.
    pub name: &'static str,
    /// Text of the line.
    pub text: String,
    /// Whether the line reports a problem.
    pub bad: bool,
}

impl Row {
    fn new(name: &'static str, text: String) -> Row {
        Row { name, text, bad: false }
    }

    /// Formats the line, in red if it reports a problem and colours are enabled.
    pub fn line(&self, colours: bool) -> String {
        let line = format!("{:<NAMES$}  {}", self.name, self.text);
        match self.bad && colours {
            true => format!("\x1b[31m{line}\x1b[0m"),
            false => line,
        }
    }
}

/// Returns the lines of the summary.
pub fn rows(status: &Status) -> Vec<Row> {
    let mut rows = vec![Row::new("experiment", experiment(status)), Row::new("phase", phase(status))];
    if !status.experiment.is_empty() {
        rows.push(Row::new("time", time(status)));
        rows.push(Row::new("fitness", worth(status)));
    }
    rows.push(Row { bad: status.robots.iter().any(|robot| !robot.alive), ..Row::new("robots", robot_counts(status)) });
    if status.directive.number > 0 {
        let told = Obedience::from_status(status);
        let state = format!("{:?}", told.directive).to_uppercase();
        let bad = !told.is_settled() && status.directive.age_s > 1.0;
        rows.push(Row { bad, ..Row::new("directive", format!("{state}: {}", told.summary())) });
    }
    rows.push(Row { bad: !status.tracking, ..Row::new("poses", poses(status)) });
    rows.push(Row { bad: status.record.starts_with("NOT RECORD"), ..Row::new("record", record(status)) });
    rows.push(Row { bad: status.security.dev_mode, ..Row::new("security", security(status)) });
    // Lost log lines are not marked as a problem, because they may have been lost long ago.
    if status.log_lines_lost > 0 {
        let lost = count(status.log_lines_lost as usize, "line", "lines");
        rows.push(Row::new(
            "log",
            format!("{lost} of the hub's log lost so far: its disk was full, or its reader was too slow"),
        ));
    }
    let names = std::iter::once("problem").chain(std::iter::repeat(""));
    rows.extend(troubles(status).into_iter().zip(names).map(|(text, name)| Row { name, text, bad: true }));
    let last = status.events.len().saturating_sub(EVENTS);
    let names = std::iter::once("events").chain(std::iter::repeat(""));
    rows.extend(status.events[last..].iter().zip(names).map(|(event, name)| Row::new(name, event_text(event))));
    rows
}

fn experiment(status: &Status) -> String {
    let by = match status.started_by.is_empty() {
        true => String::new(),
        false => format!(", started by {}", escape(&status.started_by)),
    };
    match (status.experiment.is_empty(), status.task.is_empty()) {
        (true, _) => "none".into(),
        (false, true) => format!("{}{by}", escape(&status.experiment)),
        (false, false) => format!("{}, task {}{by}", escape(&status.experiment), escape(&status.task)),
    }
}

fn time(status: &Status) -> String {
    let (run, length) = (clock(status.run_seconds), clock(status.run_length));
    format!("{run} of {length}, segment {}", status.segment)
}

fn worth(status: &Status) -> String {
    let real = fitness(status);
    let real = real.map_or("none yet".into(), |real| format!("{:+.3}{}", Figure(real), value_note(value(status))));
    let scale = match fitness_reference(&status.task) {
        "" => String::new(),
        scale => format!(" ({scale})"),
    };
    format!("{real} in this segment, {:.3} evolved{scale}", Figure(status.evolved))
}

/// Formats whether poses arrive, the age of the last poses, and the number of rejected poses.
pub fn poses(status: &Status) -> String {
    let refused: u64 = status.refused_poses.iter().map(|(_, count)| count).sum();
    let refused = if refused > 0 { format!("; {refused} rejected") } else { String::new() };
    let age = status.pose_age_s.map(|age| format!("{age:.2} s old"));
    match (status.tracking, age) {
        (true, age) => format!("received{}{refused}", age.map_or(String::new(), |age| format!(", {age}"))),
        (false, Some(age)) => format!("missing: the last ones are {age}{refused}"),
        (false, None) => format!("none so far{refused}"),
    }
}

/// Returns the path of the record, or `none`.
pub fn record(status: &Status) -> String {
    if status.record.is_empty() { "none".into() } else { escape(&status.record) }
}

fn security(status: &Status) -> String {
    if status.security.dev_mode {
        return "DEV MODE: no keys; anyone who reaches the hub can command the swarm".into();
    }
    match status.security.refusals.total() {
        0 => "keys; nothing was rejected".into(),
        turned_away => format!("keys; {turned_away} rejected; `xpuck robot list` shows details"),
    }
}

/// Formats an event: its time as minutes and seconds, then its text.
fn event_text(event: &str) -> String {
    match event.split_once(' ').and_then(|(at, text)| Some((at.parse::<f64>().ok()?, text))) {
        Some((at, text)) => format!("{:>6}  {}", clock(at), escape(text)),
        None => escape(event),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_wire::message::State;
    use xpuck_wire::{LastDirective, Phase, RobotRow, Segment};

    fn text(status: &Status) -> String {
        rows(status).iter().map(|row| row.line(false) + "\n").collect()
    }

    #[test]
    fn summary_of_running_swarm() {
        let robot =
            RobotRow { id: "xp01".into(), alive: true, obeys: true, obeyed_ms: Some(87.0), ..RobotRow::default() };
        let status = Status {
            phase: Phase::Running,
            experiment: "transport".into(),
            task: "transport".into(),
            started_by: "ada".into(),
            run_seconds: 245.0,
            run_length: 960.0,
            segment: 2,
            segments: vec![Segment { number: 2, fitness: 0.0613, seconds: 5.0, ..Segment::default() }],
            evolved: 0.2,
            tracking: true,
            pose_age_s: Some(0.012),
            record: "runs/x/run.mcap".into(),
            robots: vec![robot],
            directive: LastDirective { number: 4, state: State::Run, age_s: 3.0 },
            events: vec!["65.2 all robots are ready: RUN".into()],
            ..Status::default()
        };
        let expected = "\
experiment  transport, task transport, started by ada
phase       running: the robots drive
time        4:05 of 16:00, segment 2
fitness     +0.061 in this segment, 0.200 evolved (0.71 = pushed at full robot speed; hand-tuned tree: 0.3)
robots      1 of 1 present
directive   RUN: 1 of 1 robots run, xp01 after 87 ms
poses       received, 0.01 s old
record      runs/x/run.mcap
security    keys; nothing was rejected
events        1:05  all robots are ready: RUN
";
        assert_eq!(text(&status), expected);
    }

    #[test]
    fn mission_has_value_beside_fitness() {
        let segment = Segment { number: 1, fitness: 0.42, seconds: 5.0, value: Some(25.2), ..Segment::default() };
        let status =
            Status { experiment: "x".into(), task: "objective".into(), segments: vec![segment], ..Status::default() };
        let expected = "fitness     +0.420 (value 25.2) in this segment, 0.000 evolved\n";
        assert!(text(&status).contains(expected), "{}", text(&status));
    }

    #[test]
    fn problems_are_red_and_control_codes_escaped() {
        let mut status = Status { experiment: "x\u{1b}[2J".into(), events: vec!["a\nb".into()], ..Status::default() };
        status.security.dev_mode = true;
        let rows = rows(&status);
        assert!(rows.iter().all(|row| !row.text.chars().any(char::is_control)), "{rows:?}");
        let red = |name: &str| rows.iter().find(|row| row.name == name).unwrap().line(true).starts_with("\x1b[31m");
        assert!(red("security") && red("poses") && !red("experiment"));
        assert!(text(&status).contains("none yet in this segment"), "{}", text(&status));
        assert!(text(&Status::default()).starts_with("experiment  none\nphase       idle: no run; `xpuck start FILE`"));
    }
}

//! Texts that show a demo's run: a few lines that are redrawn on a terminal, or log lines if the output is not a
//! terminal. Does no I/O.

use indicatif::HumanDuration;
use std::time::Duration;
use xpuck_hub_core::switchboard::phase_name;
use xpuck_stats::figure::Figure;
use xpuck_wire::Status;
use xpuck_wire::output::{count, value_note};

/// Fitness of the best tree of the thesis, 806768 (chapter 5), in the task `transport`.
const THESIS: f64 = 0.27;
/// Maximum number of segments whose fitness is on the screen.
const SEGMENTS: usize = 8;
/// Maximum number of recent events on the screen.
pub const EVENTS: usize = 4;

/// Returns the lines below the progress bar, each as title and text.
pub fn lines(status: &Status, evolves: bool, goals: u32) -> [(&'static str, String); 3] {
    let alive = status.robots.iter().filter(|robot| robot.alive).count();
    let mut robots = format!("{alive} of {}, {}", status.robots.len(), phase_name(status.phase));
    if goals > 0 {
        robots += &format!(", {}", count(goals as usize, "goal", "goals"));
    }
    let evolution = if evolves { evolution(status) } else { "off: every robot runs its given tree".into() };
    [("real fitness", real(status, evolves)), ("evolution", evolution), ("robots", robots)]
}

/// Returns the real fitness of the last segments as text. The current segment is marked, because its fitness can
/// still change.
fn real(status: &Status, evolves: bool) -> String {
    let scored: Vec<_> = status.segments.iter().filter(|s| s.number > 0 && s.seconds > 1.0).collect();
    match (scored.is_empty(), evolves) {
        (true, true) => return "robots wait until their first trees are evolved".into(),
        (true, false) => return "from the first segment on".into(),
        (false, _) => {}
    }
    let last = scored.len().saturating_sub(SEGMENTS);
    let cell = |s: &&xpuck_wire::Segment| {
        let more = if s.number == status.segment { " so far" } else { "" };
        format!("{}: {:+.3}{}{more}", s.number, Figure(s.fitness), value_note(s.value))
    };
    let before = if last > 0 { "...  " } else { "" };
    before.to_string() + &scored[last..].iter().map(cell).collect::<Vec<_>>().join("  ")
}

fn evolution(status: &Status) -> String {
    let generation = status.robots.iter().map(|robot| robot.evolution.generation).max().unwrap_or(0);
    if generation == 0 {
        return "none yet".into();
    }
    let best = status.robots.iter().map(|robot| robot.evolution.best).fold(f64::MIN, f64::max);
    let reference = if status.task == "transport" { format!(" (thesis: {THESIS})") } else { String::new() };
    format!("generation {generation}, best tree {:.3} in simulation{reference}", Figure(best))
}

/// Returns the progress of the run as text for the progress bar. `wall` is the wall time since the start of the run.
pub fn clock(status: &Status, wall: Duration) -> String {
    let of = |s: f64| format!("{}:{:02}", s as u64 / 60, s as u64 % 60);
    let so_far = format!("{} of {} of arena time", of(status.run_seconds), of(status.run_length));
    let rest = status.run_length - status.run_seconds;
    // The remaining time is extrapolated from the wall time, because arena time stops during pauses.
    match status.run_seconds > 1.0 && rest > 0.0 {
        true => format!("{so_far}, {} left", HumanDuration(wall.mul_f64(rest / status.run_seconds))),
        false => so_far,
    }
}

/// Returns a line about a segment that ended, for output without a terminal. `None` if the status does not list the
/// segment. `goals` is the number of goals in the segment.
pub fn segment(status: &Status, evolves: bool, number: u32, goals: u32, wall: Duration) -> Option<String> {
    let ended = status.segments.iter().find(|s| s.number == number)?;
    let generation = status.robots.iter().map(|robot| robot.evolution.generation).max().unwrap_or(0);
    let (fitness, value, at) = (Figure(ended.fitness), value_note(ended.value), clock(status, wall));
    let goals = if goals > 0 { format!(", {}", count(goals as usize, "goal", "goals")) } else { String::new() };
    let generation = if evolves { format!(", generation {generation}") } else { String::new() };
    Some(format!("segment {number} is over: real fitness {fitness:+.3}{value}{goals}{generation} ({at})"))
}

/// Recent events, newest last. Equal events share one line with a count, and all goals share one line.
#[derive(Debug, Default)]
pub struct Events {
    rows: Vec<(String, u32)>,
    goals: u32,
}

impl Events {
    /// Adds an event. Returns whether the event must be printed as a log line. This is the case if the event is not a
    /// goal and was not yet in the list.
    pub fn push(&mut self, text: &str) -> bool {
        let goal = text.starts_with("goal ");
        self.goals += u32::from(goal);
        let same = |known: &str| known == text || (goal && known.starts_with("goal "));
        if let Some(place) = self.rows.iter().position(|(known, _)| same(known)) {
            let (_, times) = self.rows.remove(place);
            self.rows.push((text.into(), times + 1));
            return false;
        }
        if self.rows.len() == EVENTS {
            self.rows.remove(0);
        }
        self.rows.push((text.into(), 1));
        !goal
    }

    /// Returns the number of goals so far.
    pub fn goals(&self) -> u32 {
        self.goals
    }

    /// Formats the events, one line each.
    pub fn lines(&self) -> Vec<String> {
        let line = |(text, times): &(String, u32)| match *times {
            times if times > 1 && !text.starts_with("goal ") => format!("{text} (x{times})"),
            _ => text.clone(),
        };
        self.rows.iter().map(line).collect()
    }
}

/// Returns the id of the robot that went silent, or `arena` if motion capture went silent. `None` if the event does
/// not report a silence.
pub fn lost(event: &str) -> Option<&str> {
    if event.starts_with("no poses for ") {
        return Some("arena");
    }
    event.strip_prefix("robot ")?.split_once(" is lost (silent").map(|(robot, _)| robot)
}

/// Returns a warning that this machine is too slow for the demo. `lost` is a robot or arena that is silent although its
/// program runs. Returns `None` if `lost` is `None`, and slow messages are rare or the run has just begun.
pub fn overload_warning(status: &Status, lost: Option<&str>, robots: usize, speed: f64) -> Option<String> {
    let late = status.run_seconds > 20.0 * speed && status.slow_round_trips > 0.05;
    let what = match (lost, late) {
        (Some(who), _) => format!("no messages from {who}, although its program is running"),
        (None, true) => format!("{:.0} % of the messages are slow", 100.0 * status.slow_round_trips),
        (None, false) => return None,
    };
    let slower = [8.0, 4.0, 2.0, 1.0].into_iter().find(|slower| *slower < speed);
    let remedy = match slower {
        Some(slower) => format!("use --speed {slower}"),
        None => "use fewer robots (--count)".to_string(),
    };
    Some(format!("{what}: this machine is too slow for {robots} robots at speed {speed}; {remedy}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_wire::telemetry::EvolutionReport;
    use xpuck_wire::{Phase, RobotRow, Segment};

    fn status() -> Status {
        let scored = |number, fitness| Segment { number, fitness, seconds: 60.0, ..Segment::default() };
        let robot = |alive, generation, best| RobotRow {
            alive,
            evolution: EvolutionReport { generation, best, ..EvolutionReport::default() },
            ..RobotRow::default()
        };
        Status {
            phase: Phase::Running,
            task: "transport".into(),
            run_seconds: 240.0,
            run_length: 960.0,
            segment: 2,
            segments: vec![scored(0, 0.0), scored(1, 0.0613), scored(2, -0.02)],
            robots: vec![robot(true, 40, 0.3), robot(false, 3, 0.1)],
            ..Status::default()
        }
    }

    #[test]
    fn screen_shows_progress_of_run() {
        let [real, evolution, robots] = lines(&status(), true, 2);
        assert_eq!(real.1, "1: +0.061  2: -0.020 so far");
        assert_eq!(evolution.1, "generation 40, best tree 0.300 in simulation (thesis: 0.27)");
        assert_eq!(robots.1, "1 of 2, running, 2 goals");
        let mission = Status { task: "objective".into(), ..status() };
        assert_eq!(lines(&mission, true, 0)[1].1, "generation 40, best tree 0.300 in simulation");
        let minute = Duration::from_secs(60);
        assert_eq!(clock(&status(), minute), "4:00 of 16:00 of arena time, 3 minutes left");
        let [real, evolution, _] = lines(&Status::default(), false, 0);
        assert!(real.1.contains("first segment") && evolution.1.contains("off"), "{real:?} {evolution:?}");
        assert_eq!(
            segment(&status(), true, 1, 1, minute).unwrap(),
            "segment 1 is over: real fitness +0.061, 1 goal, generation 40 (4:00 of 16:00 of arena time, 3 minutes left)"
        );
        assert_eq!(lines(&Status::default(), true, 0)[0].1, "robots wait until their first trees are evolved");
    }

    #[test]
    fn goals_and_repeats_are_one_line_each() {
        let mut events = Events::default();
        assert!(events.push("robot xp01 is here") && !events.push("goal 1, 40 s after the start"));
        assert!(!events.push("goal 2, 12 s after the last"));
        assert!(events.push("a") && !events.push("a") && !events.push("a"));
        assert_eq!(events.lines(), ["robot xp01 is here", "goal 2, 12 s after the last", "a (x3)"]);
        assert_eq!(events.goals(), 2);
        (0..9).for_each(|i| assert!(events.push(&format!("event {i}"))));
        assert_eq!(events.lines().len(), EVENTS);
    }

    #[test]
    fn slow_machine_is_reported_instead_of_lost_robot() {
        let event = "robot xp03 is lost (silent for 3 s): check its power and network; the run goes on";
        assert_eq!((lost(event), lost("robot xp01 is here")), (Some("xp03"), None));
        assert_eq!(lost("no poses for 1 s: check the motion-capture server"), Some("arena"));
        let said = overload_warning(&status(), Some("xp03"), 9, 8.0).unwrap();
        assert!(said.contains("xp03") && said.contains("--speed 4"), "{said}");
        assert!(overload_warning(&status(), None, 9, 8.0).is_none());
        let late = Status { slow_round_trips: 0.2, ..status() };
        assert!(overload_warning(&late, None, 9, 1.0).unwrap().contains("--count"));
    }
}

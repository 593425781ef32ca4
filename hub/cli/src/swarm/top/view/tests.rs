//! Snapshot tests of whole screens. `XPUCK_RENEW=1 cargo test -p xpuck-hub --bin xpuck swarm top` updates the
//! snapshots.

use super::*;
use crate::swarm::follow::EventBatch;
use crate::swarm::top::state::Input;
use crate::swarm::top::update::update;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use std::time::Duration;
use xpuck_wire::message::{Event, State};
use xpuck_wire::telemetry::{EngineReport, EvolutionReport};
use xpuck_wire::{LastDirective, Phase, Segment};

const RENEW: &str = "cargo test -p xpuck-hub --bin xpuck swarm top";

fn robot(number: u8) -> RobotRow {
    let n = f32::from(number);
    RobotRow {
        id: format!("xp{number:02}"),
        version: "0.2.0".into(),
        alive: true,
        state: State::Run,
        battery_v: Some(4.1 - 0.05 * n),
        battery_minutes: Some(80.0 - 3.0 * n),
        power_w: Some(3.3),
        soc_c: Some(50.0 + n),
        late_p99_ms: 0.1 * n,
        round_trip_ms: Some(2.0 + f64::from(number)),
        jitter_ms: Some(0.3),
        neighbours: 2,
        blue: [true, false, false],
        segment: 2,
        evolution: EvolutionReport {
            generation: 300 + u32::from(number),
            best: 0.2 + 0.01 * f64::from(number),
            evaluations: 16,
            mean: 0.05,
            duty: 1.0,
            ..EvolutionReport::default()
        },
        engine: EngineReport { name: "simd".into(), adapter: String::new(), r_acc: 128_000.0 },
        heard_s: Some(0.04),
        obeys: true,
        obeyed_ms: Some(90.0 + n),
        tree_nodes: Some(20 + u32::from(number)),
        ..RobotRow::default()
    }
}

fn status() -> Status {
    let mut robots: Vec<RobotRow> = (1..=9).map(robot).collect();
    robots[1].held = true;
    robots[3].device_trouble = "its camera gives no frames".into();
    robots[6] = RobotRow { alive: false, heard_s: Some(12.0), obeys: false, ..robot(7) };
    robots[8] = RobotRow { id: "xp09".into(), ..RobotRow::default() };
    Status {
        phase: Phase::Running,
        experiment: "transport".into(),
        task: "transport".into(),
        run_seconds: 245.0,
        run_length: 960.0,
        segment: 2,
        segments: vec![Segment { number: 2, fitness: 0.0613, seconds: 5.0, ..Segment::default() }],
        evolved: 0.2,
        dead: 1,
        tracking: true,
        pose_age_s: Some(0.012),
        record: "runs/transport-4217".into(),
        robots,
        directive: LastDirective { number: 4, state: State::Run, age_s: 3.0 },
        ..Status::default()
    }
}

fn swarm(status: Status) -> TopState {
    let mut top = TopState::default();
    for step in 0..60 {
        let evolved = 0.2 * f64::from(step) / 60.0;
        let then = Status { run_seconds: 4.0 * f64::from(step), evolved, ..status.clone() };
        update(&mut top, Input::Stands(Box::new(then)), Duration::ZERO);
    }
    update(&mut top, Input::Stands(Box::new(status)), Duration::ZERO);
    let event = |number, level, who: &str, text: &str| Event {
        number,
        time: 40.0 * number as f64,
        level,
        who: who.into(),
        text: text.into(),
    };
    let events = vec![
        event(1, Severity::Info, "", "all 9 robots are ready: RUN"),
        event(2, Severity::Info, "ada", "note: the lamp over the left end is off"),
        event(3, Severity::Warn, "", "robot xp07 is lost (silent for 3 s): check its power and network"),
    ];
    update(&mut top, Input::Happened(EventBatch::Events(events, 0)), Duration::ZERO);
    top
}

fn screen(top: &TopState, columns: u16, rows: u16) -> String {
    let mut terminal = Terminal::new(TestBackend::new(columns, rows)).unwrap();
    terminal.draw(|frame| draw(top, frame)).unwrap();
    let buffer = terminal.backend().buffer();
    let line = |y| (0..columns).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_string() + "\n";
    (0..rows).map(line).collect()
}

fn is_as_kept(name: &str, screen: &str) {
    xpuck_testing::page::assert_page_is_current(&format!("hub/cli/src/swarm/top/view/{name}.txt"), screen, RENEW);
}

#[test]
fn run_screen_fits_small_and_large_terminals() {
    let top = swarm(status());
    is_as_kept("run-80x24", &screen(&top, 80, 24));
    is_as_kept("run-120x40", &screen(&top, 120, 40));
    // Drawing must not panic at any size of the terminal.
    for (columns, rows) in [(1, 1), (10, 3), (40, 8), (300, 100)] {
        screen(&top, columns, rows);
    }
}

#[test]
fn detail_and_help_screens_fit_80x24() {
    let mut top = swarm(status());
    (top.detail, top.chosen) = (true, Some("xp04".into()));
    is_as_kept("detail-80x24", &screen(&top, 80, 24));
    top.mode = Mode::Help;
    is_as_kept("help-80x24", &screen(&top, 80, 24));
}

#[test]
fn silent_hub_is_shown() {
    let mut top = TopState::default();
    assert!(screen(&top, 80, 24).contains("waiting for the hub"));
    for heard in [false, true] {
        if heard {
            top = swarm(status());
        }
        update(&mut top, Input::Silent("no answer from the hub at tcp://127.0.0.1:7602".into()), Duration::ZERO);
        top.advance(Duration::from_secs(7));
        let screen = screen(&top, 80, 24);
        assert!(screen.contains("NO ANSWER for 7 s, retrying: no answer from the hub at tcp"), "{screen}");
    }
}

#[test]
fn foreign_text_is_escaped_on_screen() {
    let evil = "\u{1b}[2J\u{9b}31m\u{202e}\r\nx".to_string();
    let mut robot = robot(1);
    (robot.id, robot.version, robot.device_trouble, robot.refusal) =
        (evil.clone(), evil.clone(), evil.clone(), evil.clone());
    let status = Status {
        experiment: evil.clone(),
        record: evil.clone(),
        events: vec![evil.clone()],
        robots: vec![robot],
        ..status()
    };
    let mut top = swarm(status);
    let event = Event { number: 9, time: f64::NAN, level: Severity::Error, who: evil.clone(), text: evil.clone() };
    update(&mut top, Input::Happened(EventBatch::Events(vec![event], 0)), Duration::ZERO);
    update(&mut top, Input::Answered { what: "pause".into(), refused: Some(evil.clone()) }, Duration::ZERO);
    top.detail = true;
    for columns in [80, 200] {
        let screen = screen(&top, columns, 40);
        assert!(!screen.contains(|c: char| c != '\n' && c.is_control() || c == '\u{202e}'), "{screen:?}");
        assert!(screen.contains("\\u{1b}[2J"), "{screen}");
    }
    update(&mut top, Input::Silent(evil), Duration::ZERO);
    top.mode = Mode::Note("\u{1b}".into());
    assert!(!screen(&top, 120, 24).contains(|c: char| c != '\n' && c.is_control()));
}

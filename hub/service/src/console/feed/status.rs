//! Status of the hub in the format for pages, sent five times per second.

use super::brief_time;
use serde::Serialize;
use xpuck_wire::message::{Sensors, State};
use xpuck_wire::telemetry::{EngineReport, EvolutionReport, rounded};
use xpuck_wire::{ExperimentPhase, LastDirective, Phase, RobotRow, SecurityReport, Segment, Status};

/// Values that the hub's status lacks, because they do not belong to the run.
#[derive(Clone, Debug, Default)]
pub struct StatusContext {
    /// Wall time (ms since 1970).
    pub wall_unix_ms: u64,
    /// Seconds of arena time per second of wall time.
    pub speed: f64,
    /// Size of the open file of the record (bytes); `None` if no file is open.
    pub record_bytes: Option<u64>,
    /// Free space on the record's disk (bytes); `None` if unknown.
    pub disk_free_bytes: Option<u64>,
    /// Number of pages that receive events.
    pub watchers: usize,
}

#[derive(Serialize)]
struct Shown<'a> {
    t: f64,
    wall_unix_ms: u64,
    speed: f64,
    phase: Phase,
    experiment: &'a str,
    task: &'a str,
    started_by: &'a str,
    phase_of: Option<&'a ExperimentPhase>,
    run_seconds: f64,
    run_length: f64,
    segment: u32,
    segments: &'a [Segment],
    evolved: f64,
    round_trip_ms: f64,
    slow_round_trips: f64,
    dead: u32,
    tracking: bool,
    pose_age_s: Option<f64>,
    refused_poses: &'a [(String, u64)],
    names: &'a str,
    record: &'a str,
    record_bytes: Option<u64>,
    disk_free_bytes: Option<u64>,
    security: &'a SecurityReport,
    log_lines_lost: u64,
    directive: LastDirective,
    robots: Vec<Row<'a>>,
    watchers: usize,
}

#[derive(Serialize)]
struct Row<'a> {
    id: &'a str,
    version: &'a str,
    alive: bool,
    state: State,
    heard_s: Option<f64>,
    held: bool,
    identifying: bool,
    obeys: bool,
    obeyed_ms: Option<f32>,
    battery_v: Option<f32>,
    battery_w: Option<f32>,
    battery_minutes: Option<f32>,
    sensors: Option<&'a Sensors>,
    battery_doubt: &'a str,
    soc_c: Option<f32>,
    late_p99_ms: f32,
    round_trip_ms: Option<f64>,
    jitter_ms: Option<f32>,
    neighbours: u32,
    blue: [bool; 3],
    segment: u32,
    device_errors: u64,
    device_trouble: &'a str,
    log_lines_lost: u32,
    evolution: EvolutionReport,
    engine: &'a EngineReport,
    tree_nodes: Option<u32>,
    refusal: &'a str,
}

fn row<'a>(r: &'a RobotRow, speed: f64) -> Row<'a> {
    let brief = |value: Option<f32>, places| value.map(|value| rounded(value, places));
    let mut evolution = r.evolution;
    for value in [&mut evolution.best, &mut evolution.derated, &mut evolution.mean] {
        *value = brief_time(*value);
    }
    Row {
        id: &r.id,
        version: &r.version,
        alive: r.alive,
        state: r.state,
        heard_s: r.heard_s.map(|age| brief_time(age / speed)),
        held: r.held,
        identifying: r.identifying,
        obeys: r.obeys,
        obeyed_ms: brief(r.obeyed_ms, 1),
        battery_v: brief(r.battery_v, 3),
        battery_w: brief(r.power_w, 3),
        battery_minutes: brief(r.battery_minutes, 1),
        sensors: r.sensors.as_deref(),
        battery_doubt: &r.battery_doubt,
        soc_c: brief(r.soc_c, 1),
        late_p99_ms: rounded(r.late_p99_ms, 2),
        round_trip_ms: r.round_trip_ms,
        jitter_ms: brief(r.jitter_ms, 2),
        neighbours: r.neighbours,
        blue: r.blue,
        segment: r.segment,
        device_errors: r.device_errors,
        device_trouble: &r.device_trouble,
        log_lines_lost: r.log_lines_lost,
        evolution,
        engine: &r.engine,
        tree_nodes: r.tree_nodes,
        refusal: &r.refusal,
    }
}

/// Converts a status of the hub to the format for pages.
pub fn status<'a>(s: &'a Status, around: &StatusContext) -> impl Serialize + use<'a> {
    let speed = around.speed;
    Shown {
        t: brief_time(s.time),
        wall_unix_ms: around.wall_unix_ms,
        speed,
        phase: s.phase,
        experiment: &s.experiment,
        task: &s.task,
        started_by: &s.started_by,
        phase_of: s.experiment_phase.as_ref(),
        run_seconds: brief_time(s.run_seconds),
        run_length: s.run_length,
        segment: s.segment,
        segments: &s.segments,
        evolved: brief_time(s.evolved),
        round_trip_ms: brief_time(s.round_trip_ms),
        slow_round_trips: s.slow_round_trips,
        dead: s.dead,
        tracking: s.tracking,
        pose_age_s: s.pose_age_s.map(brief_time),
        refused_poses: &s.refused_poses,
        names: &s.names,
        record: &s.record,
        record_bytes: around.record_bytes,
        disk_free_bytes: around.disk_free_bytes,
        security: &s.security,
        log_lines_lost: s.log_lines_lost,
        directive: s.directive,
        robots: s.robots.iter().map(|r| row(r, speed)).collect(),
        watchers: around.watchers,
    }
}

//! All metrics of the hub. Dashboards and alarms depend on the names of the metrics.

use super::health::Facts;
use super::instruments::{Value, add, raise};
use super::ports::PortMetrics;
use super::stream::Counts;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::{Histogram, exponential_buckets};
use prometheus_client::registry::Registry;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use xpuck_wire::message::State;
use xpuck_wire::{Phase, Status};

/// Measured values, one for each robot of the swarm file.
type Values = Family<Robot, Value>;

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Robot {
    robot: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RobotState {
    robot: String,
    state: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RobotEngine {
    robot: String,
    engine: String,
    adapter: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct Reason {
    reason: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PoseReason {
    reason: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct PhaseLabel {
    phase: &'static str,
}

const STATES: [(State, &str); 5] = [
    (State::Idle, "idle"),
    (State::Ready, "ready"),
    (State::Run, "run"),
    (State::Pause, "pause"),
    (State::Stop, "stop"),
];
const PHASES: [(Phase, &str); 9] = [
    (Phase::Idle, "idle"),
    (Phase::Preparing, "preparing"),
    (Phase::Running, "running"),
    (Phase::Paused, "paused"),
    (Phase::Relocating, "relocating"),
    (Phase::Blind, "blind"),
    (Phase::Resting, "resting"),
    (Phase::Finished, "finished"),
    (Phase::Parking, "parking"),
];

/// All metrics of the hub. [`super::Observer`] updates the public fields directly when events occur.
pub struct Metrics {
    pub(super) turn: Histogram,
    pub(super) round_trip: Histogram,
    pub(super) senses_delay: Histogram,
    pub(super) dropped: Counter,
    pub(super) senses: Counter,
    pub(super) frames: Counter,
    pub(super) memory: Value,
    pub(super) cpu: Counter<f64, AtomicU64>,
    refused: Family<Reason, Counter>,
    links_ended: Counter,
    log_lines_lost: Counter,
    poses_refused: Family<PoseReason, Counter>,
    robots: Robots,
    run: Run,
    stream: StreamMetrics,
    viewers: Value,
    viewers_left_out: Counter,
    ports: PortMetrics,
}

struct Robots {
    up: Values,
    state: Family<RobotState, Value>,
    battery: Values,
    power: Values,
    temperature: Values,
    lateness: Values,
    round_trip: Values,
    device_errors: Values,
    log_lines_lost: Values,
    generation: Values,
    fitness: Values,
    derated: Values,
    r_acc: Values,
    engine: Family<RobotEngine, Value>,
}

struct Run {
    phase: Family<PhaseLabel, Value>,
    seconds: Value,
    segment: Value,
    fitness: Value,
    evolved: Value,
    dead: Value,
    slow: Value,
    tracking: Value,
    pose_age: Value,
    record_open: Value,
    record_bytes: Value,
}

struct StreamMetrics {
    sent: Counter,
    left_out: Counter,
    turned_away: Counter,
    watchers: Value,
    subscriptions: Value,
}

impl Metrics {
    /// Creates the metrics with initial values, and the registry that exports them.
    pub fn new() -> (Metrics, Registry) {
        let mut registry = Registry::default();
        let r = &mut registry;
        let times = |first| Histogram::new(exponential_buckets(first, 2.0, 14));
        let metrics = Metrics {
            turn: add(r, "xpuck_hub_turn_seconds", "Duration of one cycle of the hub's main loop", times(0.000_05)),
            senses_delay: add(
                r,
                "xpuck_senses_delay_seconds",
                "Delay from the arrival of a frame to the sending of a message with senses",
                Histogram::new(exponential_buckets(0.000_25, 1.25, 32)),
            ),
            round_trip: add(r, "xpuck_round_trip_seconds", "Round trips to robots, wall time", times(0.000_25)),
            dropped: add(
                r,
                "xpuck_messages_dropped",
                "Messages dropped: the robot's queue was full, or the robot is not connected",
                Counter::default(),
            ),
            senses: add(r, "xpuck_senses_sent", "Messages of virtual senses sent", Counter::default()),
            frames: add(r, "xpuck_mocap_frames", "Frames of motion capture that passed the gates", Counter::default()),
            memory: add(r, "process_resident_memory_bytes", "Memory of the hub's process", Value::default()),
            cpu: add(r, "process_cpu_seconds", "Processor time of the hub's process", Counter::default()),
            refused: add(r, "xpuck_messages_refused", "Messages from robots rejected, by reason", Family::default()),
            links_ended: add(r, "xpuck_links_ended", "Connections of robots that ended", Counter::default()),
            log_lines_lost: add(r, "xpuck_log_lines_lost", "Lines of the hub's log that were lost", Counter::default()),
            poses_refused: add(
                r,
                "xpuck_mocap_poses_refused",
                "Poses rejected, by reason; a stale frame counts as one",
                Family::default(),
            ),
            robots: Robots::new(r),
            run: Run::new(r),
            ports: PortMetrics::new(r),
            viewers: add(r, "xpuck_foxglove_viewers", "Viewers connected by Foxglove's protocol", Value::default()),
            viewers_left_out: add(
                r,
                "xpuck_foxglove_left_out",
                "Messages dropped because a viewer or this machine was too slow",
                Counter::default(),
            ),
            stream: StreamMetrics {
                sent: add(r, "xpuck_stream_messages", "Messages on the stream", Counter::default()),
                left_out: add(
                    r,
                    "xpuck_stream_left_out",
                    "Messages dropped from the stream because of its rate limit",
                    Counter::default(),
                ),
                turned_away: add(
                    r,
                    "xpuck_stream_turned_away",
                    "Stream clients rejected: too many, or too much data sent",
                    Counter::default(),
                ),
                watchers: add(r, "xpuck_stream_watchers", "Stream clients", Value::default()),
                subscriptions: add(
                    r,
                    "xpuck_stream_subscriptions",
                    "Topics requested by stream clients",
                    Value::default(),
                ),
            },
        };
        for reason in ["size", "version", "unknown", "malformed", "stranger"] {
            // The counter of each reason is exported from the start, so that the first rejection is visible as an
            // increase.
            drop(metrics.refused.get_or_create(&Reason { reason }));
        }
        for reason in xpuck_hub_core::mocap::gates::Reason::ALL {
            drop(metrics.poses_refused.get_or_create(&PoseReason { reason: reason.words().into() }));
        }
        (metrics, registry)
    }

    /// Records the number of poses rejected so far by the pose filter, by reason.
    pub fn gates(&self, refused: &[(String, u64)]) {
        for (reason, count) in refused {
            raise(&self.poses_refused.get_or_create(&PoseReason { reason: reason.clone() }), *count);
        }
    }

    /// Counts a rejected message.
    pub fn refused(&self, reason: &'static str) {
        self.refused.get_or_create(&Reason { reason }).inc();
    }

    /// Records the number of ended robot connections so far.
    pub fn links(&self, ended: u64) {
        raise(&self.links_ended, ended);
    }

    /// Records the connection counts of the robots' port and the operators' port.
    pub fn ports(&self, counts: &[crate::admission::Counts; 2]) {
        self.ports.show(counts);
    }

    /// Records the number of viewers of the live view, and the number of messages that they have missed so far.
    pub fn viewers(&self, viewers: usize, left_out: u64) {
        self.viewers.set(viewers as f64);
        raise(&self.viewers_left_out, left_out);
    }

    /// Records the stream's counters.
    pub fn streamed(&self, counts: Counts) {
        raise(&self.stream.sent, counts.sent);
        raise(&self.stream.left_out, counts.left_out);
        raise(&self.stream.turned_away, counts.turned_away);
        self.stream.watchers.set(counts.watchers as f64);
        self.stream.subscriptions.set(counts.subscriptions as f64);
    }

    /// Records the status of the hub. `record` is the file of the open record. `strangers` is the number of messages
    /// from robots that are not in the swarm file.
    pub fn status(&self, status: &Status, facts: &Facts, record: Option<&Path>, strangers: u64) {
        raise(&self.refused.get_or_create(&Reason { reason: "stranger" }), strangers);
        raise(&self.log_lines_lost, status.log_lines_lost);
        self.robots.show(status);
        self.run.show(status, facts, record);
    }
}

impl Robots {
    fn new(r: &mut Registry) -> Robots {
        let mut of = |name: &str, help: &str| add(r, &format!("xpuck_robot_{name}"), help, Values::default());
        Robots {
            up: of("up", "1 while the robot is connected"),
            battery: of("battery_volts", "Battery"),
            power: of("power_watts", "Power drawn from the battery"),
            temperature: of("temperature_celsius", "Temperature of the board's processor"),
            lateness: of("late_p99_seconds", "99th percentile of control update lateness"),
            round_trip: of("round_trip_seconds", "Latest round trip"),
            device_errors: of("device_errors", "Device errors since its program started"),
            log_lines_lost: of("log_lines_lost", "Log lines lost since its program started"),
            generation: of("generation", "Generations done"),
            fitness: of("fitness_ratio", "Estimated fitness of the champion"),
            derated: of("derated_fitness_ratio", "Estimated fitness of the champion, derated for few evaluations"),
            r_acc: of("simulated_seconds_per_second", "Robot-seconds simulated per second, over the last generations"),
            engine: add(r, "xpuck_robot_engine", "1 for the engine in use, and its adapter", Family::default()),
            state: add(r, "xpuck_robot_state", "1 for the robot's current state", Family::default()),
        }
    }

    /// Exports the values of each robot. Removes values that a robot no longer reports.
    fn show(&self, status: &Status) {
        self.engine.clear();
        for row in &status.robots {
            if row.alive && !row.engine.name.is_empty() {
                let (robot, engine, adapter) = (row.id.clone(), row.engine.name.clone(), row.engine.adapter.clone());
                self.engine.get_or_create(&RobotEngine { robot, engine, adapter }).set(1.0);
            }
            let robot = Robot { robot: row.id.clone() };
            let rows = [
                (&self.up, Some(f64::from(u8::from(row.alive)))),
                (&self.battery, row.battery_v.map(f64::from)),
                (&self.power, row.power_w.map(f64::from)),
                (&self.temperature, row.soc_c.map(f64::from)),
                (&self.lateness, Some(f64::from(row.late_p99_ms) / 1000.0)),
                (&self.round_trip, row.round_trip_ms.map(|ms| ms / 1000.0)),
                (&self.device_errors, Some(row.device_errors as f64)),
                (&self.log_lines_lost, Some(f64::from(row.log_lines_lost))),
                (&self.generation, Some(f64::from(row.evolution.generation))),
                (&self.fitness, Some(row.evolution.best)),
                (&self.derated, Some(row.evolution.derated)),
                (&self.r_acc, Some(f64::from(row.engine.r_acc)).filter(|r_acc| *r_acc > 0.0)),
            ];
            for (values, value) in rows {
                match value.filter(|_| row.alive || std::ptr::eq(values, &self.up)) {
                    Some(value) => drop(values.get_or_create(&robot).set(value)),
                    None => drop(values.remove(&robot)),
                }
            }
            for (state, name) in STATES {
                let here = row.alive && row.state == state;
                let label = RobotState { robot: row.id.clone(), state: name };
                self.state.get_or_create(&label).set(f64::from(u8::from(here)));
            }
        }
    }
}

impl Run {
    fn new(r: &mut Registry) -> Run {
        let phase = add(r, "xpuck_run_phase", "1 for the hub's current phase", Family::default());
        let mut one = |name: &str, help: &str| add(r, &format!("xpuck_{name}"), help, Value::default());
        Run {
            phase,
            seconds: one("run_seconds", "Time of the run without pauses, arena time"),
            segment: one("run_segment", "Segment of the run"),
            fitness: one("run_fitness_ratio", "Real fitness of the current segment so far"),
            evolved: one("run_evolved_ratio", "Mean derated fitness of the robots' champions"),
            dead: one("run_lost_robots", "Number of times that a robot was lost during the run"),
            slow: one("run_slow_round_trips_ratio", "Fraction of the run's round trips above 100 ms"),
            tracking: one("mocap_tracking", "1 while poses are received"),
            pose_age: one("mocap_pose_age_seconds", "Time since the last frame, arena time"),
            record_open: one("record_open", "1 while a record is open"),
            record_bytes: one("record_bytes", "Size of the open record"),
        }
    }

    fn show(&self, status: &Status, facts: &Facts, record: Option<&Path>) {
        for (phase, name) in PHASES {
            let here = f64::from(u8::from(status.phase == phase));
            self.phase.get_or_create(&PhaseLabel { phase: name }).set(here);
        }
        self.seconds.set(status.run_seconds);
        self.segment.set(f64::from(status.segment));
        self.fitness.set(status.segments.last().map_or(0.0, |segment| segment.fitness));
        self.evolved.set(status.evolved);
        self.dead.set(f64::from(status.dead));
        self.slow.set(status.slow_round_trips);
        self.tracking.set(f64::from(u8::from(status.tracking)));
        self.pose_age.set(facts.last_frame.map_or(f64::INFINITY, |at| status.time - at));
        self.record_open.set(f64::from(u8::from(facts.recording)));
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |m| m.len());
        self.record_bytes.set(record.map_or(0, size) as f64);
    }
}

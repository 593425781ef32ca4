//! Monitoring of the hub: metrics for Prometheus, health for a supervisor, and the stream for PlotJuggler. The hub's
//! loop reports events to [`Observer`]; this module takes no decisions.

#[cfg(test)]
mod dashboard;
mod exposition;
mod health;
mod instruments;
mod metrics;
mod ports;
mod process;
mod stream;

pub use exposition::Form;
pub use health::{Facts, reasons};
pub use stream::{MAX_RATE, Streamer};

use crate::admission::{Bounds, Counts};
use metrics::Metrics;
use process::Process;
use std::io;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use tracing::warn;
use xpuck_hub_core::config::Config;
use xpuck_hub_core::entry::Entry;
use xpuck_wire::Status;
use xpuck_wire::codec::CodecError;
use xpuck_wire::message::{RobotMessage, ToRobot};
use xpuck_wire::socket::Sockets;

/// Time without a turn of the hub's loop after which the hub is unhealthy.
const STALLED_AFTER: Duration = Duration::from_secs(2);

/// Read access to metrics and health for the console, from any thread.
#[derive(Clone, Default)]
pub struct MetricsView {
    registry: Arc<prometheus_client::registry::Registry>,
    loop_state: Arc<Mutex<LoopState>>,
}

/// State of the hub's loop, for the health check.
#[derive(Default)]
struct LoopState {
    /// Whether a hub's loop exists. The hub is then unhealthy until the first turn of this loop.
    watched: bool,
    /// Time of the last turn of the loop.
    turned: Option<Instant>,
    ailments: Vec<String>,
}

impl MetricsView {
    /// Returns all metrics as text in the given format.
    pub fn metrics(&self, form: Form) -> String {
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = prometheus_client::encoding::text::encode(&mut text, &self.registry);
        form.convert(text)
    }

    /// Returns the reasons why the hub is unhealthy, one line each. The list is empty if the hub is healthy.
    pub fn health_reasons(&self) -> Vec<String> {
        let state = self.loop_state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.turned.map(|at| at.elapsed()) {
            None if state.watched => vec!["the hub's main loop has not run yet".into()],
            Some(still) if still > STALLED_AFTER => {
                vec![format!("the hub's main loop has not run for {:.1} s", still.as_secs_f64())]
            }
            _ => state.ailments.clone(),
        }
    }
}

/// Receiver of the events of the hub's loop, which updates metrics, health and stream.
pub struct Observer {
    metrics: Metrics,
    process: Process,
    streamer: Option<Streamer>,
    window: MetricsView,
    facts: Facts,
    /// Arrival time of the last processed frame; `None` before the first frame.
    arrived: Option<Instant>,
    speed: f64,
}

impl Observer {
    /// Creates an observer, and opens the stream if the hub's file configures one. `bounds` limits the connections of
    /// the stream's port.
    ///
    /// # Errors
    /// The stream's port is in use.
    pub fn new(config: &Config, sockets: &Sockets, bounds: Bounds) -> io::Result<Observer> {
        let (metrics, registry) = Metrics::new();
        let stream = config.hub.stream.as_ref();
        if let Some(stream) = stream.filter(|s| s.plain && !config.swarm.security.dev_mode) {
            let address = &stream.address;
            warn!(target: "hub", "stream.plain: anyone who reaches {address} sees telemetry, poses and status");
        }
        let streamer = stream.map(|s| Streamer::listen(&s.address, sockets, s.plain, bounds)).transpose()?;
        Ok(Observer {
            metrics,
            process: Process::default(),
            streamer,
            window: MetricsView {
                registry: Arc::new(registry),
                loop_state: Arc::new(Mutex::new(LoopState { watched: true, ..LoopState::default() })),
            },
            facts: Facts::default(),
            arrived: None,
            speed: config.swarm.speed,
        })
    }

    /// Returns read access to metrics and health for the console.
    pub fn window(&self) -> MetricsView {
        self.window.clone()
    }

    /// Records the duration of a turn of the hub's loop, without the wait for messages.
    pub fn turn(&mut self, took: Duration) {
        self.metrics.turn.observe(took.as_secs_f64());
        self.facts.slowest_turn = self.facts.slowest_turn.max(took);
    }

    /// Records a message from a robot, or the error if its bytes are invalid.
    pub fn message(&self, now: f64, message: &Result<RobotMessage, CodecError>) {
        match message {
            Ok(RobotMessage::Pong { stamp }) => {
                self.metrics.round_trip.observe((now - stamp).max(0.0) / self.speed);
            }
            Ok(_) => {}
            Err(error) => self.metrics.refused(match error {
                CodecError::Size(_) => "size",
                CodecError::Version(_) => "version",
                CodecError::Unknown(_) => "unknown",
                CodecError::Malformed(_) => "malformed",
            }),
        }
    }

    /// Records a message to a robot. `sent` is false if the robot's queue was full or the robot was not connected.
    pub fn sent(&self, message: &ToRobot, sent: bool) {
        if !sent {
            self.metrics.dropped.inc();
        } else if matches!(message, ToRobot::Senses { .. }) {
            self.metrics.senses.inc();
            if let Some(arrived) = self.arrived {
                self.metrics.senses_delay.observe(arrived.elapsed().as_secs_f64());
            }
        }
    }

    /// Records a frame of motion capture with its time of arrival.
    pub fn frame(&mut self, now: f64, arrived: Instant) {
        self.metrics.frames.inc();
        self.facts.last_frame = Some(now);
        self.arrived = Some(arrived);
    }

    /// Streams an entry of the record, if its kind is streamed.
    pub fn entry(&mut self, wall: f64, entry: &Entry) {
        let Some(streamer) = &mut self.streamer else { return };
        match entry {
            Entry::Poses { time, bodies } => streamer.poses(wall, *time, bodies),
            Entry::Telemetry { time, robot, telemetry, .. } => streamer.telemetry(wall, *time, robot, telemetry),
            _ => {}
        }
    }

    /// Records the number of viewers of the live view, and the number of messages that they have missed so far.
    pub fn viewers(&self, viewers: usize, left_out: u64) {
        self.metrics.viewers(viewers, left_out);
    }

    /// Records the number of ended robot connections so far.
    pub fn links(&self, ended: u64) {
        self.metrics.links(ended);
    }

    /// Records the connection counts of the robots' port and the operators' port.
    pub fn ports(&self, counts: &[Counts; 2]) {
        self.metrics.ports(counts);
    }

    /// Records the status, ten times a second. `record` is the file of the open record. `strangers` is the number of
    /// messages from robots that are not in the swarm file.
    pub fn status(&mut self, wall: f64, status: &Status, record: Option<&Path>, strangers: u64) {
        self.facts.recording = record.is_some();
        self.facts.log.look(wall, status.log_lines_lost);
        self.metrics.status(status, &self.facts, record, strangers);
        self.metrics.gates(&status.refused_poses);
        self.process.read(&self.metrics);
        let ailments = reasons(status, &self.facts);
        let mut state = self.window.loop_state.lock().unwrap_or_else(PoisonError::into_inner);
        (state.turned, state.ailments) = (Some(Instant::now()), ailments);
        drop(state);
        self.facts.slowest_turn = Duration::ZERO;
        if let Some(streamer) = &mut self.streamer {
            streamer.status(wall, status);
            self.metrics.streamed(streamer.counts());
        }
    }
}

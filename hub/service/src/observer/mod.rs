//! Who watches the hub from outside: metrics for Prometheus, health for a supervisor, and the stream for PlotJuggler.
//! The hub's loop tells [`Observer`] what happens; nothing here decides anything.

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

/// A loop that has not turned for so long is not well.
const STILL: Duration = Duration::from_secs(2);

/// What the console serves of this; it may be read by any thread.
#[derive(Clone, Default)]
pub struct Window {
    registry: Arc<prometheus_client::registry::Registry>,
    loop_state: Arc<Mutex<LoopState>>,
}

/// What is known of the hub's loop.
#[derive(Default)]
struct LoopState {
    /// There is one, which has to turn.
    watched: bool,
    /// When it turned last.
    turned: Option<Instant>,
    ailments: Vec<String>,
}

impl Window {
    /// All metrics in a text form.
    pub fn metrics(&self, form: Form) -> String {
        let mut text = String::new();
        // Writing into a string cannot go wrong.
        let _ = prometheus_client::encoding::text::encode(&mut text, &self.registry);
        form.of(text)
    }

    /// Why the hub is not well, a line each; none if it is.
    pub fn ailments(&self) -> Vec<String> {
        let state = self.loop_state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.turned.map(|at| at.elapsed()) {
            None if state.watched => vec!["the hub's loop has not turned yet".into()],
            Some(still) if still > STILL => {
                vec![format!("the hub's loop has not turned for {:.1} s", still.as_secs_f64())]
            }
            _ => state.ailments.clone(),
        }
    }
}

/// What the hub's loop tells of.
pub struct Observer {
    metrics: Metrics,
    process: Process,
    streamer: Option<Streamer>,
    window: Window,
    facts: Facts,
    /// When the frame arrived that was taken last.
    arrived: Option<Instant>,
    speed: f64,
}

impl Observer {
    /// Nothing seen yet; opens the stream if the hub's file has one. `bounds` are those of the stream's port.
    ///
    /// # Errors
    /// If the stream's port is in use.
    pub fn new(config: &Config, sockets: &Sockets, bounds: Bounds) -> io::Result<Observer> {
        let (metrics, registry) = Metrics::new();
        let stream = config.hub.stream.as_ref();
        if let Some(stream) = stream.filter(|s| s.plain && !config.swarm.security.dev_mode) {
            let address = &stream.address;
            warn!(target: "hub", "stream.plain: whoever reaches {address} sees telemetry, poses and status");
        }
        let streamer = stream.map(|s| Streamer::listen(&s.address, sockets, s.plain, bounds)).transpose()?;
        Ok(Observer {
            metrics,
            process: Process::default(),
            streamer,
            window: Window {
                registry: Arc::new(registry),
                loop_state: Arc::new(Mutex::new(LoopState { watched: true, ..LoopState::default() })),
            },
            facts: Facts::default(),
            arrived: None,
            speed: config.swarm.speed,
        })
    }

    /// What the console may serve.
    pub fn window(&self) -> Window {
        self.window.clone()
    }

    /// One turn of the hub's loop took so long, the wait for messages left out.
    pub fn turn(&mut self, took: Duration) {
        self.metrics.turn.observe(took.as_secs_f64());
        self.facts.slowest_turn = self.facts.slowest_turn.max(took);
    }

    /// A message from a robot, or bytes that were none.
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

    /// A message for a robot was sent, or its queue was full or nobody is there.
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

    /// A frame of motion capture is taken, which arrived at that moment.
    pub fn frame(&mut self, now: f64, arrived: Instant) {
        self.metrics.frames.inc();
        self.facts.last_frame = Some(now);
        self.arrived = Some(arrived);
    }

    /// An entry of the record, which may be streamed.
    pub fn entry(&mut self, wall: f64, entry: &Entry) {
        let Some(streamer) = &mut self.streamer else { return };
        match entry {
            Entry::Poses { time, bodies } => streamer.poses(wall, *time, bodies),
            Entry::Telemetry { time, robot, telemetry, .. } => streamer.telemetry(wall, *time, robot, telemetry),
            _ => {}
        }
    }

    /// Viewers of the live view, and messages that they missed so far.
    pub fn viewers(&self, viewers: usize, left_out: u64) {
        self.metrics.viewers(viewers, left_out);
    }

    /// Connections of robots that ended so far.
    pub fn links(&self, ended: u64) {
        self.metrics.links(ended);
    }

    /// Connections of the robots' and the operators' port.
    pub fn ports(&self, counts: &[Counts; 2]) {
        self.metrics.ports(counts);
    }

    /// How things stand, ten times a second; `record` is the open record, `strangers` counts messages of robots that are
    /// not in the swarm file.
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

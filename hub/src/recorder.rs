//! The recorder: one directory a run, everything in one MCAP file that Foxglove opens.

use serde::Serialize;
use std::collections::BTreeMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use xpuck_wire::message::{Birth, Gene};
use xpuck_wire::telemetry::Telemetry;
use xpuck_wire::{Body, Status};

/// Records are flushed at least so often.
const FLUSH: Duration = Duration::from_millis(500);
/// The record while it is being written, and when it is whole.
const OPEN_NAME: &str = "run.mcap.open";
/// See [`OPEN_NAME`].
pub const NAME: &str = "run.mcap";

/// Something to record; times are seconds of arena time since the hub started.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum Entry {
    /// Poses of all bodies, 25 times a second.
    Poses {
        /// When.
        time: f64,
        /// Who and where.
        bodies: Vec<Body>,
    },
    /// A robot's telemetry.
    Telemetry {
        /// When it came.
        time: f64,
        /// The robot.
        robot: String,
        /// Its last round trip, ms of wall time.
        round_trip_ms: Option<f64>,
        /// What it told.
        telemetry: Box<Telemetry>,
    },
    /// A generation of an island.
    Genes {
        /// When it came.
        time: f64,
        /// The robot.
        robot: String,
        /// Generations done.
        generation: u32,
        /// The individual it offered to the others.
        emigrant: Gene,
        /// Who was born in it.
        births: Vec<Birth>,
    },
    /// A tree took control of a robot.
    Loaded {
        /// When it came.
        time: f64,
        /// The robot.
        robot: String,
        /// The segment.
        segment: u32,
        /// The tree.
        gene: Gene,
    },
    /// Something happened.
    Event {
        /// When.
        time: f64,
        /// What.
        text: String,
    },
}

impl Entry {
    /// The channel's topic and the time.
    fn topic(&self) -> (&'static str, f64) {
        match self {
            Entry::Poses { time, .. } => ("/poses", *time),
            Entry::Telemetry { time, .. } => ("/telemetry", *time),
            Entry::Genes { time, .. } => ("/genes", *time),
            Entry::Loaded { time, .. } => ("/loaded", *time),
            Entry::Event { time, .. } => ("/events", *time),
        }
    }
}

/// What the run was, for `run.toml`.
#[derive(Debug, Serialize)]
struct RunFile<'a> {
    version: &'a str,
    started_unix_ms: u64,
    seed: u64,
    robots: &'a [String],
    speed: f64,
    experiment: toml::Table,
    hub: &'a crate::config::HubFile,
}

/// A record that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("record {}: {message}", path.display())]
pub struct RecordError {
    path: PathBuf,
    message: String,
}

/// An open record.
pub struct Recorder {
    directory: PathBuf,
    writer: mcap::Writer<BufWriter<File>>,
    channels: BTreeMap<&'static str, u16>,
    sequence: u32,
    flushed: Instant,
}

impl Recorder {
    /// Opens the record of a run that starts now, in a new directory below the configured one.
    pub fn open(
        config: &crate::config::Config,
        name: &str,
        text: &str,
        seed: u64,
        unix_ms: u64,
    ) -> Result<Recorder, RecordError> {
        let clean: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(40).collect();
        let directory = config.hub.record.directory.join(format!("{clean}-{unix_ms}-seed{seed}"));
        let fail = |message: String| RecordError { path: directory.clone(), message };
        std::fs::create_dir_all(&directory).map_err(|e| fail(format!("{e}; is the place writable?")))?;
        let run = RunFile {
            version: env!("CARGO_PKG_VERSION"),
            started_unix_ms: unix_ms,
            seed,
            robots: &config.swarm.robots,
            speed: config.swarm.speed,
            experiment: text.parse().unwrap_or_default(),
            hub: &config.hub,
        };
        let run = toml::to_string(&run).map_err(|e| fail(e.to_string()))?;
        std::fs::write(directory.join("run.toml"), run).map_err(|e| fail(e.to_string()))?;
        let file = File::create(directory.join(OPEN_NAME)).map_err(|e| fail(e.to_string()))?;
        let writer = mcap::WriteOptions::new()
            .profile("")
            .library(concat!("xpuck ", env!("CARGO_PKG_VERSION")))
            .chunk_size(Some(256 * 1024))
            .create(BufWriter::new(file))
            .map_err(|e| fail(e.to_string()))?;
        Ok(Recorder { directory, writer, channels: BTreeMap::new(), sequence: 0, flushed: Instant::now() })
    }

    /// The run's directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    fn fail(&self, error: impl std::fmt::Display) -> RecordError {
        RecordError { path: self.directory.clone(), message: error.to_string() }
    }

    /// Writes an entry, and flushes when the last flush was half a second ago.
    pub fn write(&mut self, entry: &Entry) -> Result<(), RecordError> {
        let (topic, time) = entry.topic();
        let channel = match self.channels.get(topic) {
            Some(id) => *id,
            None => {
                let schema = self
                    .writer
                    .add_schema(&topic[1..], "jsonschema", br#"{"type":"object"}"#)
                    .map_err(|e| self.fail(e))?;
                let id = self.writer.add_channel(schema, topic, "json", &BTreeMap::new()).map_err(|e| self.fail(e))?;
                self.channels.insert(topic, id);
                id
            }
        };
        let nanoseconds = (time.max(0.0) * 1e9) as u64;
        let header = mcap::records::MessageHeader {
            channel_id: channel,
            sequence: self.sequence,
            log_time: nanoseconds,
            publish_time: nanoseconds,
        };
        self.sequence = self.sequence.wrapping_add(1);
        let bytes = serde_json::to_vec(entry).map_err(|e| self.fail(e))?;
        self.writer.write_to_known_channel(&header, &bytes).map_err(|e| self.fail(e))?;
        if self.flushed.elapsed() > FLUSH {
            self.flush()?;
        }
        Ok(())
    }

    /// Brings everything written so far to the file.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        self.flushed = Instant::now();
        self.writer.flush().map_err(|e| self.fail(e))
    }

    /// Finishes the file, writes the final status beside it, and gives the file its lasting name.
    pub fn close(mut self, status: &Status) -> Result<PathBuf, RecordError> {
        self.writer.finish().map_err(|e| self.fail(e))?;
        let json = serde_json::to_vec_pretty(status).map_err(|e| self.fail(e))?;
        std::fs::write(self.directory.join("result.json"), json).map_err(|e| self.fail(e))?;
        let path = self.directory.join(NAME);
        std::fs::rename(self.directory.join(OPEN_NAME), &path).map_err(|e| self.fail(e))?;
        Ok(path)
    }
}

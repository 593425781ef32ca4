//! Entries of a record.

use crate::births::Births;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use xpuck_wire::message::{Emigrant, Estimate, LogLine, Population, Sampled, Sensors, Severity, TagSeen};
use xpuck_wire::telemetry::{Telemetry, rounded};
use xpuck_wire::updates::Updates;
use xpuck_wire::{Body, Phase, Segment};

/// Topics of a record. They have the same order as the variants of [`Entry`].
pub const TOPICS: [&str; 13] = [
    "/poses",
    "/telemetry",
    "/genes",
    "/loaded",
    "/run",
    "/events",
    "/updates",
    "/logs",
    "/samples",
    "/populations",
    "/tags",
    "/sensors",
    "/estimates",
];

/// Entry of a record. Times count from the start of the hub (s of arena time), and continue after a run is resumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
// Unknown fields are ignored when a record is read, because later versions may add fields. The schema does not allow
// unknown fields, because this version writes no other fields.
#[schemars(deny_unknown_fields)]
pub enum Entry {
    /// Poses of all bodies, at 25 Hz.
    Poses {
        /// Time (s of arena time).
        #[serde(serialize_with = "brief")]
        time: f64,
        /// Names and poses of the bodies.
        #[serde(serialize_with = "places")]
        bodies: Vec<Body>,
    },
    /// Telemetry of a robot.
    Telemetry {
        /// Time of arrival (s of arena time).
        #[serde(serialize_with = "brief")]
        time: f64,
        /// Robot id.
        robot: String,
        /// Last round-trip time (ms of wall time).
        round_trip_ms: Option<f64>,
        /// Telemetry as sent by the robot.
        telemetry: Box<Telemetry>,
    },
    /// Finished generation of an island, with its emigrant and births.
    Genes {
        /// Time of arrival (s of arena time).
        #[serde(serialize_with = "brief")]
        time: f64,
        /// Robot id.
        robot: String,
        /// Number of generations that the island has finished.
        generation: u32,
        /// Individual offered to the other islands.
        emigrant: Emigrant,
        /// Births of the generation.
        births: Births,
    },
    /// Report that a tree has started to control a robot.
    Loaded {
        /// Time of arrival (s of arena time).
        #[serde(serialize_with = "brief")]
        time: f64,
        /// Robot id.
        robot: String,
        /// Segment of the run in which the tree started.
        segment: u32,
        /// Tree that controls the robot, as an individual.
        gene: Emigrant,
    },
    /// State of the run, once per second of wall time and at every change.
    Run {
        /// Time (s of arena time).
        #[serde(serialize_with = "brief")]
        time: f64,
        /// Phase of the hub.
        phase: Phase,
        /// Running time so far, without pauses (s of arena time).
        run_seconds: f64,
        /// Current segment.
        segment: u32,
        /// Segments so far, with their real fitness.
        segments: Vec<Segment>,
        /// Derated fitness of the champions, averaged over the robots (f_EA of thesis Table 8.3).
        evolved: f64,
        /// Share of round trips above 100 ms (0 to 1).
        slow_round_trips: f64,
        /// Number of robots lost so far.
        dead: u32,
    },
    /// Event for operators, such as a warning or a change of the run.
    Event {
        /// Time (s of arena time).
        #[serde(serialize_with = "brief")]
        time: f64,
        /// Text of the event.
        text: String,
        /// Severity of the event.
        #[serde(default)]
        level: Severity,
        /// Operator who caused or wrote the event; empty for events of the hub.
        #[serde(default)]
        who: String,
    },
    /// Control updates of a robot, recorded without rounding.
    Updates {
        /// Time of arrival (s of arena time).
        #[serde(serialize_with = "brief")]
        time: f64,
        /// Robot id.
        robot: String,
        /// Batch of consecutive control updates.
        updates: Box<Updates>,
    },
    /// Line of a robot's log.
    Log {
        /// Time of arrival (s of arena time).
        #[serde(serialize_with = "brief")]
        time: f64,
        /// Robot id.
        robot: String,
        /// Line as sent by the robot.
        line: LogLine,
    },
    /// New fitness samples of individuals that were born in an earlier generation. Each of these individuals has one
    /// item in the list.
    Samples {
        /// Time of arrival (s of arena time).
        #[serde(serialize_with = "brief")]
        time: f64,
        /// Robot id.
        robot: String,
        /// Number of generations that the island has finished.
        generation: u32,
        /// Individuals with new samples.
        samples: Vec<Sampled>,
    },
    /// Summary of an island's population after a generation, and the sources of its immigrants.
    Population {
        /// Time of arrival (s of arena time).
        #[serde(serialize_with = "brief")]
        time: f64,
        /// Robot id.
        robot: String,
        /// Summary of the population.
        population: Population,
        /// Source islands of the immigrants that the hub sent in reply, one per immigrant.
        from: Vec<u16>,
    },
    /// AprilTags seen by a robot's camera.
    Tags {
        /// Time of arrival (s of arena time).
        #[serde(serialize_with = "brief")]
        time: f64,
        /// Robot id.
        robot: String,
        /// Age of the picture at the time of arrival (s).
        age: f32,
        /// Number of pictures that the robot has searched for tags so far.
        looks: u32,
        /// Number of tags rejected so far because their number appeared twice in a picture.
        doubled: u32,
        /// Duration of the tag detection in the picture (ms).
        look_ms: f32,
        /// Tags in the picture.
        tags: Vec<TagSeen>,
    },
    /// Readings of a robot's additional sensors, at 2 Hz.
    Sensors {
        /// Time of arrival (s of arena time).
        #[serde(serialize_with = "brief")]
        time: f64,
        /// Robot id.
        robot: String,
        /// Sensor readings.
        sensors: Box<Sensors>,
    },
    /// World parameters that a robot has estimated. A robot reports them after each generation if the experiment
    /// adapts the simulated world.
    Estimates {
        /// Time of arrival (s of arena time).
        #[serde(serialize_with = "brief")]
        time: f64,
        /// Robot id.
        robot: String,
        /// Estimates, one per parameter.
        estimates: Vec<Estimate>,
    },
}

/// Number of steps per second to which times in records are rounded (1/s), including the times in messages. A finer
/// resolution would enlarge records by a tenth.
pub const TIMES: f64 = 1e4;

fn brief<S: Serializer>(time: &f64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64((time * TIMES).round() / TIMES)
}

/// Rounds positions (m) and headings (rad) to five decimal places. This resolution is finer than the accuracy of any
/// motion capture.
fn places<S: Serializer>(bodies: &[Body], to: S) -> Result<S::Ok, S::Error> {
    let brief = |body: &Body| Body { name: body.name.clone(), pose: body.pose.map(|value| rounded(value, 5)) };
    to.collect_seq(bodies.iter().map(brief))
}

impl Entry {
    /// Creates an event of the hub, with normal severity.
    pub fn event(time: f64, text: impl Into<String>) -> Entry {
        Entry::Event { time, text: text.into(), level: Severity::Info, who: String::new() }
    }

    /// Returns the topic of the entry in a record.
    pub fn topic(&self) -> &'static str {
        match self {
            Entry::Poses { .. } => "/poses",
            Entry::Telemetry { .. } => "/telemetry",
            Entry::Genes { .. } => "/genes",
            Entry::Loaded { .. } => "/loaded",
            Entry::Run { .. } => "/run",
            Entry::Event { .. } => "/events",
            Entry::Updates { .. } => "/updates",
            Entry::Log { .. } => "/logs",
            Entry::Samples { .. } => "/samples",
            Entry::Population { .. } => "/populations",
            Entry::Tags { .. } => "/tags",
            Entry::Sensors { .. } => "/sensors",
            Entry::Estimates { .. } => "/estimates",
        }
    }

    /// Returns the time of the entry (s of arena time).
    pub fn time(&self) -> f64 {
        match self {
            Entry::Poses { time, .. }
            | Entry::Telemetry { time, .. }
            | Entry::Genes { time, .. }
            | Entry::Loaded { time, .. }
            | Entry::Run { time, .. }
            | Entry::Event { time, .. }
            | Entry::Updates { time, .. }
            | Entry::Log { time, .. }
            | Entry::Samples { time, .. }
            | Entry::Population { time, .. }
            | Entry::Tags { time, .. }
            | Entry::Sensors { time, .. }
            | Entry::Estimates { time, .. } => *time,
        }
    }
}

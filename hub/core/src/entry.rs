//! What is recorded.

use crate::births::Births;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use xpuck_wire::message::{Emigrant, Estimate, LogLine, Population, Sampled, Sensors, Severity, TagSeen};
use xpuck_wire::telemetry::{Telemetry, rounded};
use xpuck_wire::updates::Updates;
use xpuck_wire::{Body, Phase, Segment};

/// All topics that a record may have, in the order of [`Entry`]'s variants.
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

/// Something to record; times are seconds of arena time since the hub started. A hub that takes a run up counts on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
// Records of later versions may have more fields, and are read; what is written here has no others.
#[schemars(deny_unknown_fields)]
pub enum Entry {
    /// Poses of all bodies, 25 times a second.
    Poses {
        /// When, s of arena time.
        #[serde(serialize_with = "brief")]
        time: f64,
        /// Who and where.
        #[serde(serialize_with = "places")]
        bodies: Vec<Body>,
    },
    /// A robot's telemetry.
    Telemetry {
        /// When it came, s of arena time.
        #[serde(serialize_with = "brief")]
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
        /// When it came, s of arena time.
        #[serde(serialize_with = "brief")]
        time: f64,
        /// The robot.
        robot: String,
        /// Generations done.
        generation: u32,
        /// The individual it offered to the others.
        emigrant: Emigrant,
        /// Who was born in it.
        births: Births,
    },
    /// A tree took control of a robot.
    Loaded {
        /// When it came, s of arena time.
        #[serde(serialize_with = "brief")]
        time: f64,
        /// The robot.
        robot: String,
        /// The segment.
        segment: u32,
        /// The tree.
        gene: Emigrant,
    },
    /// How the run stands, once a second of wall time and at every change.
    Run {
        /// When, s of arena time.
        #[serde(serialize_with = "brief")]
        time: f64,
        /// What the hub does.
        phase: Phase,
        /// Running time so far, pauses left out, s.
        run_seconds: f64,
        /// The current segment.
        segment: u32,
        /// Segments so far with their real fitness.
        segments: Vec<Segment>,
        /// Mean over robots of the champions' derated fitness (f_EA of Table 8.3).
        evolved: f64,
        /// Part of the round trips above 100 ms.
        slow_round_trips: f64,
        /// Robots lost so far.
        dead: u32,
    },
    /// Something happened.
    Event {
        /// When, s of arena time.
        #[serde(serialize_with = "brief")]
        time: f64,
        /// What.
        text: String,
        /// How much it matters.
        #[serde(default)]
        level: Severity,
        /// The operator who did or said it; empty if it is the hub's own.
        #[serde(default)]
        who: String,
    },
    /// Control updates of a robot, bit for bit.
    Updates {
        /// When they came, s of arena time.
        #[serde(serialize_with = "brief")]
        time: f64,
        /// The robot.
        robot: String,
        /// What it told.
        updates: Box<Updates>,
    },
    /// A line of a robot's log.
    Log {
        /// When it came, s of arena time.
        #[serde(serialize_with = "brief")]
        time: f64,
        /// The robot.
        robot: String,
        /// The line.
        line: LogLine,
    },
    /// Samples of individuals after their first generation, each one's newest since this was told last.
    Samples {
        /// When they came, s of arena time.
        #[serde(serialize_with = "brief")]
        time: f64,
        /// The robot.
        robot: String,
        /// Generations done.
        generation: u32,
        /// Whose samples became more.
        samples: Vec<Sampled>,
    },
    /// What an island's population looks like after a generation, and where its immigrants come from.
    Population {
        /// When it came, s of arena time.
        #[serde(serialize_with = "brief")]
        time: f64,
        /// The robot.
        robot: String,
        /// What it looks like.
        population: Population,
        /// The islands whose emigrants the hub sent in answer, one for each immigrant.
        from: Vec<u16>,
    },
    /// The AprilTags that a robot's camera sees.
    Tags {
        /// When that came, s of arena time.
        #[serde(serialize_with = "brief")]
        time: f64,
        /// The robot.
        robot: String,
        /// Age of the picture then, s.
        age: f32,
        /// Pictures that were looked at so far.
        looks: u32,
        /// Tags not believed so far.
        doubled: u32,
        /// How long the look took, ms.
        look_ms: f32,
        /// The tags in the picture.
        tags: Vec<TagSeen>,
    },
    /// What a robot's further sensors tell, twice a second.
    Sensors {
        /// When it came, s of arena time.
        #[serde(serialize_with = "brief")]
        time: f64,
        /// The robot.
        robot: String,
        /// What they tell.
        sensors: Box<Sensors>,
    },
    /// What a robot found out about the world, after each generation in experiments that adapt.
    Estimates {
        /// When it came, s of arena time.
        #[serde(serialize_with = "brief")]
        time: f64,
        /// The robot.
        robot: String,
        /// One for each parameter.
        estimates: Vec<Estimate>,
    },
}

/// Parts of a second to which times are recorded, and so are the messages' own: a tenth of a record was their further digits.
pub const TIMES: f64 = 1e4;

fn brief<S: Serializer>(time: &f64, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_f64((time * TIMES).round() / TIMES)
}

/// Places to 0.01 mm, and headings to as many decimal places of a radian: no motion capture is better.
fn places<S: Serializer>(bodies: &[Body], to: S) -> Result<S::Ok, S::Error> {
    let brief = |body: &Body| Body { name: body.name.clone(), pose: body.pose.map(|value| rounded(value, 5)) };
    to.collect_seq(bodies.iter().map(brief))
}

impl Entry {
    /// An event that is as it should be.
    pub fn event(time: f64, text: impl Into<String>) -> Entry {
        Entry::Event { time, text: text.into(), level: Severity::Info, who: String::new() }
    }

    /// The topic under which it is recorded.
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

    /// When it was, s of arena time.
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

//! Phases of an experiment: activity, maximum duration, and conditions for an early end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum number of phases in an experiment.
pub const MAX_PHASES: usize = 64;

/// Activity of the swarm in a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Robots drive and their islands evolve.
    #[default]
    Evolve,
    /// Robots drive without evolution, so that the score measures the current controllers.
    Measure,
    /// Wheels and evolution are stopped, for example while a person changes the arena.
    Rest,
}

impl Kind {
    /// Returns the name of the activity in experiment files.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Evolve => "evolve",
            Kind::Measure => "measure",
            Kind::Rest => "rest",
        }
    }
}

/// Source of the tree that a robot without a given controller runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Drive {
    /// Fittest tree of the robot's own island. The robot loads it at the start of each segment.
    #[default]
    Own,
    /// Fittest tree of the whole swarm, chosen by its fitness samples at the start of the phase. All robots run the
    /// same tree.
    Swarm,
}

/// Controller for some of the robots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// Behaviour tree as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// File with the behaviour tree, sent with the experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Number of robots with this tree, assigned in the order of the swarm file. If omitted, all remaining robots run
    /// the tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 256))]
    pub robots: Option<usize>,
}

/// Conditions for an early end of a phase. The next phase begins as soon as one of the given conditions holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Until {
    /// Number of generations that the island of every connected, evolving robot must have completed in this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub generations: Option<u32>,
    /// Required average of the robots' evolved fitness. A robot's evolved fitness is the derated fitness of its fittest
    /// tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evolved_fitness: Option<f64>,
    /// Required real fitness, measured over a complete segment of this phase.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fitness: Option<f64>,
}

/// Phase in an experiment file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// Name of the phase in displays and records. If omitted, the name of the activity.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Activity of the swarm.
    #[serde(default)]
    pub kind: Kind,
    /// Maximum duration without pauses (minutes of arena time), 0.01 to 1440.
    #[schemars(range(min = 0.01, max = 1440.0))]
    pub minutes: f64,
    /// Segment length (minutes). At the start of each segment, the robots load their fittest trees. If omitted, the
    /// phase is one segment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.01))]
    pub segment_minutes: Option<f64>,
    /// Conditions for an early end of the phase.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub until: Until,
    /// Source of the tree that robots without a given controller run.
    #[serde(default, skip_serializing_if = "is_own")]
    #[schemars(extend("default" = Drive::default()))]
    pub drive: Drive,
    /// Trees that some robots run unchanged in this phase. If omitted, the trees of the experiment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controllers: Option<Vec<Given>>,
    /// World file, which is sent with the experiment. It defines the simulated world from this phase on. Fitness
    /// samples from the previous world are discarded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<String>,
    /// Message to the operators at the start of the phase, such as changes to make in the arena.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub say: String,
}

fn is_nothing(until: &Until) -> bool {
    *until == Until::default()
}

fn is_own(drive: &Drive) -> bool {
    *drive == Drive::Own
}

//! The phases of an experiment: what the swarm does for how long, and what ends it sooner.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most phases of an experiment.
pub const MAX_PHASES: usize = 64;

/// What the swarm does in a phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The robots drive and their islands evolve.
    #[default]
    Evolve,
    /// The robots drive, and the islands stand still: what is scored is of these controllers alone.
    Measure,
    /// Wheels and islands stand still, for instance while somebody changes the arena.
    Rest,
}

impl Kind {
    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Evolve => "evolve",
            Kind::Measure => "measure",
            Kind::Rest => "rest",
        }
    }
}

/// Whose tree a robot loads that is given no controller.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Drive {
    /// Its own island's fittest, at each segment anew.
    #[default]
    Own,
    /// The fittest of the whole swarm when the phase begins, by its samples; the same on all robots.
    Swarm,
}

/// A controller for some of the robots.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Given {
    /// A behaviour tree as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tree: Option<String>,
    /// The same, in a file that is sent along.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// How many robots it drives, counted on in the order of the swarm file; all that are left without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = 256))]
    pub robots: Option<usize>,
}

/// What ends a phase before its time. As soon as one of those that are given holds, the next phase begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Until {
    /// Every robot's island has done so many generations in this run.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub generations: Option<u32>,
    /// The mean over the robots of their fittest's derated fitness reaches this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evolved_fitness: Option<f64>,
    /// The real fitness of a whole segment of this phase reaches this.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fitness: Option<f64>,
}

/// A phase as the file says it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Phase {
    /// For displays and records; what it does, without it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// What the swarm does.
    #[serde(default)]
    pub kind: Kind,
    /// Its length at most, minutes of arena time, pauses left out; 0.01 to 1440.
    #[schemars(range(min = 0.01, max = 1440.0))]
    pub minutes: f64,
    /// Length of its segments; one segment without it. At each, robots load their fittest tree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 0.01))]
    pub segment_minutes: Option<f64>,
    /// What ends it sooner.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub until: Until,
    /// Whose tree robots load that are given none.
    #[serde(default, skip_serializing_if = "is_own")]
    #[schemars(extend("default" = Drive::default()))]
    pub drive: Drive,
    /// Trees that robots run as written; those of the experiment without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controllers: Option<Vec<Given>>,
    /// The world of the simulations from this phase on, a world file that is sent along; what was known of the fitness of
    /// trees in the world before does not count any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<String>,
    /// What operators are told when it begins, such as what to change in the arena.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub say: String,
}

fn is_nothing(until: &Until) -> bool {
    *until == Until::default()
}

fn is_own(drive: &Drive) -> bool {
    *drive == Drive::Own
}

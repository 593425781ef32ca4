//! Requests of pages. Unknown keys are errors, and every number has a range.

use crate::worlds::WorldChoice;
use serde::{Deserialize, Serialize};
use xpuck_evolve::{Algorithm, Migrant};

/// Request of a page.
#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Request {
    /// Checks a tree, and returns its drawing and its explanation. `world` is the world whose robots must have all
    /// senses that the tree reads.
    Tree { text: String, form: Form, world: Option<WorldChoice> },
    /// Converts a tree to another form.
    Convert { text: String, form: Form, to: Form },
    /// Returns all nodes with their operands, for completion.
    Nodes {},
    /// Checks a world, and returns its drawing.
    World { world: WorldChoice },
    /// Begins a simulation that is watched. Run `run` of seed `seed` is the run with this number of `xpuck simulate`.
    Watch { tree: String, world: WorldChoice, seed: u64, run: u32 },
    /// Performs controller updates of the watched simulation (0 to 600), and returns its state. `robot` is the index of
    /// the robot whose senses are returned.
    Step { updates: u32, robot: Option<usize> },
    /// Moves a body of the watched simulation to a position (m) within the arena.
    Move { body: usize, x: f32, y: f32 },
    /// Simulates runs `first` to `first + count - 1` of a seed (1 to 256 runs), and returns the outcome of each.
    Simulate { tree: String, world: WorldChoice, seconds: f32, seed: u64, first: u32, count: u32 },
    /// Returns the statistics of outcomes.
    Summarise { fitness: Vec<f64>, hashes: Vec<String> },
    /// Begins an evolution. This worker holds the islands with these numbers.
    Evolve { settings: EvolutionChoice, islands: Vec<u16> },
    /// Evaluates the next generation of an island. `immigrants` come from the request `exchange`; the first generation
    /// has none.
    Generation { island: u16, immigrants: Vec<Migrant> },
    /// Selects the immigrants of all islands from their emigrants after a generation, in the order of the islands.
    Exchange { generation: u32, emigrants: Vec<Emigrant> },
    /// Returns the tree of an island's champion as it drives robots, and its explanation.
    Champion { island: u16 },
}

/// Emigrant of an island, as the answer to `generation` contains it.
#[derive(Deserialize, Serialize)]
pub struct Emigrant {
    /// Number of the island.
    pub island: u16,
    /// The individual.
    pub migrant: Migrant,
}

/// Form of a tree's text.
#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Text form, one node per line.
    Bt,
    /// XML of BehaviorTree.CPP version 4.
    Xml,
    /// Nested JSON objects.
    Json,
    /// Drawing; only as output.
    Svg,
}

/// Settings of an evolution.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvolutionChoice {
    /// Algorithm of all islands.
    pub algorithm: Algorithm,
    /// Number of islands (1 to 64).
    pub islands: u16,
    /// Population of an island (8 to 4096).
    pub population: usize,
    /// Duration of a trial (s, 1 to 3600).
    pub seconds: f32,
    /// Seed of all random numbers.
    pub seed: u64,
    /// World of the trials.
    pub world: WorldChoice,
}

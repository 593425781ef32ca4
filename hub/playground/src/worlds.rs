//! Worlds that a page chooses: the benchmark, or the text of a world file.

use serde::Deserialize;
use serde_json::{Value, json};
use xpuck_experiment::world_file;
use xpuck_kernels::model::MAX_ROBOTS;
use xpuck_kernels::world::{Scenario, WorldSpec};

/// Name of a world file's text in errors.
pub const FILE: &str = "world.toml";

/// World of a request.
#[derive(Clone, Deserialize)]
#[serde(untagged, expecting = "world must have the keys scenario and robots, or the key file")]
pub enum WorldChoice {
    /// The benchmark.
    Benchmark {
        /// Start of the robots.
        scenario: ScenarioChoice,
        /// Number of robots (1 to 256).
        robots: usize,
    },
    /// A world file.
    File {
        /// Text of the file.
        file: String,
    },
}

/// Start of the robots in the benchmark.
#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ScenarioChoice {
    /// All robots at the -x end.
    A,
    /// Robots spread over the arena.
    B,
    /// A and B in alternate runs.
    Mix,
}

impl WorldChoice {
    /// Returns the world.
    ///
    /// # Errors
    /// The number of robots or the text is invalid. The error is one line.
    pub fn spec(&self) -> Result<WorldSpec, String> {
        match self {
            WorldChoice::File { file } => world_file::parse(FILE, file).map_err(|error| error.to_string()),
            WorldChoice::Benchmark { robots, .. } if !(1..=MAX_ROBOTS).contains(robots) => {
                Err(format!("robots = {robots} is outside 1 to {MAX_ROBOTS}"))
            }
            WorldChoice::Benchmark { scenario, robots } => Ok(match scenario {
                ScenarioChoice::A => WorldSpec::scenario(*robots, Scenario::A),
                ScenarioChoice::B => WorldSpec::scenario(*robots, Scenario::B),
                ScenarioChoice::Mix => WorldSpec::benchmark(*robots),
            }),
        }
    }
}

/// Returns the names of the robots of a world.
pub fn names(robots: usize) -> Vec<String> {
    (1..=robots).map(|robot| format!("r{robot}")).collect()
}

/// Returns the drawing of a world, and the names of its bodies.
pub fn view(spec: &WorldSpec) -> Value {
    let robots = names(spec.robots);
    let (half_length, half_width) = spec.physics.half_arena;
    let frisbee = spec.discs.first().map_or(0.0, |disc| disc.shape.radius);
    let world = xpuck_views::world(Some(spec), [half_length, half_width], frisbee, &robots);
    json!({ "world": world, "bodies": bodies(spec) })
}

/// Returns the names of the bodies of a world: robots, then discs.
fn bodies(spec: &WorldSpec) -> Vec<String> {
    let disc = |number: usize| if number == 0 { "frisbee".into() } else { format!("disc {}", number + 1) };
    names(spec.robots).into_iter().chain((0..spec.discs.len()).map(disc)).collect()
}

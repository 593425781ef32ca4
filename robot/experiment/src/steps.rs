//! Steps of a curriculum. A step is an easier world in which the islands evolve until the step's end formula holds.
//! The run's own world follows the last step. Evolution files and experiments use the same keys.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use xpuck_evolve::curriculum::Formula;
use xpuck_kernels::model::MAX_ROBOTS;
use xpuck_kernels::world::WorldSpec;

/// Maximum number of steps before the run's own world.
pub const MAX_STEPS: usize = 64;
/// Maximum number of generations of a run. End formulas use it as the limit if a run sets no limit.
pub const MAX_GENERATIONS: u32 = 1_000_000;

/// Step before the run's own world.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Name of the step.
    pub name: String,
    /// Number of robots in the benchmark world. If `robots` and `world` are both `None`, the step uses the run's own
    /// world.
    pub robots: Option<usize>,
    /// Text of the step's world file; `None` if the step has no world file.
    pub world: Option<String>,
    /// World of the step's trials.
    pub spec: Arc<WorldSpec>,
    /// Duration of a trial (s of simulated time). `None`: duration of the run's trials.
    pub seconds: Option<f32>,
    /// End formula. The step ends as soon as the formula holds.
    pub end: Formula,
    /// Text of the end formula.
    pub end_text: String,
}

/// Entry for a step in an evolution file or an experiment file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepEntry {
    /// Name of the step.
    pub name: String,
    /// Number of robots in the benchmark world. If `robots` and `world` are omitted, the step uses the run's own
    /// world.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MAX_ROBOTS))]
    pub robots: Option<usize>,
    /// Path of the step's world file, relative to the file with this entry. The world file sets the number of robots.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<String>,
    /// Duration of a trial (s of simulated time), 1 to 3600. Default: the duration of the run's trials.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1.0, max = 3600.0))]
    pub seconds: Option<f32>,
    /// End condition of the step, e.g. `best-fitness >= 0.1 or gennum-thisstep >= 20`.
    pub end: String,
}

impl From<&Step> for StepEntry {
    fn from(step: &Step) -> StepEntry {
        StepEntry {
            name: step.name.clone(),
            robots: step.robots,
            world: None,
            seconds: step.seconds,
            end: step.end_text.clone(),
        }
    }
}

/// Converts the entries of a file to steps. `own` is the run's own world, which follows the steps, and `generations` is
/// the maximum number of generations of the run. `world` reads a world file, and returns the world and the text of the
/// file. `fail` creates an error from a line that names step and key.
///
/// # Errors
/// The first error found.
pub fn read<E>(
    entries: &[StepEntry],
    own: &WorldSpec,
    generations: u32,
    world: impl Fn(&str) -> Result<(WorldSpec, String), E>,
    fail: impl Fn(String) -> E,
) -> Result<Vec<Step>, E> {
    if entries.len() > MAX_STEPS {
        return Err(fail(format!("there are {} steps; at most {MAX_STEPS} are allowed", entries.len())));
    }
    let mut steps: Vec<Step> = Vec::new();
    for entry in entries {
        let fail = |why: String| fail(format!("step {:?}: {why}", entry.name));
        if steps.iter().any(|step| step.name == entry.name) {
            return Err(fail("duplicate name; rename one step".into()));
        }
        let end = end(&entry.end, generations).map_err(|why| fail(format!("end: {why}")))?;
        if let Some(seconds) = entry.seconds.filter(|seconds| !(1.0..=3600.0).contains(seconds)) {
            return Err(fail(format!("seconds = {seconds} is outside 1 to 3600")));
        }
        let (spec, text) = match (&entry.world, entry.robots) {
            (Some(_), Some(_)) => {
                return Err(fail("the world file defines the number of robots; remove robots".into()));
            }
            (Some(path), None) => world(path).map(|(spec, text)| (spec, Some(text)))?,
            (None, Some(robots)) if (1..=MAX_ROBOTS).contains(&robots) => (WorldSpec::benchmark(robots), None),
            (None, Some(robots)) => return Err(fail(format!("robots = {robots} is outside 1 to {MAX_ROBOTS}"))),
            (None, None) => (own.clone(), None),
        };
        let StepEntry { name, robots, seconds, end: end_text, .. } = entry.clone();
        steps.push(Step { name, robots, world: text, spec: spec.into(), seconds, end, end_text });
    }
    Ok(steps)
}

/// Parses and validates an end formula for a run of at most `generations` generations.
fn end(text: &str, generations: u32) -> Result<Formula, String> {
    let end = Formula::parse(text)?;
    if end.asks_for_time() {
        return Err("real-runtime makes results machine-dependent; use gennum".into());
    }
    match end.never(generations) {
        Some(why) => Err(format!("it can never be true: {why}")),
        None => Ok(end),
    }
}

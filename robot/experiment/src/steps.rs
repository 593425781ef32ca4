//! The steps of a curriculum: easier worlds in which islands evolve before the run's own, each until its end formula holds.
//! Evolution files and experiments say them by the same keys.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use xpuck_evolve::curriculum::Formula;
use xpuck_kernels::model::MAX_ROBOTS;
use xpuck_kernels::world::WorldSpec;

/// Most steps of a curriculum before the run's own world.
pub const MAX_STEPS: usize = 64;
/// Generations of the longest run: what formulas are told where nobody says how many there are at most.
pub const MAX_GENERATIONS: u32 = 1_000_000;

/// A step before the run's own world.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its name.
    pub name: String,
    /// Robots of the benchmark, unless `world` is given; as many as in the run's own world without either.
    pub robots: Option<usize>,
    /// The text of its world file, if it has one.
    pub world: Option<String>,
    /// The world of its trials.
    pub spec: Arc<WorldSpec>,
    /// Simulated seconds of a trial; those of the run without it.
    pub seconds: Option<f32>,
    /// When it is over.
    pub end: Formula,
    /// The same as it was written.
    pub end_text: String,
}

/// A step as a file says it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepEntry {
    /// Its name.
    pub name: String,
    /// Robots of the benchmark's world; as many as in the run's own world without it and without `world`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1, max = MAX_ROBOTS))]
    pub robots: Option<usize>,
    /// A world file, relative to this file; it says how many robots there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub world: Option<String>,
    /// Length of a trial, s; as in the run's own world without it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1.0, max = 3600.0))]
    pub seconds: Option<f32>,
    /// The step is over when this holds, e.g. `best-fitness >= 0.1 or gennum-thisstep >= 20`.
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

/// The steps that entries mean before a world, in a run of so many generations at most; `world` reads a world file and gives
/// its text too, and `fail` makes an error of a line that names step and key.
///
/// # Errors
/// The first thing that is wrong.
pub fn read<E>(
    entries: &[StepEntry],
    own: &WorldSpec,
    generations: u32,
    world: impl Fn(&str) -> Result<(WorldSpec, String), E>,
    fail: impl Fn(String) -> E,
) -> Result<Vec<Step>, E> {
    if entries.len() > MAX_STEPS {
        return Err(fail(format!("{} steps; at most {MAX_STEPS} are allowed", entries.len())));
    }
    let mut steps: Vec<Step> = Vec::new();
    for entry in entries {
        let fail = |why: String| fail(format!("step {:?}: {why}", entry.name));
        if steps.iter().any(|step| step.name == entry.name) {
            return Err(fail("there are two of this name; give one another".into()));
        }
        let end = end(&entry.end, generations).map_err(|why| fail(format!("end: {why}")))?;
        if let Some(seconds) = entry.seconds.filter(|seconds| !(1.0..=3600.0).contains(seconds)) {
            return Err(fail(format!("seconds = {seconds} is outside 1..=3600")));
        }
        let (spec, text) = match (&entry.world, entry.robots) {
            (Some(_), Some(_)) => {
                return Err(fail("the world file says how many robots there are; leave robots out".into()));
            }
            (Some(path), None) => world(path).map(|(spec, text)| (spec, Some(text)))?,
            (None, Some(robots)) if (1..=MAX_ROBOTS).contains(&robots) => (WorldSpec::benchmark(robots), None),
            (None, Some(robots)) => return Err(fail(format!("robots = {robots} is outside 1..={MAX_ROBOTS}"))),
            (None, None) => (own.clone(), None),
        };
        let StepEntry { name, robots, seconds, end: end_text, .. } = entry.clone();
        steps.push(Step { name, robots, world: text, spec: spec.into(), seconds, end, end_text });
    }
    Ok(steps)
}

/// When a step is over.
fn end(text: &str, generations: u32) -> Result<Formula, String> {
    let end = Formula::parse(text)?;
    if end.asks_for_time() {
        return Err("real-runtime would make the digits depend on the machine; ask for gennum".into());
    }
    match end.never(generations) {
        Some(why) => Err(format!("it can never hold: {why}")),
        None => Ok(end),
    }
}

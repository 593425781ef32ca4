//! Fitness of a tree over many runs.

use crate::trees::compile;
use crate::worlds::WorldChoice;
use serde_json::{Value, json};
use xpuck_kernels::analysis::reduce::{Options, reduce};
use xpuck_kernels::engine::{Engine, Job, Outcome, Simd, Team};
use xpuck_kernels::model::CONTROL_PERIOD;
use xpuck_kernels::tree::Program;
use xpuck_stats::statistics::mean_and_sd;

/// Maximum number of runs of a request, so that the answer comes soon.
const MAX_COUNT: u32 = 256;
/// Maximum number of all runs.
const MAX_RUNS: u32 = 1_000_000;
/// Maximum duration of a run (s).
const MAX_SECONDS: f32 = 3600.0;

/// Simulates `count` runs from number `first` on. Returns the fitness and the hash of each run.
///
/// # Errors
/// The tree, the world or a number is invalid. The error is one line.
pub fn simulate(
    tree: &str,
    world: &WorldChoice,
    seconds: f32,
    seed: u64,
    (first, count): (u32, u32),
) -> Result<Value, String> {
    let spec = world.spec()?;
    let (tree, _) = compile(tree, &spec)?;
    if !(0.1..=MAX_SECONDS).contains(&seconds) {
        return Err(format!("seconds = {seconds} is outside 0.1 to {MAX_SECONDS}"));
    }
    if !(1..=MAX_COUNT).contains(&count) || first > MAX_RUNS - count {
        return Err(format!("{count} runs from {first} on: a request has 1 to {MAX_COUNT} runs below {MAX_RUNS}"));
    }
    // A reduced tree gives the same result faster, as in `xpuck simulate`.
    let reduced = reduce(&tree, Options { executable: false }).tree;
    let program = Program::compile(&reduced).map_err(|error| error.to_string())?;
    let updates = (seconds / CONTROL_PERIOD).round() as u32;
    let job = |world: u32| Job { spec: &spec, start: world as usize, team: Team::all(0), seed, world, updates };
    let jobs: Vec<Job<'_>> = (first..first + count).map(job).collect();
    let outcomes = Simd::default().run(&[program], &jobs);
    let fitness: Vec<f64> = outcomes.iter().map(|outcome| f64::from(outcome.fitness)).collect();
    let hashes: Vec<String> = outcomes.iter().map(|outcome| format!("{:016x}", outcome.hash)).collect();
    Ok(json!({ "fitness": fitness, "hashes": hashes }))
}

/// Returns mean, standard deviation and hash of outcomes in the order of the runs, as `xpuck simulate --json` prints
/// them.
///
/// # Errors
/// The lists differ in length, are empty, or have an invalid hash.
pub fn summarise(fitness: &[f64], hashes: &[String]) -> Result<Value, String> {
    if fitness.is_empty() || fitness.len() != hashes.len() {
        return Err(format!("{} values of fitness and {} hashes; there must be as many", fitness.len(), hashes.len()));
    }
    let hashes = hashes.iter().map(|hash| u64::from_str_radix(hash, 16).map_err(|_| "invalid hash".to_string()));
    let hashes = hashes.collect::<Result<Vec<u64>, String>>()?;
    let hash = Outcome::hash_of(hashes.into_iter());
    let (mean, sd) = mean_and_sd(fitness);
    Ok(json!({ "mean": mean, "sd": sd, "runs": fitness.len(), "hash": format!("{hash:016x}") }))
}

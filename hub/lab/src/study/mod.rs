//! Studies of trees (thesis 8.6 and 8.7). Each study answers one question by many simulations. It returns plain data,
//! a figure, and the result as sentences.

pub mod ablate;
mod ablate_figure;
pub mod adapt;
mod adapt_swarm;
pub mod branches;
pub mod findings;
pub mod hetero;
mod hetero_figure;
pub mod migrate;
pub mod mix;
pub mod perturb;
mod perturb_figure;
pub mod scaling_model;
pub mod size;
mod size_figure;
mod starts;
pub mod swarm_trees;
pub mod transfer;
pub mod tune;

use crate::measure::{Plan, fitness_of_team};
use serde::Serialize;
use xpuck_kernels::engine::{Engine, Team};
use xpuck_kernels::tree::Program;
use xpuck_kernels::world::WorldSpec;
use xpuck_stats::statistics::{Spread, student_t_975};
use xpuck_wire::output::count;

/// Duration, number and seed of the simulations from which one reported value is computed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Budget {
    /// Duration of each run in simulated time (s).
    pub seconds: f32,
    /// Number of runs.
    pub runs: u32,
    /// Seed of the worlds; run i uses the world with number i.
    pub seed: u64,
}

impl Budget {
    /// Creates a validated budget.
    ///
    /// # Errors
    /// If the duration is not 0.1 to 36000 s, or the number of runs is not 2 to 1000000.
    pub fn new(seconds: f32, runs: u32, seed: u64) -> Result<Budget, StudyError> {
        if !(0.1..=36_000.0).contains(&seconds) {
            return study_error(format!("{seconds} simulated seconds: must be 0.1 to 36000"));
        }
        if !(2..=1_000_000).contains(&runs) {
            let runs = count(runs as usize, "run", "runs");
            return study_error(format!("{runs}: must be 2 to 1000000"));
        }
        Ok(Budget { seconds, runs, seed })
    }

    /// Returns the plan of the simulations in a world.
    pub fn plan<'a>(&self, spec: &'a WorldSpec) -> Plan<'a> {
        Plan { spec, seconds: self.seconds, runs: self.runs, seed: self.seed }
    }

    /// Simulates a team in a world with this budget, and returns the fitness of each run.
    fn fitness(&self, engine: &dyn Engine, programs: &[Program], team: &Team, spec: &WorldSpec) -> Vec<f64> {
        fitness_of_team(engine, programs, team, &self.plan(spec))
    }
}

/// Returns the swarm sizes `sizes` and the size `further`, sorted and without duplicates. Sizes of 0 are left out.
pub fn with_size(sizes: &[usize], further: usize) -> Vec<usize> {
    let mut all: Vec<usize> = sizes.iter().copied().chain([further]).filter(|robots| *robots > 0).collect();
    all.sort_unstable();
    all.dedup();
    all
}

/// Versions of a world with different numbers of robots, in ascending order of this number.
#[derive(Clone, Debug)]
pub struct Worlds(Vec<WorldSpec>);

impl Worlds {
    /// Creates a world for each number of robots in `sizes`, which must be sorted. `world` returns the world for a
    /// number of robots.
    ///
    /// # Errors
    /// If `world` fails for a size. The first error is returned.
    pub fn from_sizes<E>(sizes: &[usize], world: impl Fn(usize) -> Result<WorldSpec, E>) -> Result<Worlds, E> {
        Ok(Worlds(sizes.iter().map(|size| world(*size)).collect::<Result<_, E>>()?))
    }

    /// Returns all worlds.
    pub fn all(&self) -> Vec<&WorldSpec> {
        self.0.iter().collect()
    }

    /// Returns the world with `size` robots. A world of this size must have been created.
    pub fn of_size(&self, size: usize) -> WorldSpec {
        self.0[self.0.binary_search_by_key(&size, |spec| spec.robots).unwrap_or(0)].clone()
    }
}

/// A mean with its uncertainty.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Estimate {
    /// Mean of the runs.
    pub mean: f64,
    /// Standard deviation over the runs.
    pub sd: f64,
    /// Standard error of the mean.
    pub se: f64,
    /// 95 % confidence interval of the mean (Student's t).
    pub interval: [f64; 2],
}

impl Estimate {
    /// Returns the estimate from a sample; `None` for fewer than two values.
    pub fn from_sample(sample: &[f64]) -> Option<Estimate> {
        let Spread { n, mean, sd, se, .. } = Spread::from_sample(sample)?;
        let (sd, se) = (sd?, se?);
        let half = student_t_975(n - 1) * se;
        Some(Estimate { mean, sd, se, interval: [mean - half, mean + half] })
    }
}

/// Formats a probability; values below 0.001 are shown as `< 0.001`.
pub fn probability(p: f64) -> String {
    if p < 0.001 { "< 0.001".into() } else { format!("{p:.3}") }
}

/// Formats a p-value with its symbol, for example "p = 0.012" or "p < 0.001".
pub fn p_value(p: f64) -> String {
    if p < 0.001 { "p < 0.001".into() } else { format!("p = {p:.3}") }
}

/// Error of a study that cannot be run: one line with the reason and the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StudyError(pub String);

/// Returns a [`StudyError`] as `Err`, for any type of result.
fn study_error<T>(why: impl Into<String>) -> Result<T, StudyError> {
    Err(StudyError(why.into()))
}

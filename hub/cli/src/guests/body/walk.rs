//! Options for the simulation of a walk: a body, its brain, and the start conditions.

use super::files;
use anyhow::{Result, bail};
use clap::Args;
use std::path::PathBuf;
use xpuck_bodies::{Brain, EvaluationConditions, Plan, Rhythm, STEPS, Start};
use xpuck_hub_bodies::Config;

/// Number of simulation steps per simulated second.
pub const SECOND: u32 = 240;

/// Body that walks, and conditions of its walk.
#[derive(Args)]
pub struct WalkArgs {
    /// File with a body: .prif, .json or .urdf.
    pub file: PathBuf,
    /// Brain (.nndf) of the body [default: random].
    #[arg(long, value_name = "FILE")]
    pub brain: Option<PathBuf>,
    /// Seed of a random brain.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Number of simulation steps of 1/240 s.
    #[arg(long, default_value_t = STEPS, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub steps: u32,
    /// Period of the brain's rhythm (s), 0.05 to 100 [default: the brain's own, or 0.4]. 0 selects touch input in
    /// place of the rhythm, as in pyro-corpus's code.
    #[arg(long)]
    period: Option<f64>,
    /// Start with the root 2 m above the ground, as pyro-corpus does. By default, the lowest cube is on the ground.
    #[arg(long)]
    thrown: bool,
}

/// Body, brain and conditions of a walk.
pub struct Walk {
    /// Parts of the body.
    pub plan: Plan,
    /// Brain of the body.
    pub brain: Brain,
    /// Start position of the body, and rhythm of the brain.
    pub trial: EvaluationConditions,
}

impl WalkArgs {
    /// Returns the paths of the input files.
    pub fn read(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.file].into_iter().chain(&self.brain)
    }

    /// Reads the input files.
    ///
    /// # Errors
    /// A file is invalid, or the period is out of range.
    pub fn open(&self) -> Result<Walk> {
        let plan = files::read(&self.file)?.plan;
        let mut brain = files::brain_or_drawn(self.brain.as_deref(), self.seed, &plan)?;
        if let Some(period) = self.period {
            if !Rhythm::has_period(period) {
                bail!("--period {period}: must be 0, or 0.05 to 100 s");
            }
            brain.period = None;
        }
        let period = self.period.unwrap_or(Config::default().period);
        let start = if self.thrown { Start::Published } else { Start::OnGround };
        Ok(Walk { plan, brain, trial: EvaluationConditions { rhythm: Rhythm::from_period(period), start } })
    }
}

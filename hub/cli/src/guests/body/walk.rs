//! A walk on the command line: a body, what drives it, and how it begins.

use super::files;
use anyhow::{Result, bail};
use clap::Args;
use std::path::PathBuf;
use xpuck_bodies::{Brain, Plan, Rhythm, STEPS, Start, Trial};
use xpuck_hub_bodies::Config;

/// Steps of a second.
pub const SECOND: u32 = 240;

/// Which body walks, and how.
#[derive(Args)]
pub struct WalkArgs {
    /// File with a body: .prif, .json or .urdf.
    pub file: PathBuf,
    /// Brain (.nndf) that drives it; drawn at random without it.
    #[arg(long, value_name = "FILE")]
    pub brain: Option<PathBuf>,
    /// Seed of a brain that is drawn.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Steps of 1/240 s.
    #[arg(long, default_value_t = STEPS, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub steps: u32,
    /// Period of the brain's rhythm, s, in the place of its own [default: its own, or 0.4]; 0 for a brain that feels touch as other
    /// sensors do.
    #[arg(long)]
    period: Option<f64>,
    /// Begin with the root 2 m above the ground, as pyro-corpus does, not with the lowest cube on it.
    #[arg(long)]
    thrown: bool,
}

/// What walks.
pub struct Walk {
    /// The body's parts.
    pub plan: Plan,
    /// Its brain.
    pub brain: Brain,
    /// How it begins, and its brain's rhythm.
    pub trial: Trial,
}

impl WalkArgs {
    /// The files that are read.
    pub fn read(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.file].into_iter().chain(&self.brain)
    }

    /// Reads the files.
    ///
    /// # Errors
    /// A file is wrong, or no rhythm has this period.
    pub fn open(&self) -> Result<Walk> {
        let plan = files::read(&self.file)?.plan;
        let mut brain = files::brain_or_drawn(self.brain.as_deref(), self.seed, &plan)?;
        if let Some(period) = self.period {
            if !Rhythm::has_period(period) {
                bail!("--period {period}: it lies between 0.05 and 100 s, or is 0");
            }
            brain.period = None;
        }
        let period = self.period.unwrap_or(Config::default().period);
        let start = if self.thrown { Start::Published } else { Start::OnGround };
        Ok(Walk { plan, brain, trial: Trial { rhythm: Rhythm::of_period(period), start } })
    }
}

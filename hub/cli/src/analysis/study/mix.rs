//! `xpuck study mix`.

use super::{Output, Swarm, program};
use crate::terminal::progress::Progress;
use anyhow::{Result, bail};
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;
use xpuck_kernels::model::MAX_ROBOTS;
use xpuck_lab::study::Budget;
use xpuck_lab::study::mix::{MixStudy, study};
use xpuck_lab::study::probability;
use xpuck_stats::figure::Figure;

/// Mixtures: measure how well two trees work together in one swarm, for every mixture.
///
/// Each mixture, from no robot with the first tree to all robots, is compared with the straight line between the two
/// swarms of one tree. The line is the expected fitness if each robot contributes as much as in a swarm of its own
/// tree. The swarm has at least two robots.
#[derive(Args)]
pub struct MixArgs {
    /// File with the first tree.
    first: PathBuf,
    /// File with the second tree.
    second: PathBuf,
    /// Simulated seconds of each run.
    #[arg(long, default_value_t = 60.0)]
    seconds: f32,
    /// Number of runs of each mixture.
    #[arg(long, default_value_t = 1000)]
    runs: u32,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    swarm: Swarm,
    #[command(flatten)]
    output: Output,
}

/// Runs `xpuck study mix`.
pub fn run(args: &MixArgs) -> Result<()> {
    args.output.check([&args.first, &args.second].into_iter().chain(args.swarm.read()))?;
    if let Some(robots) = args.swarm.robots.filter(|robots| !(2..=MAX_ROBOTS).contains(robots)) {
        bail!("--count {robots}: must be 2 to {MAX_ROBOTS} for a mixture");
    }
    let budget = Budget::new(args.seconds, args.runs, args.seed)?;
    let trees = [program(&args.first)?, program(&args.second)?];
    let spec = args.swarm.spec()?;
    let engine = args.output.open(&[&spec])?;
    let progress = Progress::steps("mixture", spec.robots as u64 + 1, args.output.json);
    let found = study(&engine, trees, &spec, budget, || progress.inc())?;
    drop(progress);
    args.output.deliver(&engine, &found, || text(&found))
}

fn text(found: &MixStudy) -> String {
    let mut text = format!("robots with {}, the others with {}\n", found.names[0], found.names[1]);
    text += "first  fitness  95 % interval    expected        p\n";
    for mixture in &found.mixtures {
        let [low, high] = mixture.fitness.interval.map(Figure);
        let _ = writeln!(
            text,
            "{:>5}  {:>7.4}  {low:.4} to {high:.4}  {:>7.4}  {:>7}",
            mixture.first,
            Figure(mixture.fitness.mean),
            Figure(mixture.expected),
            probability(mixture.p)
        );
    }
    let _ = writeln!(text, "\n{}", found.sentence());
    text
}

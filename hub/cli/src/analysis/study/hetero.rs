//! `xpuck study hetero`.

use super::{Output, Swarm};
use crate::terminal::progress::Progress;
use crate::terminal::wrong_argument;
use anyhow::Result;
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;
use xpuck_lab::study::Budget;
use xpuck_lab::study::hetero::{HeteroPlan, HeteroStudy, RunTrees, study};
use xpuck_lab::study::swarm_trees;
use xpuck_stats::figure::Figure;

/// Heterogeneity: compare a swarm of different trees with swarms that run each of these trees alone.
///
/// For each run, a swarm with the last trees of its robots is measured. Each of these trees is also measured alone on
/// all robots (thesis 8.7.2). Further swarms are drawn with replacement from the trees of all runs. The trees of such a
/// swarm have no common origin (8.7.3). A line is fitted to the fitness of mixed swarms as a function of the fitness of
/// their trees alone. Where both are equal, mixing makes no difference.
#[derive(Args)]
pub struct HeteroArgs {
    /// Runs: folders of `xpuck evolve --output`, records of swarms, folders of trees (.bt), or tree files.
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Simulated seconds of each simulation.
    #[arg(long, default_value_t = 60.0)]
    seconds: f32,
    /// Number of simulations of each mixed swarm.
    #[arg(long, default_value_t = 1000)]
    mixed: u32,
    /// Number of simulations of each tree alone.
    #[arg(long, default_value_t = 111)]
    alone: u32,
    /// Number of swarms drawn from the trees of all runs.
    #[arg(long, default_value_t = 100)]
    drawn: usize,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    swarm: Swarm,
    #[command(flatten)]
    output: Output,
}

/// Runs `xpuck study hetero`.
pub fn run(args: &HeteroArgs) -> Result<()> {
    args.output.check(args.runs.iter().chain(args.swarm.read()))?;
    let mixed = Budget::new(args.seconds, args.mixed, args.seed)?;
    if !(1..=1_000_000).contains(&args.alone) || args.drawn > 100_000 {
        wrong_argument!("--alone must be 1 to 1000000, and --drawn 0 to 100000");
    }
    let runs: Vec<RunTrees> = args.runs.iter().map(|run| swarm_trees::read(run)).collect::<Result<_, _>>()?;
    let spec = args.swarm.spec()?;
    let engine = args.output.open(&[&spec])?;
    let progress = Progress::steps("measurement", 1, args.output.json);
    let plan = HeteroPlan { mixed, alone: args.alone, drawn: args.drawn };
    let found = study(&engine, &runs, &spec, plan, |done, total| progress.set(done as u64, total as u64))?;
    drop(progress);
    args.output.deliver(&engine, &found, || text(&found))
}

fn text(found: &HeteroStudy) -> String {
    let mut text = String::from("different  mixed    95 % interval     alone  run\n");
    for swarm in &found.swarms {
        let Some(run) = &swarm.run else { continue };
        let [low, high] = swarm.mixed.interval.map(Figure);
        let _ = writeln!(
            text,
            "{:>9}  {:>7.4}  {low:.4} to {high:.4}  {:>7.4}  {run}",
            swarm.different,
            Figure(swarm.mixed.mean),
            Figure(swarm.alone)
        );
    }
    let _ = writeln!(text, "\n{}", found.sentences().join("\n"));
    text
}

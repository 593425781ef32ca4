//! `xpuck study tune`.

use super::size::Sizes;
use super::{Output, World};
use crate::files::tree_file::{read, write};
use crate::terminal::progress::Progress;
use anyhow::Result;
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;
use xpuck_lab::study::tune::{TunePlan, TuneStudy, study};
use xpuck_lab::study::{Budget, Worlds, with_size};
use xpuck_stats::figure::Figure;

/// Tune the numbers of a tree by CMA-ES; measure the gain, and the loss in swarms of other sizes.
///
/// The structure and the registers of the tree do not change. All candidates of a generation run in the same worlds,
/// which are new for each generation. The tuned tree is the mean of the search distribution at the end. The tuned and
/// the original tree are then measured in worlds that the search has not used.
#[derive(Args)]
pub struct TuneArgs {
    /// File with the tree.
    tree: PathBuf,
    /// Number of robots for which the tree is tuned, 1 to 256.
    #[arg(long = "count", alias = "robots", default_value_t = 9)]
    robots: usize,
    /// Other swarm sizes at which the tree is measured: a range or a list.
    #[arg(long, value_name = "SIZES", default_value = "1,2,4,6,12,16")]
    sizes: Sizes,
    /// Number of generations of the search.
    #[arg(long, default_value_t = 30, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    generations: u32,
    /// Number of runs of each candidate in a generation.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    trials: u32,
    /// Simulated seconds of each run.
    #[arg(long, default_value_t = 60.0)]
    seconds: f32,
    /// Number of runs in which the original and the tuned tree are measured.
    #[arg(long, default_value_t = 1000)]
    runs: u32,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Write the tuned tree to this file.
    #[arg(short, long = "output", alias = "out", value_name = "FILE")]
    out: Option<PathBuf>,
    #[command(flatten)]
    world: World,
    #[command(flatten)]
    output: Output,
}

/// Runs `xpuck study tune`.
pub fn run(args: &TuneArgs) -> Result<()> {
    args.output.check_with([&args.tree].into_iter().chain(&args.world.world), args.out.as_ref())?;
    let plan = TunePlan {
        generations: args.generations,
        trials: args.trials,
        budget: Budget::new(args.seconds, args.runs, args.seed)?,
    };
    let tree = read(&args.tree, None, false)?;
    // This rejects a --count of 0, which the list of sizes below would silently omit.
    args.world.spec(Some(args.robots))?;
    let sizes = with_size(&args.sizes.0, args.robots);
    let worlds = Worlds::from_sizes(&sizes, |size| args.world.spec(Some(size)))?;
    let engine = args.output.open(&worlds.all())?;
    let spec = |size: usize| worlds.of_size(size);
    let progress = Progress::steps("step", 1, args.output.json);
    let watch = |done: usize, total: usize| progress.set(done as u64, total as u64);
    let found = study(&engine, &tree, args.robots, &sizes, spec, plan, watch)?;
    drop(progress);
    if let Some(path) = &args.out {
        write(path, format!("# {}\n{}", found.sentence(), found.tree).as_bytes())?;
    }
    args.output.deliver(&engine, &found, || text(&found))
}

fn text(found: &TuneStudy) -> String {
    let mut text = String::new();
    for (before, after) in &found.changed {
        let _ = writeln!(text, "{before}  ->  {after}");
    }
    text += "\nrobots   before    after  gain, 95 %\n";
    for size in &found.sizes {
        let [low, high] = size.interval.map(Figure);
        let _ = writeln!(
            text,
            "{:>6}  {:>7.4}  {:>7.4}  {:>+7.4} ({low:+.4} to {high:+.4})",
            size.robots,
            Figure(size.before.mean),
            Figure(size.after.mean),
            Figure(size.gain)
        );
    }
    let _ = writeln!(text, "\n{}\n\n{}", found.sentence(), found.tree.trim_end());
    text
}

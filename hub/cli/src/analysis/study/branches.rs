//! `xpuck study branches`.

use super::{Output, Swarm};
use crate::files::tree_file::read;
use crate::terminal::progress::Progress;
use anyhow::Result;
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;
use xpuck_lab::study::Budget;
use xpuck_lab::study::branches::{BranchStudy, study};

/// Branch activity: show which leaf drives a robot at each distance and bearing of the frisbee.
///
/// The figure is centred on the robot. Rings are distances of the frisbee, and sectors are bearings of the frisbee.
/// Each cell has the colour of the leaf that drove the robot most often.
#[derive(Args)]
pub struct BranchesArgs {
    /// File with the tree; all robots run it as written.
    tree: PathBuf,
    /// Simulated seconds of each run.
    #[arg(long, default_value_t = 60.0)]
    seconds: f32,
    /// Number of runs.
    #[arg(long, default_value_t = 100)]
    runs: u32,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    swarm: Swarm,
    #[command(flatten)]
    output: Output,
}

/// Runs `xpuck study branches`.
pub fn run(args: &BranchesArgs) -> Result<()> {
    args.output.check([&args.tree].into_iter().chain(args.swarm.read()))?;
    let budget = Budget::new(args.seconds, args.runs, args.seed)?;
    let tree = read(&args.tree, None, false)?;
    let spec = args.swarm.spec()?;
    let engine = args.output.open(&[&spec])?;
    let progress = Progress::steps("run", u64::from(args.runs), args.output.json);
    let found = study(&tree, &spec, budget, || progress.inc())?;
    drop(progress);
    args.output.deliver(&engine, &found, || text(&found))
}

fn text(found: &BranchStudy) -> String {
    let mut text = String::new();
    for (node, leaf, part) in &found.branches {
        let _ = writeln!(text, "{:>5.1} %  line {:<3} {leaf}", 100.0 * part, node);
    }
    let _ = writeln!(text, "\n{}", found.sentence());
    text
}

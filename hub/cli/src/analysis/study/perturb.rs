//! `xpuck study perturb`.

use super::{Output, program};
use crate::terminal::progress::Progress;
use anyhow::{Context, Result};
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;
use xpuck_kernels::tree::Program;
use xpuck_kernels::world::WorldSpec;
use xpuck_lab::study::Budget;
use xpuck_lab::study::perturb::{PerturbStudy, Perturbation, study};
use xpuck_stats::figure::Figure;

/// Perturbation: measure whether a tree keeps its fitness from random start poses near the frisbee.
///
/// The frisbee lies at the origin. Robots start around one pose with normally distributed deviations. The deviations
/// are drawn again until no bodies overlap. Each run lasts a few seconds. The figure shows the fitness of a run against
/// the mean distance of its start poses from the start poses of the tree's best run (thesis 8.6.3, Fig. 8.13). A tree
/// that steers has about the same median fitness at all distances. The fitness of a tree that only drives straight on
/// depends on its start. All trees run from the same starts.
#[derive(Args)]
pub struct PerturbArgs {
    /// Files with trees, at most 4; in each run all robots run one tree as written.
    #[arg(required = true, num_args = 1..=4, value_name = "TREE")]
    trees: Vec<PathBuf>,
    /// Number of robots, 1 to 5.
    #[arg(long = "count", alias = "robots", default_value_t = 2)]
    robots: usize,
    /// Pose around which the robots start: x and y (m), heading (rad).
    #[arg(long, value_name = "X,Y,HEADING", default_value = "0,0,0", value_parser = pose, allow_hyphen_values = true)]
    around: (f32, f32, f32),
    /// Standard deviations of x and y (m) and heading (rad).
    #[arg(long, value_name = "X,Y,HEADING", default_value = "0.2,0.2,1.5", value_parser = pose, allow_hyphen_values = true)]
    by: (f32, f32, f32),
    /// Width of the distance bins in the figure (m).
    #[arg(long, default_value_t = 0.05)]
    bin: f64,
    /// Simulated seconds of each run.
    #[arg(long, default_value_t = 8.0)]
    seconds: f32,
    /// Number of runs of each tree.
    #[arg(long, default_value_t = 100_000)]
    runs: u32,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    output: Output,
}

fn pose(text: &str) -> Result<(f32, f32, f32)> {
    let numbers: Option<Vec<f32>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some([x, y, heading]) => Some((*x, *y, *heading)),
        _ => None,
    }
    .with_context(|| format!("`{text}`: expected three numbers x, y [m] and heading [rad], such as 0.2,0.2,1.5"))
}

/// Runs `xpuck study perturb`.
pub fn run(args: &PerturbArgs) -> Result<()> {
    args.output.check(&args.trees)?;
    let budget = Budget::new(args.seconds, args.runs, args.seed)?;
    let programs: Vec<(String, Program)> = args.trees.iter().map(|tree| program(tree)).collect::<Result<_>>()?;
    let engine = args.output.open(&[&WorldSpec::benchmark(2)])?;
    let perturbation = Perturbation { robots: args.robots, centre: args.around, by: args.by, bin: args.bin };
    let progress = Progress::steps("run", 1, args.output.json);
    let found = study(&engine, &programs, perturbation, budget, |done, total| progress.set(done as u64, total as u64))?;
    drop(progress);
    args.output.deliver(&engine, &found, || text(&found))
}

fn text(found: &PerturbStudy) -> String {
    let mut text = String::new();
    for tree in &found.trees {
        let _ = writeln!(text, "{}\ndistance, m       runs   least   lower  median   upper  greatest", tree.name);
        for bin in &tree.bins {
            let [least, lower, median, upper, greatest] = bin.fitness.map(Figure);
            let _ = writeln!(
                text,
                "{:.2} to {:.2}  {:>9}  {least:>6.3}  {lower:>6.3}  {median:>6.3}  {upper:>6.3}  {greatest:>8.3}",
                bin.distance[0], bin.distance[1], bin.runs
            );
        }
        text.push('\n');
    }
    text + &found.sentences().join("\n") + "\n"
}

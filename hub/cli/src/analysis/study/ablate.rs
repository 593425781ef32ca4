//! `xpuck study ablate`.

use super::{Output, Swarm};
use crate::analysis::simulate::check_robot;
use crate::files::tree_file::read;
use crate::terminal::progress::Progress;
use anyhow::{Context, Result};
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;
use xpuck_kernels::tree::{Program, Tree};
use xpuck_lab::study::Budget;
use xpuck_lab::study::ablate::{AblationStudy, Change, study};
use xpuck_stats::figure::Figure;

/// Ablation: measure the contribution of each branch and each constant of a tree.
///
/// The tree is measured without each of its branches, and with each of its numbers slightly changed. All variants run
/// in the same worlds, so that differences are paired. `xpuck tree explain --simulate` prints these results next to an
/// explanation of the tree.
#[derive(Args)]
pub struct AblateArgs {
    /// File with the tree.
    tree: PathBuf,
    /// Simulated seconds of each run.
    #[arg(long, default_value_t = 60.0)]
    seconds: f32,
    /// Number of runs of each variant.
    #[arg(long, default_value_t = 200)]
    runs: u32,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    swarm: Swarm,
    #[command(flatten)]
    output: Output,
}

/// Runs `xpuck study ablate`.
pub fn run(args: &AblateArgs) -> Result<()> {
    args.output.check([&args.tree].into_iter().chain(args.swarm.read()))?;
    let budget = Budget::new(args.seconds, args.runs, args.seed)?;
    let tree: Tree = read(&args.tree, None, false)?;
    let program = Program::compile(&tree).with_context(|| args.tree.display().to_string())?;
    let spec = args.swarm.spec()?;
    check_robot(&spec, &program, &args.tree)?;
    let engine = args.output.open(&[&spec])?;
    let progress = Progress::steps("variant", 1, args.output.json);
    let found = study(&engine, &tree, &spec, budget, |done, total| progress.set(done as u64, total as u64))?;
    drop(progress);
    args.output.deliver(&engine, &found, || text(&found))
}

fn text(found: &AblationStudy) -> String {
    let mut text = String::from("kind      line   change of fitness\n");
    for Change { kind, line, change, effect, error } in &found.changes {
        let _ = writeln!(text, "{kind:<8}  {line:>4}  {:>+8.4} +- {error:.4}  {change}", Figure(*effect));
    }
    if found.left_out > 0 {
        let _ = writeln!(text, "{} variants beyond the limit were not run", found.left_out);
    }
    let _ = writeln!(text, "\n{}", found.sentence());
    text
}

//! `xpuck study ablate`.

use super::{Output, Swarm, budget};
use crate::cli::progress::Progress;
use crate::cli::tree_file::read;
use anyhow::{Context, Result};
use clap::Args;
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;
use xpuck_kernels::tree::{Program, Tree};
use xpuck_lab::ablation::{Ablation, Effect, ablate};
use xpuck_lab::figure::Figure;
use xpuck_lab::study::Budget;
use xpuck_lab::study::ablate_figure::{draw, sentence};

/// Ablation: what each branch and each constant of a tree is worth.
///
/// The tree is measured without each of its branches, and with each of its numbers a little different, always in the same
/// worlds, so that differences are paired. `xpuck tree explain --simulate` says the same beside what the tree does.
#[derive(Args)]
pub struct AblateArgs {
    /// File with the tree.
    tree: PathBuf,
    /// Simulated seconds of each run.
    #[arg(long, default_value_t = 60.0)]
    seconds: f32,
    /// Runs of each variant.
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

/// One change, for machines.
#[derive(Serialize)]
struct Row {
    kind: &'static str,
    line: usize,
    change: String,
    effect: f64,
    error: f64,
}

#[derive(Serialize)]
struct Found {
    budget: Budget,
    fitness: f64,
    error: f64,
    left_out: usize,
    changes: Vec<Row>,
}

/// Runs the command.
pub fn run(args: &AblateArgs) -> Result<()> {
    args.output.check([&args.tree].into_iter().chain(args.swarm.read()))?;
    let budget = budget(args.seconds, args.runs, args.seed)?;
    let tree: Tree = read(&args.tree, None, false)?;
    Program::compile(&tree).with_context(|| args.tree.display().to_string())?;
    let spec = args.swarm.spec()?;
    let engine = args.output.open(&[&spec])?;
    let progress = Progress::of("variant", 1, args.output.json);
    let ablation = ablate(&engine, &tree, &budget.plan(&spec), |done, total| progress.set(done as u64, total as u64))?;
    drop(progress);
    let found = Found {
        budget,
        fitness: ablation.fitness.0,
        error: ablation.fitness.1,
        left_out: ablation.left_out,
        changes: rows(&ablation),
    };
    let csv = |table: &mut csv::Writer<Vec<u8>>| found.changes.iter().try_for_each(|row| table.serialize(row));
    args.output.deliver(&engine, &found, || draw(&ablation), csv, || text(&found, &ablation))
}

fn rows(ablation: &Ablation) -> Vec<Row> {
    let row = |kind| {
        move |effect: &Effect| Row {
            kind,
            line: effect.node + 1,
            change: effect.change.words().replace('`', ""),
            effect: effect.mean,
            error: effect.error,
        }
    };
    ablation.removals.iter().map(row("branch")).chain(ablation.constants.iter().map(row("constant"))).collect()
}

fn text(found: &Found, ablation: &Ablation) -> String {
    let mut text = String::from("kind      line   change of fitness\n");
    for Row { kind, line, change, effect, error } in &found.changes {
        let _ = writeln!(text, "{kind:<8}  {line:>4}  {:>+8.4} +- {error:.4}  {change}", Figure(*effect));
    }
    if found.left_out > 0 {
        let _ = writeln!(text, "{} variants beyond the limit were not run", found.left_out);
    }
    let _ = writeln!(text, "\n{}", sentence(ablation));
    text
}

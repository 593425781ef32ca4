//! `xpuck tree reduce` and `xpuck tree diff`: reduction to equivalent smaller trees, and comparison by simulation.

use crate::files::tree_file::{print, read};
use crate::terminal::print_json;
use crate::terminal::wrong_argument;
use anyhow::{Result, bail};
use clap::Args;
use rayon::prelude::*;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;
use xpuck_kernels::analysis::reduce::{Options, reduce as reduce_tree};
use xpuck_kernels::tree::{Memory, Program, Tree};
use xpuck_kernels::world::{World, WorldSpec};
use xpuck_wire::output;

/// Number of robots in a comparison, as in the thesis.
const ROBOTS: usize = 9;
/// Number of controller updates in a run of a comparison. A run lasts 60 s.
const UPDATES: u32 = 600;

/// Print a smaller tree that drives the wheels in exactly the same way.
///
/// The command applies the rules of thesis section 8.6.1, and other rules that follow from the node table, until
/// nothing changes. The rules remove unreachable nodes, nodes with known results, repeated queries, and writes that
/// are never read.
#[derive(Args)]
pub struct ReduceArgs {
    /// Tree files: .bt, .xml, .json or .bin.
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Limit composites to 2 to 4 children, as the thesis's interpreter requires.
    #[arg(long)]
    executable: bool,
    /// Print each step and the rule that allows it, as comments before the tree.
    #[arg(long)]
    explain: bool,
    /// Print the share of removed nodes for each tree and on average, instead of the trees.
    #[arg(long, conflicts_with = "explain")]
    summary: bool,
    /// Minimum number of nodes for which a tree is included in the summary.
    #[arg(long, requires = "summary", default_value_t = 1)]
    at_least: usize,
}

/// Compare the behaviour of two trees in simulation, update by update, and print the first difference.
///
/// Nine robots run each tree from the same start poses with the same noise. Poses and wheel speeds must be equal bit
/// for bit.
#[derive(Args)]
pub struct EqualArgs {
    /// First tree file.
    a: PathBuf,
    /// Second tree file.
    b: PathBuf,
    /// Number of simulations of 60 s, alternating between scenarios A and B.
    #[arg(long, default_value_t = 100)]
    runs: u32,
    /// Random seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one JSON object, with the result of the comparison and the first difference.
    #[arg(long)]
    json: bool,
}

/// Runs `xpuck tree reduce`.
pub fn reduce(args: &ReduceArgs) -> Result<()> {
    let mut text = String::new();
    let mut parts = Vec::new();
    for file in &args.files {
        let tree = read(file, None, false)?;
        let reduction = reduce_tree(&tree, Options { executable: args.executable });
        let (before, after) = (tree.nodes().len(), reduction.tree.nodes().len());
        if args.summary && before < args.at_least {
            continue;
        }
        if args.summary {
            let part = 1.0 - after as f64 / before as f64;
            let file = file.display();
            writeln!(text, "{:5.1} % of {before:4} nodes removed, {after:3} left: {file}", 100.0 * part)?;
            parts.push((part, before, after));
            continue;
        }
        if args.explain {
            for step in &reduction.steps {
                let after = if step.after.is_empty() { "removed".into() } else { format!("now {}", step.after) };
                writeln!(text, "# {}: {after}; {}", step.before, step.rule.meaning())?;
            }
            writeln!(text, "# {before} nodes before, {after} after")?;
        }
        text += &reduction.tree.to_string();
    }
    if args.summary {
        text += &summary(&parts);
    }
    print(text.as_bytes())
}

/// Summarises the reduction of all trees as text. An item of `parts` is the removed share of a tree's nodes (0 to 1),
/// and the number of nodes before and after the reduction.
fn summary(parts: &[(f64, usize, usize)]) -> String {
    if parts.is_empty() {
        return "no tree has that many nodes\n".into();
    }
    let n = parts.len() as f64;
    let mean = parts.iter().map(|p| p.0).sum::<f64>() / n;
    let (before, after) = parts.iter().fold((0, 0), |(b, a), p| (b + p.1, a + p.2));
    format!(
        "{:5.1} % of a tree removed, on average over {} trees; of all {before} nodes, {:.1} % removed\n",
        100.0 * mean,
        parts.len(),
        100.0 * (1.0 - after as f64 / before as f64)
    )
}

/// Comparison of two trees in simulation, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Equality<'a> {
    /// Whether the two trees were equal in all runs.
    equal: bool,
    /// Number of runs for the comparison.
    runs: u32,
    /// First difference, in the order of the runs; `null` if there is none.
    difference: Option<Difference<'a>>,
}

/// First update of a run in which two trees behave differently.
#[derive(Serialize, JsonSchema)]
struct Difference<'a> {
    /// Number of the run, from 0.
    run: u32,
    /// Text with time (s), robot, and wheel speeds of both trees (m/s).
    at: &'a str,
}

/// Runs `xpuck tree diff` on two trees.
pub fn equal(args: &EqualArgs) -> Result<()> {
    if !(1..=100_000).contains(&args.runs) {
        wrong_argument!("--runs must be 1 to 100000");
    }
    let compile = |path: &PathBuf| -> Result<Program> {
        let tree: Tree = read(path, None, false)?;
        Ok(Program::compile(&tree)?)
    };
    let (a, b) = (compile(&args.a)?, compile(&args.b)?);
    let different = |run| first_difference(&a, &b, args.seed, run).map(|difference| (run, difference));
    let found = (0..args.runs).into_par_iter().find_map_first(different);
    if args.json {
        let difference = found.as_ref().map(|(run, at)| Difference { run: *run, at });
        let equality = Equality { equal: found.is_none(), runs: args.runs, difference };
        print_json(&equality)?;
    }
    match found {
        Some((run, difference)) => bail!("the trees differ: run {run}, {difference}"),
        None if args.json => return Ok(()),
        None => {}
    }
    let runs = output::count(args.runs as usize, "run", "runs");
    output::line(format_args!("equal in {runs} of 60 s with {ROBOTS} robots"))?;
    Ok(())
}

fn first_difference(a: &Program, b: &Program, seed: u64, run: u32) -> Option<String> {
    let world = World::new(&WorldSpec::benchmark(ROBOTS), run as usize, seed, run);
    let mut sides = [a, b].map(|p| (p, world.clone(), vec![Memory::new(p); ROBOTS]));
    for _ in 0..UPDATES {
        for (program, world, memories) in &mut sides {
            world.update(&[program], memories);
        }
        let (left, right) = (&sides[0].1, &sides[1].1);
        for (i, (x, y)) in left.bodies.iter().zip(&right.bodies).enumerate() {
            if x != y {
                let who = if i < ROBOTS { format!("robot {}", i + 1) } else { "the frisbee".into() };
                let (at, wheels) = (left.seconds(), (x.wheels, y.wheels));
                return Some(format!("after {at:.1} s, {who}: wheels {:?} and {:?} m/s", wheels.0, wheels.1));
            }
        }
    }
    None
}

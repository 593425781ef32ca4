//! `xpuck simulate` for a Kilobot's tree: measures the fitness of the tree and draws the paths of the robots.

use crate::files::tree_file::{print as put, read_kilobot, refuse_over, write};
use crate::terminal::print_json;
use anyhow::{Context, Result};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;
use toml::{Table, Value};
use xpuck_hub_kilobots::{Config, Usage, measure, minimise, trails};
use xpuck_kilobots::Program;
use xpuck_lab::evolution_run::file as evolution_file;
use xpuck_wire::output::count;

/// Simulate Kilobots that forage and all run the same tree: fitness of the tree, and paths of the robots.
#[derive(Args)]
pub struct SimulateArgs {
    /// File with a Kilobot's tree (.bt).
    tree: PathBuf,
    /// Number of starts in which the fitness of the tree is measured.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: u32,
    /// Seed of the starts.
    #[arg(long, default_value_t = 1)]
    seed: u32,
    /// Number of Kilobots [default: 25].
    #[arg(long = "count", alias = "robots")]
    robots: Option<i64>,
    /// Set any key of an experiment's world, as in `--set gap=0.2`; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// Draw the robots' paths in the first start to this SVG file.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Also reduce the tree: find the smallest tree that moves every robot in the same way in sixteen starts.
    #[arg(long)]
    reduce: bool,
    /// Print one JSON object, with the fitness of each start.
    #[arg(long)]
    json: bool,
}

/// Fitness of a Kilobot's tree, as printed by `--json`.
#[derive(Serialize, JsonSchema)]
pub struct KilobotsOutput {
    /// Mean fitness of the tree over the starts.
    fitness: f64,
    /// Standard error of the mean fitness.
    standard_error: f64,
    /// Fitness of the tree in each start.
    starts: Vec<f32>,
    /// Number of Kilobots in a simulation.
    robots: usize,
    /// Simulated time of a start (s).
    seconds: f32,
    /// Memory that the tree occupies (bytes).
    tree_bytes: usize,
    /// Memory that the stack occupies (bytes).
    stack_bytes: usize,
    /// Factor by which evolution multiplies the fitness of a tree with high memory use, 0 to 1.
    derating: f32,
    /// Number of nodes by type; with `--reduce`, of the reduced tree.
    uses: Usage,
    /// Smallest tree that moves the robots in the same way; `null` without `--reduce`.
    needed: Option<String>,
    /// Simulation speed (robot-seconds per second).
    r_acc: f64,
    /// Wall time of the simulation (s).
    wall_s: f64,
}

/// Runs the command.
///
/// # Errors
/// A file is invalid, or cannot be written.
pub fn run(args: &SimulateArgs) -> Result<()> {
    refuse_over([&args.tree], &args.svg)?;
    let name = args.tree.display();
    let tree = read_kilobot(&args.tree, None)?;
    let program = Program::compile(&tree).with_context(|| format!("{name}"))?;
    let mut world = evolution_file::keys(&args.set)?;
    if let Some(robots) = args.robots {
        world.insert("robots".into(), Value::Integer(robots));
    }
    let config = Config::load(None, Table::from_iter([("world".to_string(), Value::Table(world))]))?;
    let foraging = config.world.foraging();
    let began = Instant::now();
    let measured = measure(&tree, &foraging, u64::from(args.seed), args.runs);
    let seconds = began.elapsed().as_secs_f64();
    let simulated = f64::from(args.runs) * foraging.robots as f64 * f64::from(foraging.seconds);
    if let Some(path) = &args.svg {
        write(
            path,
            trails(&foraging, &program, (u64::from(args.seed), 0), &args.tree.display().to_string()).as_bytes(),
        )?;
    }
    let less = args.reduce.then(|| minimise(&tree, &foraging, u64::from(args.seed)));
    let usage = program.usage();
    if args.json {
        return print_json(&KilobotsOutput {
            fitness: measured.mean,
            standard_error: measured.standard_error,
            starts: measured.starts,
            robots: foraging.robots,
            seconds: foraging.seconds,
            tree_bytes: usage.tree,
            stack_bytes: usage.stack,
            derating: usage.derating(),
            uses: Usage::from_tree(less.as_ref().unwrap_or(&tree)),
            needed: less.as_ref().map(ToString::to_string),
            r_acc: simulated / seconds.max(1e-9),
            wall_s: seconds,
        });
    }
    let mut told = format!(
        "fitness {:.4} +- {:.4} (standard error) over {} of {} Kilobots and {:.0} s\n{} of 1024 bytes for the tree, {} of 500 bytes of stack\n",
        measured.mean,
        measured.standard_error,
        count(args.runs as usize, "start", "starts"),
        foraging.robots,
        foraging.seconds,
        usage.tree,
        usage.stack
    );
    if usage.derating() < 1.0 {
        told += &format!(
            "the fitness is derated by {:.3}, because more than three quarters of the memory is used\n",
            usage.derating()
        );
    }
    if let Some(less) = less {
        told += &format!("{} of {} nodes are needed:\n{less}", less.nodes().len(), tree.nodes().len());
    }
    put(told.as_bytes())
}

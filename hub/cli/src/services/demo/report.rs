//! Final report of a demo: fitness of the segments, best tree, and path of the record.

use super::files::Layout;
use super::{DemoArgs, Run};
use crate::arena::Timing;
use crate::swarm::operator::engine;
use crate::terminal::json;
use crate::terminal::progress::Progress;
use anyhow::{Context, Result};
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use xpuck_kernels::analysis::reduce::{Options, reduce};
use xpuck_kernels::engine::Simd;
use xpuck_kernels::tree::{Program, Tree};
use xpuck_kernels::world::{Task, WorldSpec};
use xpuck_lab::measure::{Plan, measure_all};
use xpuck_stats::figure::Figure;
use xpuck_wire::log;
use xpuck_wire::output::{count, significant, value_note};
use xpuck_wire::telemetry::EngineReport;
use xpuck_wire::{RobotRow, Status};

/// Rounds in which the best tree is selected. Each item is the number of candidate trees, and the number of simulated
/// runs for each candidate.
const ROUNDS: [(usize, u32); 3] = [(64, 24), (8, 96), (3, 400)];
/// Mask for the seeds of the measurement, so that they differ from the seeds of evolution. Each round has its own
/// seed, so that chance in one round does not affect the next round.
const FRESH: u64 = 0x5EED_F0E5_0000_0000;

/// Results of a demo, as `--json` prints them.
#[derive(Serialize, JsonSchema)]
pub struct Output {
    /// Number of robots.
    robots: usize,
    /// Seed of the run.
    seed: u64,
    /// Length of the run (min of arena time).
    minutes: f64,
    /// Real fitness of each segment, from segment 1.
    segments: Vec<f64>,
    /// Raw value of each segment, from segment 1; empty if the task is not a mission.
    values: Vec<f64>,
    /// Derated fitness of the robots' champions at the end, averaged over the robots.
    evolved: f64,
    /// Mean round trip (ms of wall time).
    round_trip_ms: f64,
    /// Share of round trips above 100 ms, 0 to 1.
    slow_round_trips: f64,
    /// Number of robot losses.
    dead: u32,
    /// Number of generations of the robot with the most generations.
    generations: u32,
    /// Engine of each robot that evolved, at the end.
    engines: Vec<EngineReport>,
    /// Arena time divided by the product of wall time and speed; `null` if the arena did not report it.
    arena_over_wall: Option<f64>,
    /// Mean fitness of the best tree, measured on seeds that evolution did not use; `null` without a tree.
    best_fitness: Option<f64>,
    /// Text of the best tree, reduced to fewer nodes with the same behaviour; `null` without a tree.
    best_tree: Option<String>,
    /// Path of the record.
    record: String,
}

/// Measures the best tree, writes it to the demo's directory, and returns the text of the report.
pub fn text(args: &DemoArgs, layout: &Layout, run: &Run, timing: Option<Timing>, stop: &AtomicBool) -> Result<String> {
    let status = &run.status;
    // Trees are measured in the world of the last phase.
    let world = &layout.plan.phase(usize::MAX).world;
    let best = best_tree(args, world, run, stop);
    // In segment 0, no robot has loaded an evolved tree. It counts if it is the whole run.
    let is_whole = status.segments.len() == 1;
    let scored = || status.segments.iter().filter(|s| s.number > 0 || is_whole);
    let segments: Vec<f64> = scored().map(|s| s.fitness).collect();
    let values: Vec<f64> = scored().filter_map(|s| s.value).collect();
    let tree_file = layout.root.join("best.bt");
    let gone =
        || format!("{}: cannot write the results; was the demo's folder moved or removed?", layout.root.display());
    if let Some((tree, evolved, _)) = &best {
        std::fs::write(&tree_file, tree.to_string()).with_context(gone)?;
        std::fs::write(layout.root.join("best-evolved.bt"), evolved.to_string()).with_context(gone)?;
    }
    if args.json {
        let output = Output {
            robots: args.robots,
            seed: args.seed,
            minutes: layout.plan.seconds() / 60.0,
            segments,
            values,
            evolved: status.evolved,
            round_trip_ms: status.round_trip_ms,
            slow_round_trips: status.slow_round_trips,
            dead: status.dead,
            generations: status.robots.iter().map(|r| r.evolution.generation).max().unwrap_or(0),
            engines: evolving(status).map(|robot| robot.engine.clone()).collect(),
            arena_over_wall: timing.map(|t| t.ratio),
            best_fitness: best.as_ref().map(|b| b.2),
            best_tree: best.as_ref().map(|b| b.0.to_string()),
            record: status.record.clone(),
        };
        return Ok(json(&output)? + "\n");
    }
    let mut text = String::new();
    let usual = **world == WorldSpec::benchmark(args.robots);
    let robots = count(args.robots, "robot", "robots");
    let last = segments.len().max(1);
    let which = if is_whole { "the run".into() } else { format!("segments 1 to {last}") };
    let evolves = layout.plan.evolves(args.robots);
    writeln!(text, "\n robots lost  round trip  over 100 ms  evolved   real fitness of {which}")?;
    let evolved = if evolves { format!("{:.3}", Figure(status.evolved)) } else { "-".into() };
    let cells: String =
        (0..last).map(|i| segments.get(i).map_or("       -".into(), |f| format!("  {:+.3}", Figure(*f)))).collect();
    writeln!(
        text,
        " {:>5} times  {:>7.2} ms  {:>9.2} %  {evolved:>7}  {cells}",
        status.dead,
        status.round_trip_ms,
        status.slow_round_trips * 100.0
    )?;
    if let Task::Objective(objective) = &world.task {
        let values: Vec<String> = values.into_iter().map(significant).collect();
        writeln!(text, "\nvalue of {which}: {}", values.join("  "))?;
        writeln!(text, "{}", objective.description())?;
    }
    if let Some(timing) = timing {
        writeln!(
            text,
            "\narena time / (wall time x {}): {:.4} over {:.0} s of arena time",
            args.speed, timing.ratio, timing.arena_seconds
        )?;
    }
    for r in evolving(status) {
        writeln!(text, "{} evolved on {} robot-s/s", r.id, engine(&r.engine))?;
    }
    match &best {
        Some((tree, evolved, fitness)) => {
            writeln!(
                text,
                "\n# the best tree; measured again on fresh seeds: {:.3}{} ({}, 60 s)",
                Figure(*fitness),
                value_note(value_of(&world.task, *fitness)),
                if usual { format!("scenarios A and B mixed, {robots}") } else { world.task.name().into() }
            )?;
            writeln!(
                text,
                "# reduced from {} nodes to {}, with the same behaviour",
                evolved.nodes().len(),
                tree.nodes().len()
            )?;
            write!(text, "{tree}")?;
            writeln!(text, "# try it: xpuck simulate {} {}", tree_file.display(), layout.simulated)?;
        }
        None if !evolves => writeln!(text, "\n{}", without_evolution(args))?,
        None => writeln!(text, "\nno tree was evolved in this time")?,
    }
    writeln!(text, "\nrecord: {}", status.record)?;
    Ok(text)
}

/// Returns the robots that evolved. Only these robots have reported the name of an engine.
fn evolving(status: &Status) -> impl Iterator<Item = &RobotRow> {
    status.robots.iter().filter(|robot| !robot.engine.name.is_empty())
}

/// Returns the raw value that corresponds to a fitness; `None` if the task is not a mission.
fn value_of(task: &Task, fitness: f64) -> Option<f64> {
    match task {
        Task::Objective(objective) => Some(objective.value_of(fitness)),
        _ => None,
    }
}

fn without_evolution(args: &DemoArgs) -> String {
    let tree = args.tree.as_ref().map_or("the tree of the experiment".into(), |tree| tree.display().to_string());
    format!("evolution was off: every robot ran {tree}")
}

/// Returns the best of all trees that led an island or drove a robot: the reduced tree, the evolved tree, and the
/// measured fitness. `None` if there is no tree. The trees are measured on seeds that evolution did not use. In the
/// first round, many trees get few runs. In later rounds, only the better trees get more runs, so that chance in one
/// round does not decide.
fn best_tree(args: &DemoArgs, spec: &WorldSpec, run: &Run, stop: &AtomicBool) -> Option<(Tree, Tree, f64)> {
    let distinct: BTreeMap<String, Tree> = run
        .trees
        .iter()
        .filter_map(|(_, gene)| Some((gene.tree.clone(), Tree::parse(&gene.tree).ok()?.under_avoiding())))
        .collect();
    let mut left: Vec<(Tree, Program, f64)> =
        distinct.into_values().filter_map(|t| Some((t.clone(), Program::compile(&t).ok()?, 0.0))).collect();
    let most = left.len().min(ROUNDS[0].0);
    if !args.json && most > 0 {
        let robots = if most == 1 { "the tree that led".into() } else { format!("the {most} trees that led") };
        log::print(format_args!("measuring {robots} an island or drove a robot again, on fresh simulations"));
    }
    let progress = Progress::steps("round", ROUNDS.len() as u64, args.json);
    for (round, (keep, runs)) in ROUNDS.into_iter().enumerate() {
        if stop.load(Ordering::Relaxed) && round > 0 {
            break;
        }
        left.truncate(keep);
        let programs: Vec<Program> = left.iter().map(|l| l.1.clone()).collect();
        let seed = FRESH ^ args.seed << 8 ^ round as u64;
        let plan = Plan { spec, seconds: 60.0, runs, seed };
        for (candidate, measured) in left.iter_mut().zip(measure_all(&Simd::default(), &programs, &plan)) {
            candidate.2 = measured.mean;
        }
        left.sort_by(|a, b| b.2.total_cmp(&a.2));
        progress.inc();
    }
    drop(progress);
    let (tree, _, fitness) = left.into_iter().next()?;
    Some((reduce(&tree, Options { executable: true }).tree, tree, fitness))
}

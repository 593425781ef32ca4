//! `xpuck dev bench`: measures the speed of the engines on this machine.

use crate::engines::bench_genes::{self, GenesBenchArgs};
use crate::engines::bench_geneserver::{self, GeneserverBenchArgs};
use crate::engines::bench_hub::{self, HubBenchArgs};
use crate::engines::engine::report;
use crate::files::tree_file;
use crate::terminal::print_json;
use crate::terminal::progress::Progress;
use crate::terminal::wrong_argument;
use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;
use xpuck_kernels::engine::{AdapterChoice, Engine, Gpu, Job, Reference, Simd, Team};
use xpuck_kernels::model::MAX_ROBOTS;
use xpuck_kernels::tree::{Program, Tree};
use xpuck_kernels::world::{Scenario, Sensing, WorldSpec};
use xpuck_stats::statistics::median;
use xpuck_wire::output;

/// Tree for the controller of Table 5.3, which explores and turns away from obstacles.
pub const EXPLORE: &str = "explore 20";
/// Tree for a robot that drives in circles. All stages before the controller are timed with this tree, because a robot
/// that drives straight on without senses would stop at a wall.
const CIRCLE: &str = "movcv v_goal 60deg";

/// Measure the engines: robot-seconds simulated per second, and the time of each stage.
///
/// The workload is that of Table 5.3 of the thesis: 16 robots and one disc, 30 s, all senses on, and a controller that
/// explores and avoids obstacles. Each number is the median of --repeat runs. The stages are measured by adding one
/// after another: physics, proximity, camera with range and bearing, controller.
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BenchArgs {
    #[command(subcommand)]
    other: Option<Other>,
    /// Engine to measure [default: all engines of this machine].
    #[arg(long)]
    engine: Option<BenchEngine>,
    /// Adapter of gpu: its index, or a part of its name (`xpuck dev engines` lists them).
    #[arg(long, value_name = "ADAPTER")]
    adapter: Option<String>,
    /// Tree file, whose tree replaces the exploring controller; `avoiding` is added to the tree.
    #[arg(long, value_name = "FILE")]
    tree: Option<PathBuf>,
    /// Number of worlds in the main measurement.
    #[arg(long, default_value_t = 256)]
    worlds: u32,
    /// Number of repetitions; the median is reported.
    #[arg(long, default_value_t = 5)]
    repeat: usize,
    /// Also measure the cost for different numbers of robots (1 to 256) and of worlds (1 to 4096). Above 16 robots, the
    /// area per robot is constant.
    #[arg(long)]
    scaling: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Other benchmarks.
#[derive(Subcommand)]
enum Other {
    Genes(GenesBenchArgs),
    Geneserver(GeneserverBenchArgs),
    Hub(HubBenchArgs),
}

/// Engines that can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum BenchEngine {
    /// Reference implementation, one world after another.
    Reference,
    /// Worlds in parallel, in vector registers.
    Simd,
    /// Worlds on a GPU, through Vulkan.
    Gpu,
}

/// Measurements of one engine.
#[derive(Serialize, JsonSchema)]
pub struct Measurement {
    name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    adapter: Option<String>,
    worlds: u32,
    /// Median number of robot-seconds simulated per second, with all stages. `r_acc_range` contains the minimum and the
    /// maximum.
    r_acc: f64,
    r_acc_range: [f64; 2],
    us_per_robot_s: Stages,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by_robots: Vec<Point>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    by_worlds: Vec<Point>,
}

/// Time of each stage per simulated robot-second (us).
#[derive(Serialize, JsonSchema)]
struct Stages {
    physics: f64,
    proximity: f64,
    camera_rab: f64,
    controller: f64,
}

/// Measured cost for `n` robots or worlds.
#[derive(Serialize, JsonSchema)]
struct Point {
    n: usize,
    us_per_robot_s: f64,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    threads: usize,
    engines: Vec<Measurement>,
}

/// Runs `xpuck dev bench`.
pub fn run(args: &BenchArgs) -> Result<()> {
    match &args.other {
        Some(Other::Genes(args)) => return bench_genes::run(args),
        Some(Other::Geneserver(args)) => return bench_geneserver::run(args),
        Some(Other::Hub(args)) => return bench_hub::run(args),
        None => {}
    }
    if !(1..=65_536).contains(&args.worlds) || !(1..=100).contains(&args.repeat) {
        wrong_argument!("--worlds must be 1 to 65536, and --repeat 1 to 100");
    }
    let controller = match &args.tree {
        Some(path) => {
            let tree = tree_file::read(path, None, false)?.under_avoiding();
            Program::compile(&tree).with_context(|| path.display().to_string())?
        }
        None => program(EXPLORE),
    };
    let adapter = args.adapter.as_deref().map_or(Ok(AdapterChoice::Best), str::parse)?;
    let all = [BenchEngine::Reference, BenchEngine::Simd, BenchEngine::Gpu];
    let chosen: Vec<BenchEngine> = args.engine.map_or(all.to_vec(), |e| vec![e]);
    let progress = Progress::steps("measurement", (chosen.len() * steps(args)) as u64, args.json);
    let mut engines = Vec::new();
    for engine in chosen {
        let with = |sensing: Sensing| -> Result<Box<dyn Engine>> {
            let sensing = Some(sensing);
            Ok(match engine {
                BenchEngine::Reference => Box::new(Reference { sensing }),
                BenchEngine::Simd => Box::new(Simd { sensing }),
                BenchEngine::Gpu => {
                    let mut gpu = Gpu::open_adapter(&adapter)?;
                    gpu.sensing = sensing;
                    Box::new(gpu)
                }
            })
        };
        match with(Sensing::ALL) {
            Ok(full) => engines.push(measure(args, &controller, (full.as_ref(), &with), &progress)?),
            // An engine that cannot be opened is an error only if the user requested it.
            Err(error) if args.engine.is_none() => {
                output::print_error(format_args!("xpuck: engine gpu is skipped: {error}"))
            }
            Err(error) => return Err(error),
        }
    }
    drop(progress);
    let found = Output { threads: rayon::current_num_threads(), engines };
    if args.json {
        print_json(&found)?;
    } else {
        print(&found)?;
    }
    Ok(())
}

/// Numbers of robots for which --scaling measures the cost.
const ROBOTS: [usize; 10] = [1, 2, 4, 8, 12, 16, 32, 64, 128, 256];
/// Numbers of worlds for which --scaling measures the cost.
const WORLDS: [u32; 7] = [1, 4, 16, 64, 256, 1024, 4096];

/// Returns the number of measurements per engine.
fn steps(args: &BenchArgs) -> usize {
    4 + if args.scaling { ROBOTS.len() + WORLDS.len() } else { 0 }
}

type With<'a> = &'a dyn Fn(Sensing) -> Result<Box<dyn Engine>>;

/// Measures an engine. `full` is the engine with all senses. `with` opens the engine with a selection of senses.
fn measure(
    args: &BenchArgs,
    controller: &Program,
    (full, with): (&dyn Engine, With<'_>),
    progress: &Progress,
) -> Result<Measurement> {
    let circle = program(CIRCLE);
    let name = full.name();
    let step = |text: &str, engine: &dyn Engine, program: &Program, robots, worlds, repeat| {
        progress.note(format!("{name}: {text}"));
        let times = times(engine, program, robots, worlds, repeat);
        progress.inc();
        report(engine);
        times
    };
    let main = step("everything", full, controller, 16, args.worlds, args.repeat);
    let stage = |text, engine: &dyn Engine| median(&step(text, engine, &circle, 16, args.worlds, args.repeat));
    let physics = stage("physics", with(Sensing::NONE)?.as_ref());
    let proximity = stage("+ proximity", with(Sensing::PROXIMITY)?.as_ref());
    let senses = stage("+ camera, range and bearing", full);
    let everything = median(&main);
    let (mut by_robots, mut by_worlds) = (Vec::new(), Vec::new());
    if args.scaling {
        // The engine gpu does not simulate worlds of more than 16 robots.
        let most = if name == "gpu" { 16 } else { MAX_ROBOTS };
        for n in ROBOTS.into_iter().filter(|n| *n <= most) {
            let cost = median(&step(&format!("{n} robots"), full, controller, n, fewer(args.worlds, n), args.repeat));
            by_robots.push(Point { n, us_per_robot_s: cost });
        }
        for n in WORLDS {
            let repeat = if n > 256 { 1 } else { args.repeat };
            let cost = median(&step(&format!("{n} worlds"), full, controller, 16, n, repeat));
            by_worlds.push(Point { n: n as usize, us_per_robot_s: cost });
        }
    }
    let fastest = main.iter().copied().fold(f64::INFINITY, f64::min);
    let slowest = main.iter().copied().fold(0.0, f64::max);
    Ok(Measurement {
        name,
        adapter: full.device(),
        worlds: args.worlds,
        r_acc: 1e6 / everything,
        r_acc_range: [1e6 / slowest, 1e6 / fastest],
        us_per_robot_s: Stages {
            physics,
            proximity: proximity - physics,
            camera_rab: senses - proximity,
            controller: everything - senses,
        },
        by_robots,
        by_worlds,
    })
}

/// Returns the number of worlds for a measurement with `robots` robots per world. For more than 16 robots, the number
/// of worlds is reduced to keep the total number of robots constant. At least one block of 32 worlds remains, unless
/// `worlds` is smaller.
fn fewer(worlds: u32, robots: usize) -> u32 {
    if robots <= 16 { worlds } else { (worlds * 16 / robots as u32).max(worlds.min(32)) }
}

/// Compiles the text of a tree, which must be valid.
pub fn program(text: &str) -> Program {
    Program::compile(&Tree::parse(text).expect("a tree")).expect("fits a robot")
}

/// Simulates 30 s in all worlds `repeat` times, after a short warm-up run. Returns the duration of each repetition (us
/// per robot-second).
pub fn times(engine: &dyn Engine, program: &Program, robots: usize, worlds: u32, repeat: usize) -> Vec<f64> {
    const UPDATES: u32 = 300;
    let spec = WorldSpec::scenario(robots, Scenario::B);
    let job = |world| Job { spec: &spec, start: 0, team: Team::all(0), seed: 1, world, updates: UPDATES };
    let jobs: Vec<Job<'_>> = (0..worlds).map(job).collect();
    let programs = std::slice::from_ref(program);
    let short: Vec<Job<'_>> = jobs.iter().map(|j| Job { updates: 10, ..j.clone() }).collect();
    engine.run(programs, &short);
    let robot_seconds = f64::from(worlds) * robots as f64 * f64::from(UPDATES) / 10.0;
    let once = |_| {
        let started = Instant::now();
        engine.run(programs, &jobs);
        started.elapsed().as_secs_f64() * 1e6 / robot_seconds
    };
    (0..repeat).map(once).collect()
}

fn print(found: &Output) -> Result<()> {
    output::line(format_args!(
        "16 robots, one disc, 30 s, {} threads; microseconds per robot-second\n",
        found.threads
    ))?;
    output::line("engine     worlds  physics  + proximity  + camera, r&b  + controller    all      r_acc (range)")?;
    for e in &found.engines {
        let s = &e.us_per_robot_s;
        output::line(format_args!(
            "{:<10} {:>6} {:>8.3} {:>12.3} {:>14.3} {:>13.3} {:>6.3} {:>10.0} ({:.0} to {:.0})",
            e.name,
            e.worlds,
            s.physics,
            s.proximity,
            s.camera_rab,
            s.controller,
            1e6 / e.r_acc,
            e.r_acc,
            e.r_acc_range[0],
            e.r_acc_range[1]
        ))?;
    }
    for e in &found.engines {
        if let Some(adapter) = &e.adapter {
            output::line(format_args!("\n{} runs on {adapter}", e.name))?;
        }
        for (what, points) in [("robots", &e.by_robots), ("worlds", &e.by_worlds)] {
            if !points.is_empty() {
                output::line(format_args!("\n{}: microseconds per robot-second by {what}", e.name))?;
                for p in points {
                    output::line(format_args!("  {:>5} {:>8.3}", p.n, p.us_per_robot_s))?;
                }
            }
        }
    }
    Ok(())
}

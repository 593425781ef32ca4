//! `xpuck simulate`: fitness of a tree over many simulations.

use crate::analysis::mix::Mix;
use crate::analysis::picture::{Caption, PictureArgs};
use crate::analysis::run_table;
use crate::engines::engine::{EngineArgs, report};
use crate::files::tree_file::{read_asked, refuse_over, write};
use crate::terminal::print_json;
use crate::terminal::progress::Progress;
use crate::terminal::wrong_argument;
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::time::Instant;
use xpuck_experiment::robot_model::{self, RobotSpec};
use xpuck_experiment::tree_file::ReadOptions;
use xpuck_experiment::{Calibration, world_file};
use xpuck_kernels::analysis::reduce::{Options, reduce};
use xpuck_kernels::engine::{Engine, EngineKind, Team};
use xpuck_kernels::model::MAX_ROBOTS;
use xpuck_kernels::tree::{LegacyBlueSides, Program, RegisterMap, Tree};
use xpuck_kernels::world::{Scenario, Task, World, WorldSpec};
use xpuck_lab::measure::{Plan, outcomes_of_team, summarise};
use xpuck_lab::trajectories::record;
use xpuck_stats::figure::Figure;
use xpuck_wire::atomic::can_output;
use xpuck_wire::output::{count, significant, value_note};
use xpuck_wire::{FileError, log, output};

/// Run behaviour trees in simulation and print the swarm's fitness, on the benchmark task or in a world file.
///
/// A tree runs exactly as written: `avoiding` is not added. The fitness of the benchmark is f_raw of Eq. 8.3: the
/// speed of the frisbee towards -x, divided by v_max. A world file (docs/worlds.md) selects one of seven tasks or states
/// a task as a formula, each with its own fitness. For a formula, the value is printed too: the number that the formula
/// yields, before it is scaled to the fitness by `worst` and `best`. The same seed gives identical results on any number of threads.
#[derive(Args)]
pub struct SimulateArgs {
    /// File with the tree (.bt, .xml, .json or .bin) that all robots run.
    #[arg(required_unless_present = "mix", conflicts_with = "mix")]
    tree: Option<PathBuf>,
    /// Swarm of several trees in place of TREE: `7:a.bt,2:b.bt` is seven robots with a.bt, then two with b.bt.
    #[arg(long, value_name = "COUNT:FILE,...")]
    mix: Option<Mix>,
    /// World file (.toml) in place of the benchmark; it sets the number of robots and their start positions.
    #[arg(long, value_name = "FILE")]
    world: Option<PathBuf>,
    /// Robots in place of those of the world: a model (xpuck, e-puck2, pi-puck, rm1.1, rm1.2) or a file
    /// (docs/robot-models.md).
    #[arg(long, value_name = "MODEL|FILE")]
    robot_model: Option<String>,
    /// Calibration file (.toml) with measured values of the world (docs/calibration.md).
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
    /// Number of robots, 1 to 256. For more than 16 robots, the arena grows to keep the area per robot constant.
    #[arg(long = "count", alias = "robots", default_value_t = 9, conflicts_with_all = ["mix", "world"])]
    robots: usize,
    /// Simulated seconds of each run.
    #[arg(long, default_value_t = 60.0)]
    seconds: f32,
    /// Number of runs.
    #[arg(long, default_value_t = 200)]
    runs: u32,
    /// Start positions of the robots.
    #[arg(long, value_enum, default_value_t = ScenarioArg::Mix, conflicts_with = "world")]
    scenario: ScenarioArg,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    #[command(flatten)]
    engine: EngineArgs,
    /// Print the result as one JSON object.
    #[arg(long)]
    json: bool,
    /// Write the results of the single runs as CSV to this file. The columns are run, seed and fitness; in missions,
    /// also value, and lot_NAME for each lot.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Register numbering of `[index]` operands: Table 6.3 or Table 8.2.
    #[arg(long, value_enum, default_value_t = MapArg::Full)]
    registers: MapArg,
    /// Keep angles given in degrees as written instead of rounding them to steps of pi/128.
    #[arg(long)]
    exact: bool,
    /// Make bleft and bright always fail, as in the thesis's own runs.
    #[arg(long)]
    as_published: bool,
    #[command(flatten)]
    picture: PictureArgs,
}

/// Start positions of the robots.
#[derive(Clone, Copy, ValueEnum)]
pub enum ScenarioArg {
    /// All robots at the -x end.
    A,
    /// Robots spread over the arena.
    B,
    /// A and B in alternate runs.
    Mix,
}

impl ScenarioArg {
    /// Returns the benchmark's world with these start positions.
    pub fn spec(self, robots: usize) -> WorldSpec {
        match self {
            ScenarioArg::A => WorldSpec::scenario(robots, Scenario::A),
            ScenarioArg::B => WorldSpec::scenario(robots, Scenario::B),
            ScenarioArg::Mix => WorldSpec::benchmark(robots),
        }
    }
}

/// Checks that robots, duration and number of runs are within the simulator's limits.
pub fn check(plan: &Plan<'_>) -> Result<()> {
    if !(1..=MAX_ROBOTS).contains(&plan.spec.robots) {
        wrong_argument!("--count {}: must be 1 to {MAX_ROBOTS}", plan.spec.robots);
    }
    if !(0.1..=36_000.0).contains(&plan.seconds) {
        wrong_argument!("--seconds {}: must be 0.1 to 36000", plan.seconds);
    }
    if !(1..=1_000_000).contains(&plan.runs) {
        wrong_argument!("--runs {}: must be 1 to 1000000", plan.runs);
    }
    Ok(())
}

/// Prints a note for each reduction of a mission whose times are not within the simulated time. `what` names the
/// simulations: runs or trials.
pub fn window_notes(spec: &WorldSpec, seconds: f32, what: &str) {
    let Task::Objective(objective) = &spec.task else { return };
    for note in objective.window_notes(seconds) {
        log::write_raw(format_args!("xpuck: {note}: {what} last {seconds} s; change the times or --seconds"));
    }
}

/// Register numbering of a tree file.
#[derive(Clone, Copy, ValueEnum)]
pub enum MapArg {
    /// Register numbers of Table 6.3.
    Full,
    /// Register numbers of Table 8.2.
    InSwarm,
}

#[derive(Serialize, JsonSchema)]
pub struct Output {
    task: &'static str,
    mean: f64,
    sd: f64,
    /// Mean of the raw value of the formula; only in missions.
    #[serde(skip_serializing_if = "Option::is_none")]
    value_mean: Option<f64>,
    /// Standard deviation of the raw value of the formula; only in missions.
    #[serde(skip_serializing_if = "Option::is_none")]
    value_sd: Option<f64>,
    runs: u32,
    robot_seconds: f64,
    wall_s: f64,
    r_acc: f64,
    engine: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    adapter: Option<String>,
    hash: String,
}

/// Reads a tree file. Errors state the file, line and column.
pub fn read_tree(path: &Path, map: RegisterMap, exact: bool) -> Result<Tree> {
    read_asked(path, &ReadOptions { map, exact, ..ReadOptions::default() })
}

/// Returns the world that the arguments select, before calibration.
fn world(args: &SimulateArgs) -> Result<WorldSpec> {
    let robot = robot_of(args.robot_model.as_deref())?;
    if let Some(file) = &args.world {
        let spec = world_file::read_with(file, robot.as_ref())?;
        match &args.mix {
            Some(mix) if mix.robots() != spec.robots => {
                bail!("--mix has {} robots and {} has {}; make them equal", mix.robots(), file.display(), spec.robots)
            }
            _ => return Ok(spec),
        }
    }
    let robots = args.mix.as_ref().map_or(args.robots, Mix::robots);
    let mut spec = args.scenario.spec(robots);
    if let Some(robot) = robot {
        robot.apply(&mut spec);
        spec.check()?;
    }
    Ok(spec)
}

/// Checks that the robots of a world have all senses that the program of the tree file `path` reads.
pub fn check_robot(spec: &WorldSpec, program: &Program, path: &Path) -> Result<()> {
    let fits = spec.physics.robot.check_program(program);
    fits.map_err(|why| FileError::value(&path.display().to_string(), why).into())
}

/// Reads the robot model of the option `--robot-model`.
pub fn robot_of(name: Option<&str>) -> Result<Option<RobotSpec>> {
    name.map(|name| robot_model::read(name).map_err(|why| anyhow::anyhow!("--robot-model: {why}"))).transpose()
}

/// Runs `xpuck simulate`.
pub fn run(args: &SimulateArgs) -> Result<()> {
    let spec = match &args.calibration {
        Some(path) => {
            let wrong = |why| FileError::value(&path.display().to_string(), why);
            Calibration::read(path)?.apply(&world(args)?).map_err(wrong)?
        }
        None => world(args)?,
    };
    let plan = Plan { spec: &spec, seconds: args.seconds, runs: args.runs, seed: args.seed };
    check(&plan)?;
    let map = match args.registers {
        MapArg::Full => RegisterMap::Full,
        MapArg::InSwarm => RegisterMap::InSwarm,
    };
    let published = if args.as_published { LegacyBlueSides::Yes } else { LegacyBlueSides::No };
    let load = |path: &PathBuf| -> Result<(Tree, Program)> {
        let tree = read_tree(path, map, args.exact)?;
        let whole = Program::compile_with(&tree, published).with_context(|| format!("tree {}", path.display()))?;
        check_robot(&spec, &whole, path)?;
        // A reduced tree gives the same result faster. The rules of reduction assume that bleft and bright work, so
        // they do not hold with --as-published.
        let program = match published {
            LegacyBlueSides::Yes => whole,
            LegacyBlueSides::No => Program::compile(&reduce(&tree, Options { executable: false }).tree)?,
        };
        Ok((tree, program))
    };
    let files = args.tree.iter().chain(args.mix.iter().flat_map(|mix| mix.0.iter().map(|(_, file)| file)));
    let (trees, programs): (Vec<Tree>, Vec<Program>) = files.map(load).collect::<Result<Vec<_>>>()?.into_iter().unzip();
    let team = args.mix.as_ref().map_or(Team::all(0), Mix::team);
    let read = [&args.tree, &args.world, &args.calibration].into_iter().flatten();
    refuse_over(
        read.chain(args.mix.iter().flat_map(|mix| mix.0.iter().map(|(_, file)| file))),
        args.picture.written().chain(&args.csv),
    )?;
    check_table(args)?;
    let picture = match args.picture.wanted(args.runs)? {
        Some(_) if args.mix.is_some() => {
            bail!("--svg, --png, --pdf, --html and --mp4 can only draw a swarm with a single tree; leave out --mix")
        }
        Some(run) => Some(draw(args, &trees[0], &Program::compile_with(&trees[0], published)?, &plan, run)?),
        None => None,
    };
    window_notes(&spec, args.seconds, "runs");
    let engine = args.engine.open(EngineKind::Auto, &[&spec])?;
    let started = Instant::now();
    let progress = Progress::waiting("simulating", args.json);
    let outcomes = outcomes_of_team(&engine, &programs, &team, &plan);
    drop(progress);
    let wall_s = started.elapsed().as_secs_f64();
    report(&engine);
    if let Some(path) = &args.csv {
        write(path, &run_table::csv(&plan, &outcomes)?)?;
    }
    let measured = summarise(&outcomes);
    let found = Output {
        task: spec.task.name(),
        mean: measured.mean,
        sd: measured.sd,
        value_mean: spec.task.value_of(measured.mean),
        value_sd: spec.task.value_sd(measured.sd),
        runs: args.runs,
        robot_seconds: plan.robot_seconds(),
        wall_s,
        r_acc: plan.robot_seconds() / wall_s,
        engine: engine.name(),
        adapter: engine.device(),
        hash: format!("{:016x}", measured.hash),
    };
    if args.json {
        print_json(&found)?;
        return Ok(());
    }
    let robots = count(spec.robots, "robot", "robots");
    // A single run has no standard error.
    let (error, over) = match args.runs {
        1 => (String::new(), "one run".into()),
        runs => {
            (format!(" +- {:.4}", found.sd / f64::from(runs).sqrt()), format!("sd {:.4} over {runs} runs", found.sd))
        }
    };
    output::line(format_args!(
        "{}: fitness {:.4}{error} ({over} of {} s, {robots})",
        found.task,
        Figure(found.mean),
        args.seconds
    ))?;
    if let (Task::Objective(objective), Some(mean), Some(sd)) = (&spec.task, found.value_mean, found.value_sd) {
        let spread = match args.runs {
            1 => String::new(),
            runs => format!(" +- {} (sd {})", significant(sd / f64::from(runs).sqrt()), significant(sd)),
        };
        output::line(format_args!(
            "value {}{spread}; a value of {} is fitness 0, and {} is fitness 1",
            significant(mean),
            objective.worst,
            objective.best
        ))?;
    }
    output::line(format_args!(
        "{:.0} robot-seconds in {wall_s:.2} s: {:.0} a second (r_acc) on engine {}",
        found.robot_seconds, found.r_acc, found.engine
    ))?;
    if let Some(line) = picture {
        output::line(line)?;
    }
    if let Some(path) = &args.csv {
        let runs = count(outcomes.len(), "run", "runs");
        output::line(format_args!("fitness of each of {runs}: {}", path.display()))?;
    }
    Ok(())
}

/// Checks that the table of the runs can be written, and that no picture has the same file.
fn check_table(args: &SimulateArgs) -> Result<()> {
    let Some(path) = &args.csv else { return Ok(()) };
    if args.picture.written().any(|picture| picture == path) {
        bail!("--csv and a picture name the same file, {}; choose another file for one of them", path.display());
    }
    can_output(path).with_context(|| format!("--csv {}: cannot be written", path.display()))
}

/// Simulates one run of the plan again and writes its pictures. Returns a line for the report, with the run's fitness
/// and the paths of the pictures.
fn draw(args: &SimulateArgs, tree: &Tree, program: &Program, plan: &Plan<'_>, run: u32) -> Result<String> {
    let world = World::new(plan.spec, run as usize, plan.seed, run);
    let trajectories = record(world, tree, program, plan.updates());
    let start = match (&args.world, args.scenario) {
        (Some(world), _) => world.display().to_string(),
        (None, ScenarioArg::A) => "scenario a".into(),
        (None, ScenarioArg::Mix) if run.is_multiple_of(2) => "scenario a".into(),
        (None, _) => "scenario b".into(),
    };
    let tree = args.tree.iter().map(|t| t.display().to_string()).collect();
    let caption = Caption { tree, start: start.clone(), seed: plan.seed, run };
    args.picture.write(&trajectories, &caption, args.json)?;
    Ok(format!(
        "run {run} ({start}) has fitness {:.4}{}: {}",
        Figure(trajectories.fitness().into()),
        value_note(plan.spec.task.value_of(trajectories.fitness().into())),
        args.picture.files()
    ))
}

//! `xpuck simulate` for individuals of a population manager: draws the paths of their robots.

use crate::terminal::print_json;
use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::{Path, PathBuf};
use xpuck_gateway::evaluation::individual::Individual;
use xpuck_gateway::evaluation::message::Message;
use xpuck_gateway::evaluation::robot::path::{RecordedPath, drive};
use xpuck_gateway::evaluation::robot::task::Task;
use xpuck_gateway::evaluation::world::World;
use xpuck_gateway::evaluation::world::description::{Description, SIDE};
use xpuck_stats::plot::{Colour, Plot, Stroke, to_svg};
use xpuck_wire::{atomic, file, output};

/// Maximum size of an individual's file (bytes).
const MOST_BYTES: u64 = 1 << 20;
/// Maximum number of robots in one picture.
const MOST_ROBOTS: usize = 7;

/// Draw the paths of a population manager's individuals in a world of `xpuck serve world-sim`, from above.
///
/// The individual is the file best.txt or last.txt that `xpuck serve population-manager --output` writes, or any file
/// with one line `Individual ...`. Robots of several populations drive together and take their steps alternately.
/// Each trial has a panel, in which a dot marks the start of a robot. No server is required.
#[derive(Args)]
pub struct DrawPathArgs {
    /// Task file and individual's file of a robot; may be repeated for further robots, up to 7.
    #[arg(long, num_args = 2, value_names = ["TASK", "INDIVIDUAL"], required = true)]
    robot: Vec<PathBuf>,
    /// World file (docs/gateway.md) [default: an empty square of 2 by 2 m].
    #[arg(long, value_name = "FILE")]
    world: Option<PathBuf>,
    /// SVG file to write.
    #[arg(long, value_name = "FILE.svg")]
    svg: PathBuf,
    /// Print a JSON object with the fitness of each robot.
    #[arg(long)]
    json: bool,
}

/// Fitness values of the robots on the drawn paths, as printed by `--json`.
#[derive(Serialize, JsonSchema)]
pub struct PathFitness {
    /// Fitness of each robot, in the order of `--robot`.
    fitness: Vec<f64>,
}

/// Runs the command.
pub fn run(args: &DrawPathArgs) -> Result<()> {
    let robots = args.robot.chunks(2).map(|pair| robot(&pair[0], &pair[1])).collect::<Result<Vec<_>>>()?;
    ensure!(robots.len() <= MOST_ROBOTS, "{} robots are given, but at most {MOST_ROBOTS} are allowed", robots.len());
    let description: Description = args.world.as_deref().map(file::read).transpose()?.unwrap_or_default();
    let mut world = World::new(&description, 1).map_err(|error| match &args.world {
        Some(file) => anyhow!("{}: {error}", file.display()),
        None => error.into(),
    })?;
    let driven = drive(&mut world, &robots).map_err(|error| anyhow!("{error}"))?;
    let svg = to_svg(&panels(&description, &driven));
    atomic::output(&args.svg, svg.as_bytes()).with_context(|| args.svg.display().to_string())?;
    let fitness: Vec<f64> = driven.iter().filter_map(|one| one.fitness).collect();
    if args.json {
        return print_json(&PathFitness { fitness });
    }
    for (number, fitness) in (1..).zip(&fitness) {
        output::line(format_args!("robot {number}: fitness {fitness:.4}"))?;
    }
    Ok(())
}

fn robot(task: &Path, individual: &Path) -> Result<(Task, Individual)> {
    let read: Task = file::read(task)?;
    read.check().map_err(|error| anyhow!("{}: {error}", task.display()))?;
    let found = individual_of(individual)?;
    let fits = found.genome(&read.parameters()).map(drop);
    fits.map_err(|error| anyhow!("{} does not fit {}: {error}", individual.display(), task.display()))?;
    Ok((read, found))
}

/// Reads the individual from a file that contains one line `Individual ...`.
///
/// # Errors
/// The file is invalid. The error states the reason in one line.
pub fn individual_of(path: &Path) -> Result<Individual> {
    let text = file::text(path, MOST_BYTES)?;
    let name = path.display();
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let (Some(line), None) = (lines.next(), lines.next()) else {
        bail!("{name}: expected a single line that begins with Individual")
    };
    match Message::parse(line).map_err(|error| anyhow!("{name}: {error}"))? {
        Message::Individual(individual) => Ok(individual),
        other => bail!("{name}: expected Individual, not {}", other.name()),
    }
}

fn panels(world: &Description, driven: &[RecordedPath]) -> Vec<Plot> {
    let trials = driven.iter().map(|one| one.trials.len()).max().unwrap_or(0);
    (0..trials).map(|trial| panel(world, driven, trial)).collect()
}

fn panel(world: &Description, driven: &[RecordedPath], trial: usize) -> Plot {
    let mut plot = Plot::new(&format!("Trial {}", trial + 1), "X, mm", "Y, mm").same_scale();
    let closed = |outline: &[[f64; 2]]| outline.iter().chain(outline.first()).map(|&[x, y]| (x, y)).collect::<Vec<_>>();
    plot.line("", Colour::Black, closed(&[[0.0, 0.0], [SIDE, 0.0], [SIDE, SIDE], [0.0, SIDE]]));
    world.grounds.iter().for_each(|one| plot.line("", Stroke::from(Colour::Grey).dashed(), closed(&one.outline)));
    world.blocks.iter().for_each(|one| plot.line("", Colour::Black, closed(&one.outline)));
    world.deadly.iter().for_each(|one| plot.line("", Stroke::from(Colour::Red).dashed(), closed(&one.outline)));
    for (at, one) in driven.iter().enumerate() {
        let stroke = Stroke::of_series(at);
        let places: Vec<(f64, f64)> = one.trials.get(trial).into_iter().flatten().map(|&[x, y, _]| (x, y)).collect();
        plot.points("", stroke.colour(), places.first().copied().into_iter().collect());
        plot.line(&format!("robot {}", at + 1), stroke, places);
    }
    plot
}

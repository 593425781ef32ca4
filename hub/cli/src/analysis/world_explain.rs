//! `xpuck world explain`: worlds in words and pictures.

use crate::analysis::picture::svg_world;
use crate::files::tree_file::{deliver, refuse_over};
use anyhow::{Result, bail};
use clap::Args;
use std::fmt::Write;
use std::path::PathBuf;
use xpuck_experiment::world_file;
use xpuck_kernels::world::floor::Shade;
use xpuck_kernels::world::robot::RobotModel;
use xpuck_kernels::world::task::objective::lots::LotKind;
use xpuck_kernels::world::{Shape, Task, World, WorldSpec};
use xpuck_wire::output::count;

/// Explain the tasks of worlds in words: what is scored, and between which values.
#[derive(Args)]
pub struct ExplainArgs {
    /// World files.
    #[arg(required = true)]
    file: Vec<PathBuf>,
    /// SVG file to write: for each world the paint, walls, regions, and robots at a start.
    #[arg(short, long, value_name = "FILE.svg")]
    output: Option<PathBuf>,
}

/// Runs `xpuck world explain`.
///
/// # Errors
/// A file is invalid or cannot be written.
pub fn explain(args: &ExplainArgs) -> Result<()> {
    let read = |path: &PathBuf| anyhow::Ok((world_file::read(path)?, path.display().to_string()));
    let worlds = args.file.iter().map(read).collect::<Result<Vec<_>>>()?;
    refuse_over(&args.file, &args.output)?;
    if let Some(path) = args.output.as_ref().filter(|path| path.extension().is_none_or(|ending| ending != "svg")) {
        bail!("{}: the picture is an SVG file; use a name that ends in .svg", path.display());
    }
    if let Some(path) = &args.output {
        deliver(Some(path), svg_world::draw(&worlds).as_bytes())?;
    }
    let texts = worlds.iter().map(|(spec, name)| match worlds.len() {
        1 => explanation(spec),
        _ => format!("{name}\n{}", explanation(spec)),
    });
    deliver(None, texts.collect::<Vec<_>>().join("\n").as_bytes())
}

/// Returns the contents of a world and its task in words.
fn explanation(spec: &WorldSpec) -> String {
    let mut text = format!("{}\n{}\n", summary(spec), spec.task.fitness_description());
    if let Task::Objective(objective) = &spec.task {
        let _ = writeln!(text, "\nscore = \"{}\"", objective.formula);
        for lot in &objective.lots {
            let _ = match lot.kind {
                LotKind::Values(2) => writeln!(text, "  lot {}: 0 or 1, by chance", lot.name),
                LotKind::Values(values) => {
                    writeln!(text, "  lot {}: whole number, 0 to {}, by chance", lot.name, values - 1)
                }
                LotKind::Range([low, high]) => writeln!(text, "  lot {}: {low} to {high}, by chance", lot.name),
            };
        }
        for (latch, words) in objective.latch_descriptions() {
            let _ = writeln!(text, "  latch {latch}: {words}");
        }
        let (arena, world) = (spec.physics.half_arena, World::new(spec, 0, 1, 0));
        for zone in objective.named_zones() {
            let inside = world.bodies[..spec.robots].iter().filter(|body| zone.contains(body.pose.at)).count();
            let area = zone.area(arena);
            let paint = spec.floor.paint.iter().find(|paint| paint.zone.name == zone.name);
            let paint = paint.map_or(String::new(), |paint| format!(", {}", Shade::of_level(paint.level).name()));
            let index = objective.zones.iter().position(|other| other.name == zone.name);
            let condition = index.and_then(|index| objective.zone_conditions[index]);
            let when = condition.map_or(String::new(), |when| format!(", if {}", objective.condition_words(when)));
            let _ = writeln!(
                text,
                "  region {}: {area:.3} m^2{paint}{when}, {inside} of {} robots in a drawn start",
                zone.name, spec.robots
            );
        }
    }
    text
}

/// Returns a summary of a world in one line.
pub fn summary(spec: &WorldSpec) -> String {
    let (hx, hy) = spec.physics.half_arena;
    let parts = [
        count(spec.robots, "robot", "robots"),
        count(spec.discs.len(), "disc", "discs"),
        count(spec.physics.walls.len(), "inner wall", "inner walls"),
        count(spec.patches.len(), "patch", "patches"),
        count(spec.starts.len(), "start", "starts"),
    ];
    let more = [(spec.lighting.lights.len(), "light"), (spec.tags.list.len(), "tag")];
    let more = more.into_iter().filter(|(n, _)| *n > 0).map(|(n, what)| count(n, what, &format!("{what}s")));
    let other = spec.physics.robot != RobotModel::default() || spec.robot.radius != Shape::ROBOT.radius;
    let model = other.then(|| format!("robots of their own model, radius {} m", spec.robot.radius));
    let parts: Vec<String> = parts.into_iter().chain(more).chain(model).collect();
    format!("{} in {} m x {} m: {}", spec.task.name(), 2.0 * hx, 2.0 * hy, parts.join(", "))
}

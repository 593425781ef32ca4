//! `xpuck study path`.

use crate::analysis::picture::{Caption, PictureArgs};
use crate::files::tree_file::{print, read, refuse_over};
use crate::terminal::print_json;
use crate::terminal::wrong_argument;
use anyhow::{Context, Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::path::PathBuf;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::model::MAX_ROBOTS;
use xpuck_kernels::tree::Program;
use xpuck_kernels::world::spec::{Area, Start};
use xpuck_kernels::world::{Pose, World, WorldSpec};
use xpuck_lab::study::Budget;
use xpuck_lab::trajectories::record;
use xpuck_stats::figure::Figure;
use xpuck_wire::output::count;

/// Simulate one run from given poses; show the paths of robots and frisbee, and the driving branches (thesis, Fig.
/// 8.8 to 8.12).
///
/// The frisbee starts at --frisbee and each robot at one pose of --from. The picture colours the paths of the robots
/// by the driving branch.
#[derive(Args)]
pub struct PathArgs {
    /// File with the tree that all robots run as written.
    tree: PathBuf,
    /// Start pose of a robot: x and y (m) and heading (degrees); repeat it for each robot.
    #[arg(long, value_name = "X,Y,DEGREES", default_value = "0.3,0,0", value_parser = pose, allow_hyphen_values = true)]
    from: Vec<Pose>,
    /// Start position of the frisbee (m).
    #[arg(long, value_name = "X,Y", default_value = "0,0", value_parser = place, allow_hyphen_values = true)]
    frisbee: Vec2,
    /// Simulated time (s).
    #[arg(long, default_value_t = 20.0)]
    seconds: f32,
    /// Seed of motion noise.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    picture: PictureArgs,
}

fn pose(text: &str) -> Result<Pose> {
    match numbers(text).as_deref() {
        Some([x, y, degrees]) => Ok(Pose { at: vec2(*x, *y), heading: degrees.to_radians() }),
        _ => bail!("`{text}`: expected three numbers x, y [m] and heading [degrees], such as 0.3,0,180"),
    }
}

fn place(text: &str) -> Result<Vec2> {
    match numbers(text).as_deref() {
        Some([x, y]) => Ok(vec2(*x, *y)),
        _ => bail!("`{text}`: expected two numbers x, y [m], such as 0.65,0"),
    }
}

/// Parses finite numbers separated by commas.
fn numbers(text: &str) -> Option<Vec<f32>> {
    text.split(',').map(|part| part.trim().parse::<f32>().ok().filter(|number| number.is_finite())).collect()
}

/// Result of a run from given poses, as printed by `--json`.
#[derive(Serialize, JsonSchema)]
pub struct PathOutput<'a> {
    /// Fitness of the run.
    fitness: f32,
    /// Simulated time (s).
    seconds: f32,
    /// Final position of the frisbee (m).
    frisbee: [f32; 2],
    /// Number of times that the frisbee was put back near the centre.
    relocations: u32,
    /// Leaves that drove robots, in the order of the tree.
    branches: Vec<BranchShare<'a>>,
}

/// Leaf that drove robots: the first leaf that wrote v_goal in a tick.
#[derive(Serialize, JsonSchema)]
struct BranchShare<'a> {
    /// Line of the leaf in the output of `xpuck tree fmt`, from 1.
    line: usize,
    /// The leaf as text.
    leaf: &'a str,
    /// Fraction of the ticks of all robots in which the leaf drove (0 to 1).
    share: f64,
}

/// Runs `xpuck study path`.
pub fn run(args: &PathArgs) -> Result<()> {
    refuse_over([&args.tree], args.picture.written())?;
    let poses = &args.from;
    if poses.len() > MAX_ROBOTS {
        wrong_argument!("--from has {} robots: must be 1 to {MAX_ROBOTS}", poses.len());
    }
    let budget = Budget::new(args.seconds, 2, args.seed)?;
    args.picture.wanted(1)?;
    let tree = read(&args.tree, None, false)?;
    let program = Program::compile(&tree).with_context(|| args.tree.display().to_string())?;
    let mut spec = WorldSpec::benchmark(poses.len());
    spec.discs[0].start = Area { low: args.frisbee, high: args.frisbee };
    spec.starts = vec![Start::Poses(poses.clone())];
    spec.check().context("--from and --frisbee")?;
    let trajectories = record(World::new(&spec, 0, budget.seed, 0), &tree, &program, budget.plan(&spec).updates());
    let start =
        format!("frisbee at ({}, {}), {}", args.frisbee.x, args.frisbee.y, count(poses.len(), "robot", "robots"));
    let caption = Caption { tree: args.tree.display().to_string(), start, seed: args.seed, run: 0 };
    args.picture.write(&trajectories, &caption, args.json)?;
    let frisbee = trajectories.frames[trajectories.frames.len() - 1].poses[poses.len()].at;
    let mut text = String::new();
    if args.json {
        let branches = trajectories.branches.iter();
        return print_json(&PathOutput {
            fitness: trajectories.fitness(),
            seconds: trajectories.seconds(),
            frisbee: [frisbee.x, frisbee.y],
            relocations: trajectories.relocations,
            branches: branches.map(|b| BranchShare { line: b.node + 1, leaf: &b.text, share: b.share }).collect(),
        });
    } else {
        for branch in &trajectories.branches {
            writeln!(text, "{:>5.1} %  line {:<3} {}", 100.0 * branch.share, branch.node + 1, branch.text)?;
        }
        writeln!(
            text,
            "\nAfter {:.1} s the frisbee is at ({:.2}, {:.2}); fitness {:.3}.",
            trajectories.seconds(),
            Figure(frisbee.x.into()),
            Figure(frisbee.y.into()),
            Figure(trajectories.fitness().into())
        )?;
    }
    print(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn poses_are_three_numbers_and_places_two() {
        let turned = pose("0.8,-0.05,-90").unwrap();
        assert_eq!((turned.at, turned.heading), (vec2(0.8, -0.05), -std::f32::consts::FRAC_PI_2));
        for wrong in ["", "1,2", "1,2,3,4", "a,b,c", "1,2,nan"] {
            assert!(pose(wrong).is_err(), "{wrong}");
        }
        assert!(place("1").is_err() && place("1,inf").is_err());
    }
}

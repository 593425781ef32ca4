//! `xpuck swarm park`: drives robots to their start poses. Motion capture measures the poses.

use crate::analysis::simulate::ScenarioArg;
use crate::link::hub_address::{HubAddress, have, status};
use crate::swarm::orders::check_names;
use crate::terminal::print_json;
use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use serde::Deserialize;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;
use xpuck_experiment::world_file;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::world::WorldSpec;
use xpuck_lab::trials::starts;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::output::{self, count};
use xpuck_wire::park::{ParkOrder, ParkReport, ParkState};
use xpuck_wire::socket::OperatorLink;
use xpuck_wire::{Status, escape, file};

/// Interval between two requests for the state of parking.
const EVERY: Duration = Duration::from_millis(100);
/// Default name of the frisbee as a subject of motion capture.
pub const FRISBEE: &str = "frisbee";

/// Drive robots to their start poses. The robots avoid each other, the walls and the frisbee.
///
/// Motion capture must see the robots. By default, the poses are in the start region of the benchmark's scenario A,
/// and are assigned to the robots so that paths are short. With --own, the first robot takes the first pose, and so
/// on. Parking is not possible during a run. `xpuck stop` stops the robots immediately. Exit code 1 if a robot does
/// not stop within 2 cm and 10 degrees of its pose.
#[derive(Args)]
pub struct ParkArgs {
    /// Pose: x and y (m) and heading (degrees). Repeat the option for each robot.
    #[arg(long = "pose", value_name = "X,Y,DEGREES", allow_hyphen_values = true)]
    poses: Vec<PoseArg>,
    /// File of poses: TOML with `[[pose]]`, each with x_m, y_m and heading_deg.
    #[arg(long = "poses", value_name = "FILE", conflicts_with = "poses")]
    pose_file: Option<PathBuf>,
    /// World file. The robots drive to the start poses of a run in this world, and avoid the walls of the world.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["poses", "pose_file"])]
    world: Option<PathBuf>,
    /// Benchmark scenario that defines the start region.
    #[arg(long, value_enum, default_value_t = ScenarioArg::A, conflicts_with_all = ["poses", "pose_file", "world"])]
    scenario: ScenarioArg,
    /// Seed of the random poses in the start region.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Ids of the robots, separated by commas [default: all robots that are present and not held].
    #[arg(long, value_delimiter = ',')]
    robots: Vec<String>,
    /// Assign the poses in order: the first robot takes the first pose, and so on.
    #[arg(long)]
    own: bool,
    /// Park without a frisbee in the arena.
    #[arg(long)]
    without_frisbee: bool,
    /// Name of the frisbee as a subject of motion capture.
    #[arg(long, default_value = FRISBEE)]
    frisbee: String,
    /// Return as soon as the hub has accepted the command, without waiting for the robots.
    #[arg(long)]
    no_wait: bool,
    /// Print the result as one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    address: HubAddress,
}

/// Pose on the command line: x and y (m), heading (rad).
#[derive(Clone, Copy, Debug, PartialEq)]
struct PoseArg([f32; 3]);

impl FromStr for PoseArg {
    type Err = String;

    fn from_str(text: &str) -> Result<PoseArg, String> {
        let numbers: Result<Vec<f32>, _> = text.split(',').map(|part| part.trim().parse::<f32>()).collect();
        match numbers.as_deref() {
            Ok([x, y, degrees]) if [x, y, degrees].iter().all(|number| number.is_finite()) => {
                Ok(PoseArg([*x, *y, heading(*degrees)?]))
            }
            _ => Err("expected three numbers: x [m], y [m] and heading [degrees], such as -0.8,0.2,90".into()),
        }
    }
}

/// Converts a heading from degrees to radians.
fn heading(degrees: f32) -> Result<f32, String> {
    match (-360.0..=360.0).contains(&degrees) {
        true => Ok(degrees.to_radians()),
        false => Err(format!("a heading of {degrees:?} degrees: must be -360 to 360")),
    }
}

/// Content of a pose file (TOML).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PoseFile {
    pose: Vec<PoseEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PoseEntry {
    x_m: f32,
    y_m: f32,
    #[serde(default)]
    heading_deg: f32,
}

/// Runs the command.
///
/// # Errors
/// The hub refuses or is silent, or a robot does not reach its pose.
pub fn run(args: &ParkArgs) -> Result<()> {
    check_names(&args.robots)?;
    let (link, _) = args.address.open()?;
    let order = order(args, &status(&link)?)?;
    have(&link, &Request::Park(order))?;
    if args.no_wait {
        return Ok(output::line("accepted; `xpuck stop` stops the robots")?);
    }
    let report = wait(&link)?;
    if args.json {
        print_json(&report)?;
    } else {
        report_lines(&report).iter().try_for_each(output::line)?;
    }
    match report.parked {
        true => Ok(()),
        false => bail!("{}", escape(&report.said)),
    }
}

fn order(args: &ParkArgs, status: &Status) -> Result<ParkOrder> {
    let order = ParkOrder {
        robots: args.robots.clone(),
        own: args.own,
        without_frisbee: args.without_frisbee,
        ..ParkOrder::default()
    };
    if !args.poses.is_empty() {
        return Ok(ParkOrder { poses: args.poses.iter().map(|pose| pose.0).collect(), ..order });
    }
    if let Some(path) = &args.pose_file {
        let poses: PoseFile = file::read(path)?;
        let pose = |pose: &PoseEntry| Ok([pose.x_m, pose.y_m, heading(pose.heading_deg)?]);
        let poses: Result<Vec<_>, String> = poses.pose.iter().map(pose).collect();
        let poses = poses.map_err(|why| anyhow!("{}: heading_deg: {why}", path.display()))?;
        return Ok(ParkOrder { poses, ..order });
    }
    let there = status.robots.iter().filter(|robot| robot.alive && !robot.held).count();
    let robots = if args.robots.is_empty() { there } else { args.robots.len() };
    if robots == 0 {
        bail!("no robot to park is connected; switch robots on");
    }
    let spec = spec(args.world.as_deref(), args.scenario, robots)?;
    let frisbee = frisbee_position(status, &args.frisbee).filter(|_| !args.without_frisbee);
    let (_, poses) =
        starts(&spec, args.seed, 0, frisbee).context("the frisbee blocks every start of this world; move it")?;
    let poses = poses.iter().map(|pose| [pose.at.x, pose.at.y, pose.heading]).collect();
    Ok(ParkOrder { poses, walls: walls(&spec), ..order })
}

/// Returns the world of the file `world`, or else of the scenario, with the given number of robots.
///
/// # Errors
/// The file cannot be read, or its world is invalid with this number of robots.
pub fn spec(world: Option<&Path>, scenario: ScenarioArg, robots: usize) -> Result<WorldSpec> {
    let Some(path) = world else { return Ok(scenario.spec(robots)) };
    let mut spec = world_file::read(path)?;
    spec.robots = robots;
    spec.check().with_context(|| format!("{} with {}", path.display(), count(robots, "robot", "robots")))?;
    Ok(spec)
}

/// Returns the end points of each wall of a world, as x, y, x, y (m).
pub fn walls(spec: &WorldSpec) -> Vec<[f32; 4]> {
    spec.physics.walls.iter().map(|wall| [wall.from.x, wall.from.y, wall.to.x, wall.to.y]).collect()
}

/// Returns the position of the frisbee from motion capture (m); `None` if motion capture has not seen the frisbee.
pub fn frisbee_position(status: &Status, name: &str) -> Option<Vec2> {
    let body = status.bodies.iter().find(|body| body.name == name)?;
    Some(vec2(body.pose[0], body.pose[1]))
}

/// Waits until parking has ended, and returns the report.
///
/// # Errors
/// The hub is silent, or refuses the request.
pub fn wait(link: &OperatorLink) -> Result<ParkReport> {
    loop {
        match link.ask(&Request::Parked)? {
            Reply::Parked(Some(report)) if report.over => return Ok(*report),
            Reply::Parked(Some(_)) => std::thread::sleep(EVERY),
            Reply::Refused(why) => bail!("refused: {}", escape(&why)),
            _ => bail!("unexpected answer from the hub"),
        }
    }
}

/// Formats the report: one line about the result, and one line for each robot.
fn report_lines(report: &ParkReport) -> Vec<String> {
    let moved = report.frisbee_moved_m.map_or(String::new(), |m| format!("; the frisbee moved by {:.0} mm", m * 1e3));
    let mut lines = vec![format!("{} after {:.1} s{moved}", escape(&report.said), report.seconds)];
    lines.extend(report.robots.iter().map(|row| {
        let [x, y, heading] = row.goal;
        let state = match row.state {
            ParkState::Driving => "driving",
            ParkState::Parked => "parked",
            ParkState::Unseen => "not seen",
            ParkState::Lost => "lost",
            ParkState::Held => "held",
        };
        let off = row.off_m.zip(row.off_deg);
        let off = off.map_or(String::new(), |(m, deg)| format!("  {:>4.1} mm, {deg:>4.1} deg off", m * 1e3));
        let place = format!("({x:>5.2}, {y:>5.2}), {:>4.0} deg", heading.to_degrees());
        format!("{:<8} {place}  {state}{off}", escape(&row.robot))
    }));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pose_argument_needs_three_numbers() {
        let PoseArg([x, y, heading]) = "-0.8, 0.2,90".parse().unwrap();
        assert!((x, y) == (-0.8, 0.2) && (heading - std::f32::consts::FRAC_PI_2).abs() < 1e-6);
        for wrong in ["", "1,2", "1,2,x", "1,2,3,4", "NaN,0,0"] {
            assert!(wrong.parse::<PoseArg>().unwrap_err().contains("degrees"), "{wrong}");
        }
        assert_eq!("0.5,0.5,1e30".parse::<PoseArg>().unwrap_err(), "a heading of 1e30 degrees: must be -360 to 360");
    }
}

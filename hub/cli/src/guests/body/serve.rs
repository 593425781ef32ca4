//! `xpuck serve body`: shows a body's walk to 3D viewers.

use super::walk::{SECOND, Walk, WalkArgs};
use crate::guests::gateway::serve::monitors::ports::{ROOM, ViewerPorts, refuse, speed, tell_counts};
use crate::terminal::progress::Progress;
use anyhow::Result;
use clap::Args;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use xpuck_bodies::physics::Pose;
use xpuck_bodies::{Plan, watch};
use xpuck_gateway::scene::arena::Arena;
use xpuck_gateway::scene::body::{Cube, scene};
use xpuck_gateway::stage::{Game, GameFrame, Mode};
use xpuck_hub_bodies::spacing;
use xpuck_wire::shutdown;

/// Edge length of a cube (m).
const EDGE: f64 = 1.0;
/// Margin of the floor around the path (m).
const MARGIN: f64 = 5.0;
/// Interval between two updates of the viewers.
const LOOK: Duration = Duration::from_millis(20);

/// Show a walk repeatedly to RoboCup 3D viewers: rcssmonitor3d, RoboViz.
///
/// Viewers connect by TCP, with SimSpark's monitor protocol or RSMP 1.0. The walk is simulated first and then shown,
/// in real time unless --speed is given. The clock of the viewers shows the time since the start of the walk. The
/// number of the half (of a football game) is the number of the repetition.
#[derive(Args)]
pub struct ServeArgs {
    #[command(flatten)]
    walk: WalkArgs,
    /// Playback speed relative to real time, 0.1 to 100.
    #[arg(long, default_value_t = 1.0, value_parser = speed)]
    speed: f64,
    #[command(flatten)]
    ports: ViewerPorts,
    /// Print JSON objects, one on each line: the addresses at the start, and the counts at the end.
    #[arg(long)]
    json: bool,
    /// End when standard input is closed.
    #[arg(long, hide = true, alias = "lifeline")]
    end_with_stdin: bool,
}

/// Runs the command.
///
/// # Errors
/// A file is invalid, or an address is in use.
pub fn run(args: &ServeArgs) -> Result<()> {
    let Walk { plan, brain, trial } = args.walk.open()?;
    let every = spacing(&plan, args.walk.steps);
    let mut pair = args.ports.listen()?;
    let mut walk = Vec::new();
    let progress = Progress::steps("step", u64::from(args.walk.steps), args.json);
    watch(&plan, &brain, trial, args.walk.steps, |step, robot| {
        if step % every == 0 || step == args.walk.steps {
            walk.push(robot.simulator().poses());
            progress.set(u64::from(step), u64::from(args.walk.steps));
        }
    })?;
    drop(progress);
    let stop =
        shutdown::service_flag(shutdown::ShutdownTriggers { with_stdin: args.end_with_stdin, ..Default::default() })?;
    args.ports.print_addresses(&pair, args.json)?;
    let half = floor(&walk);
    let period = f64::from(every) / f64::from(SECOND);
    let (began, mut refused) = (Instant::now(), 0);
    while !stop.load(Ordering::Relaxed) {
        let shown = (began.elapsed().as_secs_f64() * args.speed / period) as usize;
        let (pass, frame) = (shown / walk.len(), shown % walk.len());
        let game = Game {
            time: frame as f64 * period,
            half: pass as u32 + 1,
            score: 0,
            mode: Mode::Playing,
            length: walk.len() as f64 * period,
        };
        let picture = GameFrame { arena: Arena { half, ..Arena::default() }, game };
        let heard = pair.show(&picture, &scene(half, EDGE, &cubes(&plan, &walk[frame])), ROOM);
        refused += refuse(&mut pair, &heard);
        std::thread::sleep(LOOK);
    }
    tell_counts(&pair, refused, args.json);
    Ok(())
}

fn cubes(plan: &Plan, poses: &[Pose]) -> Vec<Cube> {
    let cube = |(part, pose): (&xpuck_bodies::PlacedPart, &Pose)| Cube {
        at: pose.position,
        rotation: pose.rotation,
        colour: part.part.colour(),
    };
    plan.parts().iter().zip(poses).map(cube).collect()
}

/// Returns half the length of the floor along x, and along y (m). It is the largest distance of a body part from the
/// origin along this axis during the walk, plus a margin.
fn floor(walk: &[Vec<Pose>]) -> [f64; 2] {
    let farthest = |k: usize| walk.iter().flatten().map(|pose| pose.position[k].abs()).fold(0.0, f64::max);
    [farthest(0) + MARGIN, farthest(1) + MARGIN]
}

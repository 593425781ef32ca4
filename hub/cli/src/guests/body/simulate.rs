//! `xpuck simulate` for a body: simulates the walk of the body.

use super::walk::{SECOND, Walk, WalkArgs};
use crate::files::tree_file::{print as put, refuse_over, write};
use crate::terminal::print_json;
use crate::terminal::progress::Progress;
use anyhow::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;
use xpuck_bodies::{Distance, Robot, watch};
use xpuck_hub_bodies::{page, spacing};

/// Simulate the walk of a body: the distance of its root along y, the distance of its rearmost part, and its path.
///
/// `xpuck evolve --kind bodies` counts the lesser of the two distances, because a tower that falls over leaves its
/// feet in place.
#[derive(Args)]
pub struct SimulateArgs {
    #[command(flatten)]
    walk: WalkArgs,
    /// Write the walk as a self-contained web page.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print one JSON object, with the root's position after each second.
    #[arg(long)]
    json: bool,
}

/// Walk of a body, as printed by `--json`.
#[derive(Serialize, JsonSchema)]
pub struct WalkOutput {
    /// Distance of the root along y (m).
    distance: f64,
    /// Distance of the rearmost part along y (m).
    rearmost: f64,
    /// Lesser of `distance` and `rearmost`, which is the distance that evolution counts (m).
    walked: f64,
    /// Final position of the root: x, y and z (m).
    end: [f64; 3],
    /// Greatest height of the root (m).
    highest: f64,
    /// Simulated time of the walk (s).
    seconds: f64,
    /// Wall time of the simulation (s).
    wall_s: f64,
    /// Position of the root after each second: x, y and z (m).
    way: Vec<[f64; 3]>,
}

/// Runs the command.
///
/// # Errors
/// A file is invalid, or cannot be written.
pub fn run(args: &SimulateArgs) -> Result<()> {
    refuse_over(args.walk.read(), &args.html)?;
    let Walk { plan, brain, trial } = args.walk.open()?;
    let steps = args.walk.steps;
    let began = Instant::now();
    let (mut way, mut frames) = (Vec::new(), Vec::new());
    let (mut end, mut highest) = ([0.0; 3], f64::NEG_INFINITY);
    let (mut began_at, mut rear) = (None, 0.0);
    let spacing = spacing(&plan, steps);
    let progress = Progress::steps("step", u64::from(steps), args.json);
    watch(&plan, &brain, trial, steps, |step, robot| {
        end = robot.simulator().position();
        began_at.get_or_insert(end[0]);
        if step == steps {
            rear = robot.rearmost_y();
        }
        highest = end[2].max(highest);
        if step % SECOND == 0 {
            way.push(end);
            progress.set(u64::from(step), u64::from(steps));
        }
        if args.html.is_some() && step % spacing == 0 {
            frames.push(robot.simulator().poses());
        }
    })?;
    drop(progress);
    let moved = Distance { root: end[1], rearmost: rear - Robot::new(&plan, &brain, trial)?.rearmost_y() };
    let seconds = began.elapsed().as_secs_f64();
    if let Some(path) = &args.html {
        write(path, page(&plan, &frames, spacing).as_bytes())?;
    }
    let simulated = f64::from(steps) / f64::from(SECOND);
    if args.json {
        return print_json(&WalkOutput {
            distance: moved.root,
            rearmost: moved.rearmost,
            walked: moved.walked(),
            end,
            highest,
            seconds: simulated,
            wall_s: seconds,
            way,
        });
    }
    let text = format!(
        "{:.2} m along y in {simulated:.1} s ({:.0} times real time), {:.2} m aside, never higher than {highest:.2} \
         m; its rearmost part {:.2} m\n",
        moved.root,
        simulated / seconds.max(1e-9),
        (end[0] - began_at.unwrap_or_default()).abs(),
        moved.rearmost
    );
    let drawn = match args.walk.brain {
        None => format!("its brain is drawn at random (seed {}); --brain FILE.nndf sets one\n", args.walk.seed),
        Some(_) => String::new(),
    };
    put((text + &drawn).as_bytes())
}

//! `xpuck body simulate`: a body walks.

use super::files;
use crate::cli::progress::Progress;
use crate::cli::tree_file::{print as put, refuse_over, write};
use anyhow::{Result, bail};
use clap::Args;
use std::path::PathBuf;
use std::time::Instant;
use xpuck_bodies::{Rhythm, STEPS, Start, Trial, watch};
use xpuck_lab::body_run::{page, spacing};

/// Steps of a second.
const SECOND: u32 = 240;

/// Let a body walk: how far its root gets along y, and what its way is.
#[derive(Args)]
pub struct SimulateArgs {
    /// File with a body: .prif, .json or .urdf.
    file: PathBuf,
    /// Brain (.nndf) that drives it; drawn at random without it.
    #[arg(long, value_name = "FILE")]
    brain: Option<PathBuf>,
    /// Seed of a brain that is drawn.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Steps of 1/240 s.
    #[arg(long, default_value_t = STEPS, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    steps: u32,
    /// Period of the brain's rhythm, s; 0 for a brain that feels touch as other sensors do.
    #[arg(long, default_value_t = 0.4)]
    period: f64,
    /// Begin with the root 2 m above the ground, as pyro-corpus does, not with the lowest cube on it.
    #[arg(long)]
    thrown: bool,
    /// Write the walk as a web page that needs nothing else.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print one JSON object, with the root's place after each second.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// A file is wrong, or cannot be written.
pub fn run(args: &SimulateArgs) -> Result<()> {
    refuse_over([&args.file].into_iter().chain(&args.brain), &args.html)?;
    let body = files::read(&args.file)?;
    let brain = files::brain_or_drawn(args.brain.as_deref(), args.seed, &body.plan)?;
    if args.period != 0.0 && !(0.05..=100.0).contains(&args.period) {
        bail!("--period {}: it lies between 0.05 and 100 s, or is 0", args.period);
    }
    let trial = Trial {
        rhythm: Rhythm::of_period(args.period),
        start: if args.thrown { Start::Published } else { Start::OnGround },
    };
    let began = Instant::now();
    let (mut way, mut frames) = (Vec::new(), Vec::new());
    let (mut end, mut highest) = ([0.0; 3], f64::NEG_INFINITY);
    let mut began_at = None;
    let spacing = spacing(&body.plan, args.steps);
    let progress = Progress::of("step", u64::from(args.steps), args.json);
    watch(&body.plan, &brain, trial, args.steps, |step, robot| {
        end = robot.simulator().position();
        began_at.get_or_insert(end[0]);
        highest = end[2].max(highest);
        if step % SECOND == 0 {
            way.push(end);
            progress.set(u64::from(step), u64::from(args.steps));
        }
        if args.html.is_some() && step % spacing == 0 {
            frames.push(robot.simulator().poses());
        }
    })?;
    drop(progress);
    let seconds = began.elapsed().as_secs_f64();
    if let Some(path) = &args.html {
        write(path, page(&body.plan, &frames, spacing).as_bytes())?;
    }
    let simulated = f64::from(args.steps) / f64::from(SECOND);
    if args.json {
        let object = serde_json::json!({
            "distance": end[1], "end": end, "highest": highest, "seconds": simulated, "wall_s": seconds, "way": way,
        });
        return put(format!("{object}\n").as_bytes());
    }
    let text = format!(
        "{:.2} m along y in {simulated:.1} s ({:.0} times as fast as time), {:.2} m aside, never higher than {highest:.2} m\n",
        end[1],
        simulated / seconds.max(1e-9),
        (end[0] - began_at.unwrap_or_default()).abs()
    );
    let drawn = match args.brain {
        None => format!("its brain is drawn at random (seed {}); --brain FILE.nndf gives it one\n", args.seed),
        Some(_) => String::new(),
    };
    put((text + &drawn).as_bytes())
}

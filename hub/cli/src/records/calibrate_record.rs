//! `xpuck calibrate record`: simulates records with known parameters, to test a fit.

use crate::files::tree_file::{print, write};
use crate::terminal::wrong_argument;
use anyhow::Result;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use xpuck_calibrate::synthetic::{self, Encounters, InfraredBench};
use xpuck_calibrate::{camera, infrared, poses};
use xpuck_kernels::model::{MU_BODIES, NOISE, RESTITUTION};
use xpuck_kernels::world::physics::Physics;
use xpuck_registers::infrared::{Curve, PUBLISHED};

/// Make a record in the simulator with known parameters, which a fit of the record must recover.
///
/// The experiments are those of docs/calibration.md. The same seed gives the same record.
#[derive(Args)]
pub struct RecordArgs {
    #[command(subcommand)]
    subject: RecordSubject,
}

#[derive(Subcommand)]
enum RecordSubject {
    /// Collisions: robots alone, with the frisbee, and with another robot.
    Collisions(CollisionsArgs),
    /// Infrared readings of eight sensors in front of white card, every 0.25 mm from 0 to 30 mm.
    Ir(IrArgs),
    /// Camera readings of a robot that turns on the spot at ten speeds, at four distances from the frisbee.
    Camera(CameraArgs),
    /// Poses of a robot that alternately drives and pauses.
    Latency(LatencyArgs),
}

#[derive(Args)]
struct Common {
    /// Random seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Output file [default: standard output].
    #[arg(short, long)]
    output: Option<PathBuf>,
}

#[derive(Args)]
struct CollisionsArgs {
    #[command(flatten)]
    common: Common,
    /// Friction coefficient between bodies, 0 to 1.
    #[arg(long, default_value_t = MU_BODIES)]
    friction: f32,
    /// Restitution between bodies, 0 to 1.
    #[arg(long, default_value_t = RESTITUTION)]
    restitution: f32,
    /// Motion noise: alpha 1, 2 and 3 of Eq. 5.9, 0 to 1 each.
    #[arg(long, num_args = 3, default_values_t = NOISE)]
    noise: Vec<f32>,
    /// Noise of motion capture: position (mm) and heading (mrad), 0 to 100 each.
    #[arg(long, num_args = 2, default_values_t = [0.02, 0.1])]
    pose_noise: Vec<f32>,
    /// Number of runs, 1 to 1000.
    #[arg(long, default_value_t = 160)]
    runs: u32,
    /// Length of each run (s), 0.1 to 60.
    #[arg(long, default_value_t = 6.0)]
    seconds: f32,
}

#[derive(Args)]
struct IrArgs {
    #[command(flatten)]
    common: Common,
    /// Steepness, shift, floor, near level, near slope and knee of Eq. 7.3.
    #[arg(long, num_args = 6, default_values_t = [PUBLISHED.steepness, PUBLISHED.shift, PUBLISHED.floor,
          PUBLISHED.near_level, PUBLISHED.near_slope, PUBLISHED.knee])]
    curve: Vec<f32>,
    /// Standard deviation of the sensors' scales, 0 to 0.3.
    #[arg(long, default_value_t = 0.02)]
    scale_spread: f32,
    /// Standard deviation of the sensors' offsets (counts), 0 to 1000.
    #[arg(long, default_value_t = 5.0)]
    offset_spread: f32,
    /// Standard deviation of a reading's noise (counts), 0 to 1000.
    #[arg(long, default_value_t = 2.0)]
    noise: f32,
}

#[derive(Args)]
struct CameraArgs {
    #[command(flatten)]
    common: Common,
    /// Camera delay (s), 0 to 0.45.
    #[arg(long, default_value_t = 0.15)]
    delay: f64,
    /// Probability that the camera misses the frisbee in a segment where it is visible, 0 to 0.9.
    #[arg(long, default_value_t = 0.1)]
    misses: f32,
    /// Length of each of the forty runs (s), 2 to 600.
    #[arg(long, default_value_t = 120.0)]
    seconds: f32,
}

#[derive(Args)]
struct LatencyArgs {
    #[command(flatten)]
    common: Common,
    /// Latency of the poses (s), 0 to 0.9.
    #[arg(long, default_value_t = 0.2)]
    delay: f64,
    /// Length of the run (s), 2 to 3600.
    #[arg(long, default_value_t = 60.0)]
    seconds: f32,
}

/// Runs the command.
pub fn run(args: &RecordArgs) -> Result<()> {
    let (common, record) = match &args.subject {
        RecordSubject::Collisions(args) => (&args.common, encounters(args)?),
        RecordSubject::Ir(args) => (&args.common, readings(args)?),
        RecordSubject::Camera(args) => (&args.common, turns(args)?),
        RecordSubject::Latency(args) => (&args.common, pauses(args)?),
    };
    match &common.output {
        Some(path) => write(path, record.as_bytes()),
        None => print(record.as_bytes()),
    }
}

/// Returns an error if the value of an option is outside the range from `low` to `high`.
fn check(option: &str, value: f64, low: f64, high: f64) -> Result<()> {
    if !(low..=high).contains(&value) {
        wrong_argument!("{option} {value}: must be {low} to {high}");
    }
    Ok(())
}

fn encounters(args: &CollisionsArgs) -> Result<String> {
    check("--friction", f64::from(args.friction), 0.0, 1.0)?;
    check("--restitution", f64::from(args.restitution), 0.0, 1.0)?;
    args.noise.iter().try_for_each(|noise| check("--noise", f64::from(*noise), 0.0, 1.0))?;
    args.pose_noise.iter().try_for_each(|noise| check("--pose-noise", f64::from(*noise), 0.0, 100.0))?;
    check("--runs", f64::from(args.runs), 1.0, 1000.0)?;
    check("--seconds", f64::from(args.seconds), 0.1, 60.0)?;
    let physics = Physics {
        mu_bodies: args.friction,
        restitution: args.restitution,
        noise: [args.noise[0], args.noise[1], args.noise[2]],
        ..Physics::default()
    };
    let pose_noise = [args.pose_noise[0] * 1e-3, args.pose_noise[1] * 1e-3];
    let (runs, seconds, seed) = (args.runs, args.seconds, args.common.seed);
    Ok(poses::write(&synthetic::encounters(&Encounters { physics, pose_noise, runs, seconds, seed })))
}

fn readings(args: &IrArgs) -> Result<String> {
    args.curve.iter().try_for_each(|value| check("--curve", f64::from(*value), 0.0, 1000.0))?;
    check("--scale-spread", f64::from(args.scale_spread), 0.0, 0.3)?;
    check("--offset-spread", f64::from(args.offset_spread), 0.0, 1000.0)?;
    check("--noise", f64::from(args.noise), 0.0, 1000.0)?;
    let [steepness, shift, floor, near_level, near_slope, knee] = args.curve[..] else { unreachable!("six values") };
    let bench = InfraredBench {
        curve: Curve { steepness, shift, floor, near_level, near_slope, knee },
        scale_spread: args.scale_spread,
        offset_spread: args.offset_spread,
        noise: args.noise,
        seed: args.common.seed,
    };
    Ok(infrared::write(&synthetic::infrared(&bench)))
}

fn turns(args: &CameraArgs) -> Result<String> {
    check("--delay", args.delay, 0.0, 0.45)?;
    check("--misses", f64::from(args.misses), 0.0, 0.9)?;
    check("--seconds", f64::from(args.seconds), 2.0, 600.0)?;
    let physics = Physics::default();
    Ok(camera::write(&synthetic::turns(&physics, args.delay, args.misses, args.seconds, args.common.seed)))
}

fn pauses(args: &LatencyArgs) -> Result<String> {
    check("--delay", args.delay, 0.0, 0.9)?;
    check("--seconds", f64::from(args.seconds), 2.0, 3600.0)?;
    Ok(poses::write(&[synthetic::pauses(&Physics::default(), args.delay, args.seconds, args.common.seed)]))
}

//! `xpuckd selftest`: runs the conformance suite on the devices that a robot's file names.

use crate::body::devices;
use crate::checks::conformance::{self, Devices, Picture};
use crate::checks::latency;
use crate::config::{Config, DeviceKind};
use crate::device::DeviceError;
use crate::device::body_lock::BodyLock;
use clap::Args;
use std::path::PathBuf;
use std::time::Duration;
use xpuck_registers::ina231::{BATTERY_ADDRESS, SUPPLY_ADDRESS};
use xpuck_wire::output;

/// Check a robot's devices, and print the expected and the actual results. Fails if any check fails.
#[derive(Args)]
pub struct SelftestArgs {
    /// Robot file, such as robots/xp01.toml.
    #[arg(long)]
    config: PathBuf,
    /// Also turn the wheels: four slow moves of 2 cm, each announced.
    #[arg(long)]
    wheels: bool,
    /// Instead, measure the wake-up latency of a real-time thread that exchanges messages with the body 200 times a
    /// second. With a real body, fails if the latency exceeds 457 us (thesis 5.2.1) or a deadline is missed.
    #[arg(long, conflicts_with = "wheels")]
    latency: bool,
    /// Duration of the latency measurement (s, 1..=86400).
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400), requires = "latency")]
    seconds: u64,
    /// Print the results as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the conformance suite or the latency measurement, and prints the results. Returns whether no check failed.
pub fn run(args: &SelftestArgs) -> anyhow::Result<bool> {
    let config = Config::read(&args.config)?;
    let _lock = lock_body(&config)?;
    if args.latency {
        return latency(&config, args);
    }
    let findings = conformance::run(rig(&config), args.wheels, &mut |what| output::print_error(what));
    if args.json {
        output::line(serde_json::to_string_pretty(&findings)?)?;
    } else {
        output::text(conformance::table(&findings, output::is_terminal()))?;
    }
    Ok(conformance::passed(&findings))
}

/// Measures the timing of the board, and prints the results. With a real body, returns false if the latency exceeds the
/// bound or a deadline was missed. With a virtual body, always returns true.
fn latency(config: &Config, args: &SelftestArgs) -> anyhow::Result<bool> {
    let body = devices::open_body(&config.robot, 1.0);
    if let Err(error) = &body {
        output::print_error(format!("{error}; only the wake-ups are measured"));
    }
    let real = !matches!(config.robot.devices, DeviceKind::Virtual { .. });
    let all = args.seconds;
    let mut told = |done: u64| {
        if done.is_multiple_of(10) && done < all {
            output::print_error(format!("{done} of {all} s"));
        }
    };
    let found = latency::measure(body, Duration::from_secs(args.seconds), &mut told)?;
    if args.json {
        output::line(serde_json::to_string(&found)?)?;
    } else {
        let row = |name: &str, [half, most, longest]: [u64; 3]| {
            output::line(format_args!("{name:<20} p50 {half}, p99.9 {most}, longest {longest}"))
        };
        output::line(format_args!("real-time priority   {}", if found.realtime { "yes" } else { "no" }))?;
        let processor = found.processor.map_or("any".into(), |number| number.to_string());
        output::line(format_args!("processor            {processor}"))?;
        output::line(format_args!("wake-ups             {}, {} deadlines missed", found.wakes, found.missed))?;
        row("late, us", found.late_us)?;
        match found.exchange_us {
            Some(times) => row("exchange, us", times)?,
            None => output::line("exchange, us         the body does not answer")?,
        }
        let verdict = match (found.meets_bound(), real) {
            (true, _) => "holds",
            (false, true) => "does not hold",
            (false, false) => "does not hold (not required: the body is virtual)",
        };
        output::line(format_args!("bound of {} us      {verdict}", found.bar_us))?;
    }
    Ok(found.meets_bound() || !real)
}

/// Locks the body for this program. Returns `None` instead of an error if the body cannot be opened, because the check
/// of the body reports that error.
fn lock_body(config: &Config) -> Result<Option<BodyLock>, DeviceError> {
    match devices::lock_body(&config.robot) {
        Err(DeviceError::Open { .. }) => Ok(None),
        held => held.map(Some),
    }
}

/// Opens the devices that the robot's file names, for the conformance suite.
fn rig(config: &Config) -> Devices {
    let robot = &config.robot;
    let monitor = |address| robot.devices.has_monitors().then(|| devices::open_monitor(robot, address));
    let (width, height) = robot.devices.frame_size();
    let sensor = robot.devices.has_camera().then(|| (devices::open_sensor(robot), robot.devices.sensor_clock()));
    // A wide range of frame rates is accepted, because the arena's file sets the rate of a virtual camera. One frame
    // per second is enough to show that a camera runs.
    let picture = Picture { width, height, rate: 1.0..=60.0 };
    Devices {
        body: devices::open_body(robot, config.swarm.speed),
        battery: monitor(BATTERY_ADDRESS),
        supply: monitor(SUPPLY_ADDRESS),
        sensor,
        camera: devices::open_camera(robot).transpose().map(|camera| (camera, picture)),
        fitted: robot
            .fitted
            .iter()
            .map(|device| (*device, devices::open_fitted(robot, *device, config.place())))
            .collect(),
        speed: config.swarm.speed,
    }
}

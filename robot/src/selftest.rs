//! `xpuckd selftest`: the conformance suite on the devices that a robot's file names.

use crate::config::Config;
use crate::conformance::{self, Picture, Rig};
use crate::device::DeviceError;
use crate::device::body_lock::BodyLock;
use crate::devices;
use clap::Args;
use std::path::PathBuf;
use xpuck_registers::ina231::{BATTERY_ADDRESS, SUPPLY_ADDRESS};
use xpuck_wire::output;

/// Check a robot's devices, and print what was expected and found. Fails if one check does.
#[derive(Args)]
pub struct SelftestArgs {
    /// The robot's file, like robots/xp01.toml.
    #[arg(long)]
    config: PathBuf,
    /// Also turn the wheels: four slow moves of 2 cm, each announced.
    #[arg(long)]
    wheels: bool,
    /// Print the results as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the suite; true if nothing failed.
pub fn run(args: &SelftestArgs) -> anyhow::Result<bool> {
    let config = Config::read(&args.config)?;
    let _lock = lock_body(&config)?;
    let findings = conformance::run(rig(&config), args.wheels, &mut |what| output::note(what));
    if args.json {
        output::line(serde_json::to_string_pretty(&findings)?)?;
    } else {
        output::text(conformance::table(&findings, output::is_terminal()))?;
    }
    Ok(conformance::passed(&findings))
}

/// The body, for this program alone. One that is absent is found to be so by its check.
fn lock_body(config: &Config) -> Result<Option<BodyLock>, DeviceError> {
    match devices::lock_body(&config.robot) {
        Err(DeviceError::Open { .. }) => Ok(None),
        held => held.map(Some),
    }
}

/// The devices that a robot's file names.
fn rig(config: &Config) -> Rig {
    let robot = &config.robot;
    let monitor = |address| robot.devices.has_monitors().then(|| devices::open_monitor(robot, address));
    let (width, height) = robot.devices.frame_size();
    let sensor = robot.devices.has_camera().then(|| (devices::open_sensor(robot), robot.devices.sensor_clock()));
    // A virtual camera makes as many frames as its arena's file says; one a second shows that it runs.
    let picture = Picture { width, height, rate: 1.0..=60.0 };
    Rig {
        body: devices::open_body(robot, config.swarm.speed),
        battery: monitor(BATTERY_ADDRESS),
        supply: monitor(SUPPLY_ADDRESS),
        sensor,
        camera: devices::open_camera(robot).transpose().map(|camera| (camera, picture)),
        speed: config.swarm.speed,
    }
}

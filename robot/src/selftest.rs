//! `xpuckd selftest`: the conformance suite on the devices that a robot's file names.

use crate::config::{Config, DeviceKind, VirtualBody};
use crate::conformance::{self, Picture, Rig};
use crate::device::body::Body;
use crate::device::camera_sensor::AnySensor;
use crate::device::epuck::Epuck;
use crate::device::guard::{self, Kind};
use crate::device::virtual_bus::{UnixSpi, open_camera};
use crate::device::{DeviceError, FrameSource, PowerMonitor, hwmon};
use clap::Args;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use xpuck_registers::camera_sensor::Clock;
use xpuck_registers::ina231::{BATTERY_ADDRESS, SUPPLY_ADDRESS};

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
    let findings = conformance::run(rig(&config), args.wheels, &mut |what| eprintln!("{what}"));
    if args.json {
        println!("{}", serde_json::to_string_pretty(&findings)?);
    } else {
        print!("{}", conformance::table(&findings, std::io::stdout().is_terminal()));
    }
    Ok(conformance::passed(&findings))
}

/// The devices that a robot's file names.
fn rig(config: &Config) -> Rig {
    let DeviceKind::Virtual { directory, camera_width, camera_height, body } = &config.robot.devices;
    let path = |device: &str| directory.join(format!("{}.{device}", config.robot.id));
    let (width, height) = (*camera_width as usize, *camera_height as usize);
    let i2c = path("i2c");
    let clock = match body {
        VirtualBody::Xpuck => Clock::Xpuck,
        VirtualBody::Epuck1 => Clock::Epuck1,
        VirtualBody::Epuck2 => Clock::Epuck2,
    };
    let camera = open_camera(&path("camera"), width, height);
    Rig {
        body: match body {
            VirtualBody::Xpuck => UnixSpi::open(&path("spi")).map(|spi| Box::new(Epuck::new(spi)) as Box<dyn Body>),
            VirtualBody::Epuck1 => guarded(Kind::Epuck1, &i2c),
            VirtualBody::Epuck2 => guarded(Kind::Epuck2, &i2c),
        },
        battery: Some(monitor(&i2c, BATTERY_ADDRESS)),
        supply: Some(monitor(&i2c, SUPPLY_ADDRESS)),
        sensor: Some((AnySensor::open(&i2c), clock)),
        // A virtual camera makes as many frames as its arena's file says; one a second shows that it runs.
        camera: Some((
            camera.map(|c| Box::new(c) as Box<dyn FrameSource>),
            Picture { width, height, rate: 1.0..=60.0 },
        )),
        speed: config.swarm.speed,
    }
}

fn guarded(kind: Kind, i2c: &Path) -> Result<Box<dyn Body>, DeviceError> {
    Ok(Box::new(guard::open(kind, i2c)?))
}

fn monitor(i2c: &Path, address: u8) -> Result<Box<dyn PowerMonitor>, DeviceError> {
    // A virtual robot's monitors are never the kernel's.
    hwmon::open(i2c, Path::new("/nonexistent"), address)
}

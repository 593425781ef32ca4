//! `xpuck robot drive`: robots driven from outside, through the hub: one by the keys of a terminal, or any by a program.

mod keys;
pub mod pipe;

use crate::link::hub_address::HubAddress;
use anyhow::{Result, bail};
use clap::Args;
use std::io::IsTerminal;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::socket::OperatorLink;

/// Drive a robot with the arrow keys, or robots by a program.
///
/// A command holds for a quarter of a second and goes before the robot's tree and before programs on its board;
/// a second after the last one these go on. STOP stops it as everything else. The robot's wheels stand when this ends,
/// however it ends.
#[derive(Args)]
pub struct DriveArgs {
    /// The robot; not with --pipe.
    #[arg(required_unless_present = "pipe", conflicts_with = "pipe")]
    robot: Option<String>,
    /// Read commands from standard input and tell how all stand on standard output, a line of JSON each
    /// (docs/controllers.md).
    #[arg(long)]
    pipe: bool,
    /// With --pipe: how often to tell how all stand, 0.1 to 50 times a second of wall time.
    #[arg(long, default_value_t = 10.0, requires = "pipe")]
    rate: f64,
    /// Fastest that the keys drive, m/s.
    #[arg(long, default_value_t = 0.08)]
    speed: f32,
    #[command(flatten)]
    address: HubAddress,
}

/// Drives.
///
/// # Errors
/// The hub is silent or refuses, or standard input is no terminal whose keys could be read.
pub fn run(args: &DriveArgs) -> Result<()> {
    if !(0.1..=50.0).contains(&args.rate) {
        bail!("--rate {} is outside 0.1..=50", args.rate);
    }
    if !(0.0..=0.13).contains(&args.speed) {
        bail!("--speed {} is outside 0..=0.13", args.speed);
    }
    let Some(robot) = &args.robot else { return pipe::run(args) };
    if !std::io::stdin().is_terminal() {
        bail!("the keys of a terminal drive {robot}, and standard input is none; --pipe is for programs");
    }
    keys::run(args, robot)
}

/// One command; what the hub refuses comes back.
fn drive(link: &OperatorLink, robot: &str, wheels: [f32; 2], lamps: Option<[u8; 3]>) -> Result<Option<String>> {
    let request = Request::Drive { robot: robot.into(), wheels, lamps };
    Ok(match link.ask(&request)? {
        Reply::Refused(why) => Some(xpuck_wire::plain(&why)),
        _ => None,
    })
}

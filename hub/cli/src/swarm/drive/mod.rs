//! `xpuck robot drive`: external control of robots through the hub. A user drives one robot by keyboard, or a program
//! drives any number of robots.

mod keys;
pub mod pipe;

use crate::link::hub_address::HubAddress;
use anyhow::{Result, bail};
use clap::Args;
use std::io::IsTerminal;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::socket::OperatorLink;

/// Drive one robot with the arrow keys, or any number of robots with a program.
///
/// A command is valid for 0.25 s. It overrides the robot's tree and the programs on the robot's board, which resume 1
/// s after the last command. STOP overrides all commands. The robot's wheels stop when this program ends for any
/// reason.
#[derive(Args)]
pub struct DriveArgs {
    /// Id of the robot to drive. Cannot be used with --pipe.
    #[arg(required_unless_present = "pipe", conflicts_with = "pipe")]
    robot: Option<String>,
    /// Read commands from standard input and print the swarm's state on standard output, one JSON object per line
    /// (docs/controllers.md).
    #[arg(long)]
    pipe: bool,
    /// With --pipe: rate of state lines (Hz of wall time), 0.1 to 50.
    #[arg(long, default_value_t = 10.0, requires = "pipe")]
    rate: f64,
    /// Maximum speed of keyboard control (m/s), 0 to 0.13.
    #[arg(long, default_value_t = 0.08)]
    speed: f32,
    #[command(flatten)]
    address: HubAddress,
}

/// Runs the command.
///
/// # Errors
/// The hub is silent or refuses, or standard input is not a terminal and --pipe is missing.
pub fn run(args: &DriveArgs) -> Result<()> {
    if !(0.1..=50.0).contains(&args.rate) {
        bail!("--rate {}: must be 0.1 to 50", args.rate);
    }
    if !(0.0..=0.13).contains(&args.speed) {
        bail!("--speed {}: must be 0 to 0.13", args.speed);
    }
    let Some(robot) = &args.robot else { return pipe::run(args) };
    if !std::io::stdin().is_terminal() {
        bail!("standard input is not a terminal, so the keyboard cannot drive {robot}; use --pipe for programs");
    }
    keys::run(args, robot)
}

/// Sends one command with the wheel speeds (m/s) and the colour of the lamps. Returns the reason if the hub refuses
/// the command, else `None`.
fn drive(link: &OperatorLink, robot: &str, wheels: [f32; 2], lamps: Option<[u8; 3]>) -> Result<Option<String>> {
    let request = Request::Drive { robot: robot.into(), wheels, lamps };
    Ok(match link.ask(&request)? {
        Reply::Refused(why) => Some(xpuck_wire::escape(&why)),
        _ => None,
    })
}

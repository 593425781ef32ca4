//! Ports at which Groot2 monitors the robots of a demo. A publisher of BehaviorTree.CPP uses two adjacent ports.
//! Therefore the first ports of successive robots differ by two.

use super::DemoArgs;
use crate::terminal::wrong_argument;
use anyhow::{Result, bail};
use std::net::TcpListener;

/// Number of ports that the demo itself uses.
const OWN: u16 = 4;

/// Returns the first port of the robot at `index` in the swarm; `None` without --groot. [`check`] has verified that
/// no port number exceeds 65535.
pub fn port(args: &DemoArgs, index: usize) -> Option<u16> {
    args.groot.map(|first| first.saturating_add(2 * index as u16))
}

/// Checks that the first port of each robot has a valid number and is free. A robot that cannot open its port exits
/// immediately.
pub fn check(args: &DemoArgs) -> Result<()> {
    let Some(first) = args.groot else { return Ok(()) };
    let highest = u16::MAX - 2 * args.robots as u16;
    if first == 0 || first > highest {
        wrong_argument!("--groot {first}: must be 1 to {highest} with {} robots", args.robots);
    }
    for port in (0..args.robots).filter_map(|i| port(args, i)) {
        if (args.ports..args.ports + OWN).contains(&port) {
            bail!(
                "--groot {first}: port {port} is used by the demo itself (--ports {}); choose another first port",
                args.ports
            );
        }
        if let Err(error) = TcpListener::bind(("127.0.0.1", port)) {
            bail!("--groot {first}: port {port} is in use or not allowed ({error}); choose another first port");
        }
    }
    Ok(())
}

/// Returns a line with the address and the ports for Groot2; `None` without --groot.
pub fn invitation(args: &DemoArgs, robots: &[String]) -> Option<String> {
    let ports: Vec<String> =
        robots.iter().enumerate().filter_map(|(i, id)| Some(format!("{id} {}", port(args, i)?))).collect();
    (!ports.is_empty()).then(|| format!("Groot2: real-time monitor at 127.0.0.1, port: {}", ports.join(", ")))
}

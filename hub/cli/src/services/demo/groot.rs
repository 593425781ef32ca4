//! The ports at which Groot2 watches a demo's robots. A publisher of BehaviorTree.CPP has two neighbouring ones, so
//! robots' ports are two apart.

use crate::terminal::wrong_argument;
use super::DemoArgs;
use anyhow::{Result, bail};
use std::net::TcpListener;

/// Ports of the demo itself.
const OWN: u16 = 4;

/// The port for the robot at `index` in the swarm, if robots are to be watched; [`check`] has seen that it exists.
pub fn port(args: &DemoArgs, index: usize) -> Option<u16> {
    args.groot.map(|first| first.saturating_add(2 * index as u16))
}

/// Whether all ports are there and free. A robot that could not have its own would start and end at once.
pub fn check(args: &DemoArgs) -> Result<()> {
    let Some(first) = args.groot else { return Ok(()) };
    let highest = u16::MAX - 2 * args.robots as u16;
    if first == 0 || first > highest {
        wrong_argument!("--groot {first}: with {} robots it takes 1 to {highest}", args.robots);
    }
    for port in (0..args.robots).filter_map(|i| port(args, i)) {
        if (args.ports..args.ports + OWN).contains(&port) {
            bail!("--groot {first}: port {port} is one of the demo's own, which --ports {} gives it", args.ports);
        }
        if let Err(error) = TcpListener::bind(("127.0.0.1", port)) {
            bail!("--groot {first}: port {port} is in use or not allowed ({error}); choose another");
        }
    }
    Ok(())
}

/// A line that says where to look.
pub fn invitation(args: &DemoArgs, robots: &[String]) -> Option<String> {
    let ports: Vec<String> =
        robots.iter().enumerate().filter_map(|(i, id)| Some(format!("{id} {}", port(args, i)?))).collect();
    (!ports.is_empty()).then(|| format!("Groot2: real-time monitor at 127.0.0.1, port: {}", ports.join(", ")))
}

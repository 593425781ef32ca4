//! `xpuck serve world-sim`: serves a simulated world to robot simulators.

use crate::terminal::report_json;
use anyhow::{Result, anyhow, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tracing::{info, warn};
use xpuck_gateway::evaluation::server::WorldServer;
use xpuck_gateway::evaluation::world::World;
use xpuck_gateway::evaluation::world::description::Description;
use xpuck_gateway::limit::LineLimit;
use xpuck_wire::log;
use xpuck_wire::shutdown;

/// Interval for checking for a stop request.
const LOOK: Duration = Duration::from_millis(50);

/// Serve a simulated world to robot simulators: bodies, moves and sensors, one line of text per message.
///
/// Robot simulators of any maker connect by TCP. They create robots, define their bodies and move them (CreateRobot,
/// BodyShape, JumpTo, MoveTo, KillRobot), and request sensor readings (VisualSensor, SonicSensor). All robots share one
/// world, even if their simulators connect to different ports. docs/gateway.md describes the messages. After a
/// malformed line, the connection is closed and the reason is logged.
#[derive(Args)]
pub struct WorldSimArgs {
    /// World file (docs/gateway.md): blocks, ground, deadly ground, walls [default: an empty square of 2 by 2 m].
    #[arg(long, value_name = "FILE")]
    world: Option<PathBuf>,
    /// First port; 0 selects a free one.
    #[arg(long, default_value_t = 7770)]
    port: u16,
    /// Number of consecutive ports, 1 to 30.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=30))]
    ports: u16,
    /// Address of this machine to serve at; 0.0.0.0 for all addresses. Clients are not authenticated.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// Seed of the robots' start positions.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Time without messages after which robots are removed and simulators are disconnected (s), 1 to 1000000.
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    idle: u32,
    /// Print JSON objects, one on each line: the addresses at the start, and the counts at the end.
    #[arg(long)]
    json: bool,
    /// End when standard input is closed.
    #[arg(long, hide = true, alias = "lifeline")]
    end_with_stdin: bool,
}

/// Line that `xpuck serve world-sim --json` prints.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Report {
    /// At the start: addresses of the server.
    Listening {
        /// Addresses of the server, one for each port.
        listening: Vec<String>,
    },
    /// At the end: counts of the whole session.
    End {
        /// Number of valid messages.
        messages: u64,
        /// Number of rejected connections.
        refused: u64,
        /// Number of robots that were removed because no message named them for a long time.
        expired: u64,
    },
}

/// Runs the command.
pub fn run(args: &WorldSimArgs) -> Result<()> {
    let description = match &args.world {
        Some(file) => xpuck_wire::file::read(file)?,
        None => Description::empty(),
    };
    let world = World::new(&description, args.seed).map_err(|error| match &args.world {
        Some(file) => anyhow!("{}: {error}", file.display()),
        None => error.into(),
    })?;
    let port = |i: u16| if args.port == 0 { Some(0) } else { args.port.checked_add(i) };
    let ports: Option<Vec<u16>> = (0..args.ports).map(port).collect();
    let Some(ports) = ports else {
        bail!("--port {} --ports {}: the last port must be at most 65535", args.port, args.ports)
    };
    let addresses: Vec<SocketAddr> = ports.into_iter().map(|port| SocketAddr::new(args.host, port)).collect();
    let stop =
        shutdown::service_flag(shutdown::ShutdownTriggers { with_stdin: args.end_with_stdin, ..Default::default() })?;
    let mut server = WorldServer::listen(world, &addresses, Duration::from_secs(args.idle.into()))?;
    let places: Vec<String> = server.addresses()?.iter().map(ToString::to_string).collect();
    if !args.host.is_loopback() {
        warn!(target: "world-sim", "{} has no authentication: any client is served", places.join(" and "));
    }
    match args.json {
        true => report_json(&Report::Listening { listening: places }),
        false => log::print(format_args!("serving robot simulators at {} until Ctrl-C", places.join(" and "))),
    }
    let (mut limit, began) = (LineLimit::default(), Instant::now());
    while !stop.load(Ordering::Relaxed) {
        let lines = limit.pass(began.elapsed().as_secs(), server.turn(LOOK)?);
        lines.iter().for_each(|line| info!(target: "world-sim", "{line}"));
    }
    let counts = server.counts();
    match args.json {
        true => {
            let (messages, refused, expired) = (counts.messages, counts.refused, counts.expired);
            report_json(&Report::End { messages, refused, expired });
        }
        false => log::print(format_args!("{} valid messages were received", counts.messages)),
    }
    Ok(())
}

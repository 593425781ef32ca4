//! `xpuck pause|resume|next|stop`: commands to a running hub, and the acknowledgements of the robots.

use crate::link::hub_address::{HubAddress, have, status};
use crate::swarm::acks::Obedience;
use crate::swarm::orders::order_robots;
use crate::terminal::print_json;
use anyhow::{Result, bail};
use clap::Args;
use std::time::{Duration, Instant};
use xpuck_wire::message::{Order, Request};
use xpuck_wire::output;
use xpuck_wire::socket::AskError;

/// Maximum wait until all robots have acknowledged (wall time). The hub repeats the directive five times a second.
const ACK_TIMEOUT: Duration = Duration::from_secs(3);
/// Interval between two status requests (wall time).
const EVERY: Duration = Duration::from_millis(50);

/// Options of commands without arguments.
#[derive(Args)]
pub struct CommandArgs {
    /// Return as soon as the hub has accepted the command, without waiting for the robots.
    #[arg(long)]
    no_wait: bool,
    /// Print the acknowledgement of each robot as one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    address: HubAddress,
}

/// Options of commands to the whole swarm or to single robots.
#[derive(Args)]
pub struct TargetArgs {
    /// Robots to which the command is sent. The other robots continue [default: the whole swarm and its run].
    #[arg(value_name = "ROBOT", conflicts_with = "no_wait")]
    robots: Vec<String>,
    #[command(flatten)]
    command: CommandArgs,
}

/// Sends `request` to the whole swarm, or the order `alone` to the given robots.
///
/// # Errors
/// Errors of [`command`] and [`order_robots`].
pub fn stand(args: &TargetArgs, request: &Request, alone: Order) -> Result<()> {
    let CommandArgs { json, address, .. } = &args.command;
    match &args.robots[..] {
        [] => command(&args.command, request),
        robots => order_robots(robots, *json, address, alone),
    }
}

/// Error text for a STOP or PAUSE that the hub did not answer.
const UNACKNOWLEDGED: &str = "not acknowledged: wheels stop 1 s after the hub's last message, but a hub that returns \
    may continue the run; repeat the command until it is acknowledged";

/// Sends a command without arguments, and prints the acknowledgements of the robots.
///
/// # Errors
/// The hub refuses or is silent, or a robot that is present does not acknowledge in time.
pub fn command(args: &CommandArgs, request: &Request) -> Result<()> {
    let (link, _) = args.address.open()?;
    let stand = matches!(request, Request::Stop | Request::Pause);
    have(&link, request).map_err(|error| match error.downcast_ref() {
        Some(AskError::NoAnswer(_)) if stand => error.context(UNACKNOWLEDGED),
        _ => error,
    })?;
    let until = Instant::now() + ACK_TIMEOUT;
    let mut seen: Option<Obedience> = None;
    let ended = loop {
        let Ok(status) = status(&link) else { break true };
        let now = seen.insert(Obedience::from_status(&status));
        if args.no_wait || now.is_settled() || Instant::now() >= until {
            break false;
        }
        std::thread::sleep(EVERY);
    };
    print_acks(seen.as_ref(), args, ended)?;
    let overruled = seen.filter(|seen| stand && !seen.stops_robots());
    match overruled {
        Some(seen) => {
            bail!("the swarm received {:?} in the meantime; `xpuck swarm log` shows the sender", seen.directive)
        }
        None => Ok(()),
    }
}

/// Prints the acknowledgements in `seen`. `None`: the hub ended before it reported any. `ended` is true if the hub
/// ended after the command, as the hub of a demo may do.
fn print_acks(seen: Option<&Obedience>, args: &CommandArgs, ended: bool) -> Result<()> {
    const SINCE: &str = "the hub has ended; wheels stop within 1.1 s after its last message";
    let Some(seen) = seen else { return Ok(output::line(format_args!("sent; {SINCE}"))?) };
    if args.json {
        print_json(seen)?;
    } else if args.no_wait {
        output::line(format_args!("accepted; so far {}", seen.headline()))?;
    } else {
        let more = if ended { format!("; {SINCE}") } else { String::new() };
        output::line(format_args!("{}{more}", seen.headline()))?;
        seen.rows().iter().try_for_each(output::line)?;
    }
    match seen.warning() {
        Some(warning) if !ended && !args.no_wait => bail!("{warning}"),
        _ => Ok(()),
    }
}

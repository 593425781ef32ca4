//! `xpuck pause|resume|next|stop`: what an operator has a running hub do, and what the robots did then.

use crate::link::hub_address::{HubAddress, have, status};
use crate::swarm::obedience::Obedience;
use crate::swarm::orders::order_robots;
use crate::terminal::print_json;
use anyhow::{Result, bail};
use clap::Args;
use std::time::{Duration, Instant};
use xpuck_wire::message::{Order, Request};
use xpuck_wire::output;
use xpuck_wire::socket::AskError;

/// How long robots may take to obey, wall time. They are told again five times a second.
const OBEY: Duration = Duration::from_secs(3);
/// The hub is asked so often how it stands.
const EVERY: Duration = Duration::from_millis(50);

/// What every command without arguments takes.
#[derive(Args)]
pub struct CommandArgs {
    /// Say at once that the hub has it, and wait for no robot.
    #[arg(long)]
    no_wait: bool,
    /// Print what each robot did as one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    address: HubAddress,
}

/// What a command takes that may also be for single robots.
#[derive(Args)]
pub struct StandArgs {
    /// Robots that this is for alone, whatever the others do; without any it is for the swarm and its run.
    #[arg(value_name = "ROBOT", conflicts_with = "no_wait")]
    robots: Vec<String>,
    #[command(flatten)]
    command: CommandArgs,
}

/// Gives a command to the swarm, or an order to the robots that are named.
///
/// # Errors
/// As [`command`] and [`order_robots`].
pub fn stand(args: &StandArgs, request: &Request, alone: Order) -> Result<()> {
    let CommandArgs { json, address, .. } = &args.command;
    match &args.robots[..] {
        [] => command(&args.command, request),
        robots => order_robots(robots, *json, address, alone),
    }
}

/// Consequence of STOP or PAUSE that no hub has answered.
const UNHEARD: &str = "not acknowledged: wheels stand 1 s after the hub falls silent, and a hub that comes back may go on \
                       with the run; repeat the command until it is acknowledged";

/// Gives a command without arguments, and says what the robots did.
///
/// # Errors
/// The hub refuses or is silent, or a robot that is there does not obey in time.
pub fn command(args: &CommandArgs, request: &Request) -> Result<()> {
    let (link, _) = args.address.open()?;
    let stand = matches!(request, Request::Stop | Request::Pause);
    have(&link, request).map_err(|error| match error.downcast_ref() {
        Some(AskError::NoAnswer(_)) if stand => error.context(UNHEARD),
        _ => error,
    })?;
    let until = Instant::now() + OBEY;
    let mut seen: Option<Obedience> = None;
    let ended = loop {
        let Ok(status) = status(&link) else { break true };
        let now = seen.insert(Obedience::of(&status));
        if args.no_wait || now.is_settled() || Instant::now() >= until {
            break false;
        }
        std::thread::sleep(EVERY);
    };
    tell(seen.as_ref(), args, ended)?;
    let overruled = seen.filter(|seen| stand && !seen.stands());
    match overruled {
        Some(seen) => bail!("somebody has told the swarm {:?} since; `xpuck swarm log` says who", seen.directive),
        None => Ok(()),
    }
}

/// Says what was seen last; a demo's hub `ended` with its run.
fn tell(seen: Option<&Obedience>, args: &CommandArgs, ended: bool) -> Result<()> {
    const SINCE: &str = "the hub has ended since, and wheels stand within 1.1 s of its last word";
    let Some(seen) = seen else { return Ok(output::line(format_args!("told; {SINCE}"))?) };
    if args.json {
        print_json(seen)?;
    } else if args.no_wait {
        output::line(format_args!("told; so far {}", seen.headline()))?;
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

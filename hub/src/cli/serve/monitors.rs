//! `xpuck serve monitors`.

mod live;
mod replay;

use crate::cli::hub_address::HubAddress;
use crate::cli::runs;
use anyhow::{Result, anyhow, bail};
use clap::Args;
use live::Live;
use replay::Replayed;
use serde_json::json;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tracing::{info, warn};
use xpuck_gateway::monitors::pair::Pair;
use xpuck_gateway::stage::Picture;
use xpuck_wire::log;
use xpuck_wire::shutdown;

/// Whether the command is to end is looked at so often, and viewers are taken.
const LOOK: Duration = Duration::from_millis(50);
/// Commands of trainers that are taken in a cycle: all of them are refused.
const ROOM: usize = 1000;

/// Show a swarm, or a recorded run, to 3D viewers of RoboCup: rcssmonitor3d, RoboViz.
///
/// Viewers connect by TCP, in SimSpark's monitor protocol or in RSMP 1.0, and see the arena as a football field: robots with
/// numbers, the frisbee as the ball, the run's clock as the time, deliveries as the score. The poses are those that the hub has
/// from motion capture, in the real arena and in the virtual one alike. Viewers may look, and all commands of trainers are
/// refused and counted. Nobody proves who they are.
#[derive(Args)]
pub struct MonitorsArgs {
    /// Show this recorded run: `last`, a run as `xpuck runs list` calls it, or a folder.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["hub", "key", "dev_mode"])]
    replay: Option<String>,
    /// The record directory of --replay, as hub.toml names it; runs of demos below it are found too.
    #[arg(long, value_name = "DIR", default_value = "runs", env = "XPUCK_RUNS")]
    runs: PathBuf,
    /// The record is shown so many times as fast as it was, 0.1 to 100.
    #[arg(long, default_value_t = 1.0, requires = "replay", value_parser = speed)]
    speed: f64,
    /// Begin the record again at its end; without it the last moment stays.
    #[arg(long, requires = "replay")]
    r#loop: bool,
    /// Port of SimSpark's protocol; 0 takes a free one.
    #[arg(long, default_value_t = 3200)]
    simspark: u16,
    /// Do not speak SimSpark's protocol.
    #[arg(long, conflicts_with = "simspark")]
    no_simspark: bool,
    /// Port of RSMP; 0 takes a free one.
    #[arg(long, default_value_t = 60001)]
    rsmp: u16,
    /// Do not speak RSMP.
    #[arg(long, conflicts_with = "rsmp")]
    no_rsmp: bool,
    /// Address of this machine to serve at; 0.0.0.0 is all of them. Nobody proves who they are.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// Messages in a second of arena time, 1 to 100. A live hub is asked at most 50 times in a second of wall time.
    #[arg(long, default_value_t = 25.0, value_parser = rate)]
    rate: f64,
    /// Print JSON objects, a line each: where it listens, and at the end what was counted.
    #[arg(long)]
    json: bool,
    /// End when standard input is closed.
    #[arg(long, hide = true, alias = "lifeline")]
    end_with_stdin: bool,
    #[command(flatten)]
    address: HubAddress,
}

fn speed(text: &str) -> Result<f64, String> {
    number(text, 0.1, 100.0)
}

fn rate(text: &str) -> Result<f64, String> {
    number(text, 1.0, 100.0)
}

fn number(text: &str, least: f64, most: f64) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| (least..=most).contains(number));
    number.ok_or_else(|| format!("a number from {least} to {most} is wanted"))
}

/// Where pictures come from.
enum Source {
    Live(Live),
    Replay(Box<Replayed>),
}

impl Source {
    /// Waits for the next picture, not longer than `longest`; none if there is nothing new.
    fn next(&mut self, longest: Duration) -> Result<Option<Picture>> {
        match self {
            Source::Live(live) => live.next(longest),
            Source::Replay(replay) => replay.next(longest),
        }
    }
}

/// Runs the command.
pub fn run(args: &MonitorsArgs) -> Result<()> {
    if args.no_simspark && args.no_rsmp {
        bail!("--no-simspark and --no-rsmp leave nothing to serve; leave one of them out");
    }
    let at = |port: u16, left_out: bool| (!left_out).then(|| SocketAddr::new(args.host, port));
    let pair = Pair::listen(at(args.simspark, args.no_simspark), at(args.rsmp, args.no_rsmp));
    let mut pair =
        pair.map_err(|(at, error)| anyhow!("{at}: {error}; --simspark PORT and --rsmp PORT name other ports"))?;
    let stop = shutdown::service_flag(shutdown::Ends { with_stdin: args.end_with_stdin, ..Default::default() })?;
    let source = match &args.replay {
        Some(run) => {
            Source::Replay(Box::new(Replayed::open(&runs::find(&args.runs, run)?, args.speed, args.rate, args.r#loop)?))
        }
        None => Source::Live(Live::open(&args.address, args.rate)?),
    };
    tell(args, &pair)?;
    let refused = serve(&mut pair, source, &stop)?;
    let counts = pair.counts();
    match args.json {
        true => log::report(json!({
            "connections_refused": counts.refused, "commands_refused": refused, "errors": counts.errors,
        })),
        false => log::report(format_args!("{refused} commands of trainers were refused")),
    }
    Ok(())
}

/// Tells where it listens.
fn tell(args: &MonitorsArgs, pair: &Pair) -> Result<()> {
    let places = pair.addresses()?;
    if !args.host.is_loopback() {
        warn!(target: "monitors", "whoever reaches {} may watch", args.host);
    }
    if args.json {
        let places = places.iter().map(|(protocol, at)| (protocol.name().to_lowercase(), json!(at.to_string())));
        log::report(json!({ "listening": places.collect::<serde_json::Map<_, _>>() }));
    } else {
        let places: Vec<String> = places.iter().map(|(protocol, at)| format!("{at} ({})", protocol.name())).collect();
        log::report(format_args!("serving viewers at {} until Ctrl-C", places.join(" and ")));
    }
    Ok(())
}

/// Shows what comes until it is told to stop; gives the number of commands that were refused.
fn serve(pair: &mut Pair, mut source: Source, stop: &AtomicBool) -> Result<u64> {
    // Who comes before the first picture waits for it.
    let mut picture: Option<Picture> = None;
    let mut refused = 0;
    while !stop.load(Ordering::Relaxed) {
        picture = source.next(LOOK)?.or(picture);
        let Some(picture) = &picture else { continue };
        let heard = pair.cycle(picture, ROOM);
        heard.told.iter().for_each(|line| info!(target: "monitors", "{line}"));
        let lines = heard.commands.iter().map(|(_, command)| {
            format!(
                "a trainer's `{}` is refused; only a virtual arena with `trainers = true` obeys (docs/gateway.md)",
                command.name()
            )
        });
        let lines = pair.limited(lines.collect());
        lines.iter().for_each(|line| warn!(target: "monitors", "{line}"));
        refused += heard.commands.len() as u64;
    }
    Ok(refused)
}

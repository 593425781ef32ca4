//! `xpuck serve monitors`: shows a swarm or a recorded run to 3D viewers.

mod live;
pub mod ports;
mod replay;

use crate::link::hub_address::HubAddress;
use crate::records::runs;
use anyhow::Result;
use clap::Args;
use live::Live;
use ports::{ROOM, ViewerPorts, rate, refuse, speed, tell_counts};
use replay::Replayed;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use xpuck_gateway::monitors::pair::MonitorServers;
use xpuck_gateway::stage::GameFrame;
use xpuck_wire::shutdown;

/// Interval for checking for a stop request and for new viewers.
const LOOK: Duration = Duration::from_millis(50);

/// Show a swarm, or a recorded run, to RoboCup 3D viewers: rcssmonitor3d, RoboViz.
///
/// Viewers connect by TCP, with SimSpark's monitor protocol or RSMP 1.0, and see the arena as a football field.
/// Robots have numbers, the frisbee is the ball, the run's clock is the time, and deliveries are the score. The poses
/// are those that the hub gets from motion capture, in the real arena and in the virtual one alike. Viewers can only
/// watch: all trainers' commands are rejected and counted. Viewers are not authenticated.
#[derive(Args)]
pub struct MonitorsArgs {
    /// Show this recorded run: `last`, a run as listed by `xpuck runs list`, or a folder.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["hub", "key", "dev_mode"])]
    replay: Option<String>,
    /// Record directory for --replay, as in hub.toml; runs of demos below it are included.
    #[arg(long = "folder", alias = "runs", value_name = "DIR", default_value = "runs", env = "XPUCK_RUNS")]
    runs: PathBuf,
    /// Playback speed of the record relative to real time, 0.1 to 100.
    #[arg(long, default_value_t = 1.0, requires = "replay", value_parser = speed)]
    speed: f64,
    /// Restart the record at its end; without this option, viewers keep the last state.
    #[arg(long, requires = "replay")]
    r#loop: bool,
    #[command(flatten)]
    ports: ViewerPorts,
    /// Number of messages per second of arena time, 1 to 100. A live hub is queried at most 50 times per second of
    /// wall time.
    #[arg(long, default_value_t = 25.0, value_parser = rate)]
    rate: f64,
    /// Print JSON objects, one on each line: the addresses at the start, and the counts at the end.
    #[arg(long)]
    json: bool,
    /// End when standard input is closed.
    #[arg(long, hide = true, alias = "lifeline")]
    end_with_stdin: bool,
    #[command(flatten)]
    address: HubAddress,
}

/// Source of the pictures that viewers get.
enum Source {
    Live(Live),
    Replay(Box<Replayed>),
}

impl Source {
    /// Waits at most `longest` for the next picture; `None` if no new picture arrives in this time.
    fn next(&mut self, longest: Duration) -> Result<Option<GameFrame>> {
        match self {
            Source::Live(live) => live.next(longest),
            Source::Replay(replay) => replay.next(longest),
        }
    }
}

/// Runs the command.
pub fn run(args: &MonitorsArgs) -> Result<()> {
    let mut pair = args.ports.listen()?;
    let stop =
        shutdown::service_flag(shutdown::ShutdownTriggers { with_stdin: args.end_with_stdin, ..Default::default() })?;
    let source = match &args.replay {
        Some(run) => {
            Source::Replay(Box::new(Replayed::open(&runs::find(&args.runs, run)?, args.speed, args.rate, args.r#loop)?))
        }
        None => Source::Live(Live::open(&args.address, args.rate)?),
    };
    args.ports.print_addresses(&pair, args.json)?;
    let refused = serve(&mut pair, source, &stop)?;
    tell_counts(&pair, refused, args.json);
    Ok(())
}

/// Shows pictures until a stop request. Returns the number of trainers' commands, all of which are rejected.
fn serve(pair: &mut MonitorServers, mut source: Source, stop: &AtomicBool) -> Result<u64> {
    let mut picture: Option<GameFrame> = None;
    // Viewers that connect before the first picture get nothing until it arrives.
    let mut refused = 0;
    while !stop.load(Ordering::Relaxed) {
        picture = source.next(LOOK)?.or(picture);
        let Some(picture) = &picture else { continue };
        let heard = pair.cycle(picture, ROOM);
        refused += refuse(pair, &heard);
    }
    Ok(refused)
}

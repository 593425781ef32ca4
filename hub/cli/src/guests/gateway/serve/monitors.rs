//! `xpuck serve monitors`.

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
use xpuck_gateway::monitors::pair::Pair;
use xpuck_gateway::stage::Picture;
use xpuck_wire::shutdown;

/// Whether the command is to end is looked at so often, and viewers are taken.
const LOOK: Duration = Duration::from_millis(50);

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
    #[arg(long = "folder", alias = "runs", value_name = "DIR", default_value = "runs", env = "XPUCK_RUNS")]
    runs: PathBuf,
    /// The record is shown so many times as fast as it was, 0.1 to 100.
    #[arg(long, default_value_t = 1.0, requires = "replay", value_parser = speed)]
    speed: f64,
    /// Begin the record again at its end; without it the last moment stays.
    #[arg(long, requires = "replay")]
    r#loop: bool,
    #[command(flatten)]
    ports: ViewerPorts,
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
    let mut pair = args.ports.listen()?;
    let stop = shutdown::service_flag(shutdown::Ends { with_stdin: args.end_with_stdin, ..Default::default() })?;
    let source = match &args.replay {
        Some(run) => {
            Source::Replay(Box::new(Replayed::open(&runs::find(&args.runs, run)?, args.speed, args.rate, args.r#loop)?))
        }
        None => Source::Live(Live::open(&args.address, args.rate)?),
    };
    args.ports.tell(&pair, args.json)?;
    let refused = serve(&mut pair, source, &stop)?;
    tell_counts(&pair, refused, args.json);
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
        refused += refuse(pair, &heard);
    }
    Ok(refused)
}

//! `xpuck demo`: a whole swarm on one machine, with one process for each program.

mod files;
mod groot;
mod processes;
pub mod report;
mod screen;
mod watch;

use crate::arena::BodyFile;
use crate::engines::engine::EngineArgs;
use crate::link::running::{Announcement, RunningDemo, running};
use crate::terminal::wrong_argument;
use anyhow::{Error, Result, bail};
use clap::Args;
use files::Layout;
use processes::Processes;
use std::net::TcpListener;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use watch::Ended;
use xpuck_experiment::{ROBOTS, world_file};
use xpuck_wire::MAX_ROBOTS;
use xpuck_wire::log;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::output;
use xpuck_wire::shutdown;
use xpuck_wire::socket::Sockets;

/// Run a whole swarm on this machine: hub, virtual arena and robots, each in its own process.
///
/// While the robots push the frisbee, they evolve behaviour trees and exchange genes through the hub. At the start of
/// each segment, each robot loads its fittest tree. With --tree, all robots run the given tree and do not evolve. At
/// the end, the demo prints the real fitness of each segment, the best tree and the path of the record. Ctrl-C stops
/// the wheels, closes the record and ends all processes.
#[derive(Args, Clone)]
#[command(
    after_help = "While it runs, open the address of the console, or try `xpuck swarm top`, `xpuck status`, `xpuck \
                  pause`, `xpuck resume`.\n\
                  With --groot, Groot2 (https://www.behaviortree.dev/groot) shows the state of every node of a \
                  robot's tree: choose its real-time monitor, address 127.0.0.1 and the robot's port."
)]
pub struct DemoArgs {
    /// Number of robots, 1 to 200. Above 16 robots, the arena grows in proportion to the number of robots [default:
    /// as in the world file, else 9].
    #[arg(long = "count", alias = "robots", value_name = "COUNT")]
    given_robots: Option<usize>,
    #[arg(skip)]
    robots: usize,
    /// Kinds of the robots, repeated in turn: xpuck, e-puck1, e-puck2. With `xpuck,e-puck2` every second robot is an
    /// e-puck2.
    #[arg(long, value_enum, value_delimiter = ',', value_name = "KIND", default_value = "xpuck")]
    kinds: Vec<BodyFile>,
    /// Length of the run (min of arena time), 0.1 to 1440. As in the thesis, the run has eight segments, 0 to 7. No
    /// evolved tree drives in segment 0, so the final table shows segments 1 to 7 [default: 16, or as in the
    /// experiment].
    #[arg(long)]
    minutes: Option<f64>,
    /// Experiment file. Files that the experiment names are read from the folder of the experiment file [default: the
    /// thesis's transport experiment].
    #[arg(long, value_name = "FILE")]
    experiment: Option<PathBuf>,
    /// World file, with the arena and the task. Cannot be used with --experiment, because an experiment names its own
    /// world.
    #[arg(long, value_name = "FILE", conflicts_with = "experiment")]
    world: Option<PathBuf>,
    /// Primitive set of the evolution on the robots: nodes, registers and ranges of the trees. Cannot be used with
    /// --experiment or --tree [default: in-swarm; it does not read the floor].
    #[arg(long, value_name = "FILE", conflicts_with_all = ["experiment", "tree"])]
    primitive_set: Option<PathBuf>,
    /// Arena time per wall time, 0.1 to 32.
    #[arg(long, default_value_t = 8.0)]
    speed: f64,
    /// Seed of start poses, noise and evolution.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for records.
    #[arg(short, long = "output", alias = "out", default_value = "runs")]
    out: PathBuf,
    /// Serve no web page.
    #[arg(long)]
    no_console: bool,
    /// First of four ports: console, robots, operator, motion capture.
    #[arg(long, default_value_t = 7600, value_parser = clap::value_parser!(u16).range(1..=65_532))]
    ports: u16,
    /// Port for a JSON stream to PlotJuggler, such as 7605 [default: no stream].
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    stream: Option<u16>,
    /// Port for Foxglove and Lichtblick [default: no port; 8765 if the option has no value].
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "8765", value_parser = clap::value_parser!(u16).range(1..))]
    foxglove: Option<u16>,
    /// Port of a simulated camera above the arena (MJPEG). The page shows the camera's pictures, and the record
    /// stores them [default: no camera; 7606 if the option has no value].
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "7606", value_parser = clap::value_parser!(u16).range(1..))]
    overhead: Option<u16>,
    /// First port for Groot2 to monitor the robots' trees: xp01 at PORT, xp02 at PORT + 2, and so on [default: no
    /// ports; 1667 if the option has no value].
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "1667")]
    groot: Option<u16>,
    /// Number of individuals on each robot, 8 to 4096 [default: 256, or as in the experiment].
    #[arg(long)]
    population: Option<usize>,
    #[command(flatten)]
    engine: EngineArgs,
    /// Tree that all robots run as written, without evolution.
    #[arg(long)]
    tree: Option<PathBuf>,
    /// Deviations of the arena from the simulator's world: `typical`, `none`, or a file with the keys of arena.toml
    /// for deviations.
    #[arg(long, value_name = "PRESET|FILE")]
    unkind: Option<String>,
    /// Run the SPI and camera of the first robot through the FPGA shim's logic, simulated clock by clock. Slow: use
    /// --speed 1 and few robots. Needs a program built with `make build-fpga`.
    #[arg(long)]
    fpga: bool,
    /// Calibration file for the robots. The robots use it to correct their sensors and motors, and to simulate the
    /// measured world.
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
    /// Wait for runs to be started from the page or by `xpuck start`, any number of times; Ctrl-C ends the demo.
    #[arg(long, conflicts_with = "json")]
    idle: bool,
    /// Print the result as one JSON object.
    #[arg(long)]
    json: bool,
}

/// Maximum wait until all robots are present (wall time).
const APPEAR: Duration = Duration::from_secs(20);

/// Runs the command. Returns false if the demo was interrupted.
pub fn run(args: &DemoArgs) -> Result<bool> {
    let args = &DemoArgs { robots: robots(args)?, ..args.clone() };
    if !(1..=MAX_ROBOTS).contains(&args.robots) {
        wrong_argument!("--count {}: must be 1 to {MAX_ROBOTS}", args.robots);
    }
    if let Some(minutes) = args.minutes.filter(|minutes| !(0.1..=1440.0).contains(minutes)) {
        wrong_argument!("--minutes {minutes}: must be 0.1 to 1440");
    }
    if !(0.1..=32.0).contains(&args.speed) {
        wrong_argument!("--speed {}: must be 0.1 to 32", args.speed);
    }
    if args.population.is_some_and(|population| !(8..=4096).contains(&population)) {
        wrong_argument!("--population must be 8 to 4096");
    }
    groot::check(args)?;
    check_ports(args)?;
    args.engine.check_adapter().map_err(Error::msg)?;
    let stop = shutdown::service_flag(Default::default())?;
    let programs = processes::programs()?;
    let layout = Layout::write(args)?;
    let mut processes = Processes::new(&layout, programs);
    let outcome = conduct(args, &layout, &mut processes, &stop);
    let timing = processes.end();
    let (ended, run) = outcome?;
    if let Some(run) = run {
        let report = report::text(args, &layout, &run, timing, &stop)?;
        log::flush();
        output::text(report)?;
    }
    match ended {
        Ended::Whole => Ok(true),
        Ended::Interrupted => Ok(false),
        Ended::Lost(why) => bail!("{why}; the records are in {}", layout.root.display()),
    }
}

/// Returns the number of robots. Without --count, it is the number of robots in the world file. Without a world file,
/// it is [`ROBOTS`].
fn robots(args: &DemoArgs) -> Result<usize> {
    Ok(match (args.given_robots, &args.world) {
        (Some(robots), _) => robots,
        (None, Some(world)) => world_file::read(world)?.robots,
        (None, None) => ROBOTS,
    })
}

/// Checks that the demo's own ports are free, before any file is written.
fn check_ports(args: &DemoArgs) -> Result<()> {
    let uses = ["the console", "robots", "operators", "motion capture"];
    for (port, what) in (args.ports..).zip(uses).skip(usize::from(args.no_console)) {
        let Err(error) = TcpListener::bind(("127.0.0.1", port)) else { continue };
        let other = running().into_iter().find(|demo| demo.hub.ends_with(&format!(":{}", args.ports + 2)));
        let who = match other {
            Some(demo) => format!("the demo in {} uses these ports", demo.root.display()),
            None => format!("port {port}, for {what}, is not available ({error})"),
        };
        let next = if args.ports < 60_000 { args.ports + 10 } else { 7600 };
        bail!("--ports {}: {who}; end the other program, or choose other ports: --ports {next}", args.ports);
    }
    Ok(())
}

/// Minimum length of a segment in which robots can score in most tasks (s of arena time).
const SHORT_SEGMENT: f64 = 15.0;

/// Returns a warning if segments of `seconds` are too short to score. `None` for longer segments, or if `minutes` is
/// not given.
fn short_segments(minutes: Option<f64>, seconds: f64) -> Option<String> {
    let minutes = minutes.filter(|_| seconds < SHORT_SEGMENT)?;
    let longer = (minutes * SHORT_SEGMENT / seconds).ceil();
    Some(format!(
        "segments last only {seconds:.1} s of arena time, so their fitness may be 0; use --minutes {longer} or more \
         to see evolution"
    ))
}

/// Results of a run.
pub struct Run {
    /// Last status of the hub.
    pub status: xpuck_wire::Status,
    /// Trees that drove a robot, or were the fittest on a robot's island. Each tree is paired with the robot's id.
    pub trees: Vec<(String, xpuck_wire::message::Emigrant)>,
}

fn conduct(
    args: &DemoArgs,
    layout: &Layout,
    processes: &mut Processes,
    stop: &std::sync::atomic::AtomicBool,
) -> Result<(Ended, Option<Run>)> {
    let started = Instant::now();
    processes.start_service("arena", &layout.arena)?;
    processes.start_service("hub", &layout.hub)?;
    // The announcement allows other commands to find the demo. If the announcement fails, the demo continues.
    let demo = RunningDemo {
        root: layout.root.clone(),
        hub: layout.swarm.hub.operator.clone(),
        key: layout.key.clone(),
        console: layout.swarm.hub.console.clone(),
    };
    let _announcement = Announcement::new(layout.devices(), &demo).ok();
    let link = Sockets::for_operator(&layout.key)?.0.operator(&layout.swarm.hub.operator, 2000)?;
    if !args.json {
        if let Some(console) = &layout.swarm.hub.console {
            log::print(format_args!("console: http://{console}  (after {:.1} s)", started.elapsed().as_secs_f64()));
        }
        if let Ok(Reply::Link(link)) = link.ask(&Request::Link) {
            log::print(format_args!("to send commands from the page: {link}  (valid once, for ten minutes)"));
        }
        let (hub, key) = (&layout.swarm.hub.operator, layout.key.display());
        log::print(format_args!(
            "from another terminal: xpuck swarm top  (if several demos run: --hub {hub} --key {key})"
        ));
    }
    if let (false, Some(where_to)) = (args.json, groot::invitation(args, &layout.swarm.robots)) {
        log::print(where_to);
    }
    for (id, file) in layout.swarm.robots.iter().zip(&layout.robots) {
        processes.start_robot(id, file)?;
    }
    let mut watch = watch::Watch::new(link, args.json, layout);
    watch.wait_for_robots(processes, APPEAR, stop)?;
    if args.idle {
        let ended = watch.idle(processes, stop);
        let _ = watch.ask_done(&Request::Stop);
        if !args.json {
            log::print(format_args!("records of its runs: {}", layout.root.display()));
        }
        let _ = watch.ask_done(&Request::Shutdown);
        return Ok((ended, None));
    }
    if let Some(told) = short_segments(args.minutes, layout.plan.phase(0).segment_seconds).filter(|_| !args.json) {
        log::print(told);
    }
    watch.ask_done(&Request::Start { signed: layout.experiment.clone(), seed: args.seed })?;
    let ended = watch.follow(processes, stop);
    if ended != Ended::Whole {
        // The wheels stop before the processes end. If the hub has already ended, its silence stops the robots.
        let _ = watch.ask_done(&Request::Stop);
    }
    let trees = match watch.ask(&Request::Trees) {
        Ok(Reply::Trees(trees)) => trees,
        _ => Vec::new(),
    };
    let run = watch.last_status().map(|status| Run { status, trees });
    let _ = watch.ask_done(&Request::Shutdown);
    Ok((ended, run))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_segments_warn_for_given_minutes() {
        assert_eq!(short_segments(None, 7.5), None);
        assert_eq!(short_segments(Some(2.0), 15.0), None);
        assert!(
            short_segments(Some(1.0), 7.5).is_some_and(|told| told.contains("7.5 s") && told.contains("--minutes 2 "))
        );
    }
}

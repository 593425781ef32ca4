//! `xpuck serve robot-sim`: evaluates networks for population managers.

use super::own_engine::OwnTask;
use crate::engines::engine::EngineArgs;
use crate::guests::gateway::address::{self, Place};
use crate::terminal::report_json;
use anyhow::{Result, anyhow};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tracing::{info, warn};
use xpuck_gateway::evaluation::robot::task::Task;
use xpuck_gateway::evaluation::robot_server::RobotServer;
use xpuck_gateway::evaluation::robot_server::batch::Batch;
use xpuck_gateway::evaluation::robot_server::evaluator::Evaluator;
use xpuck_gateway::evaluation::robot_server::world_link::WorldLink;
use xpuck_gateway::limit::LineLimit;
use xpuck_kernels::engine::EngineKind;
use xpuck_wire::{event_at, log, shutdown};

/// Interval for checking for a stop request.
const LOOK: Duration = Duration::from_millis(50);

/// Evaluate the networks of population managers: receive an individual, drive its robot, return its fitness.
///
/// Population managers of any maker connect by TCP, and request the description of the accepted networks
/// (SendNetParameters). They send individuals (Individual), and receive a fitness for each (Fitness), in any order.
/// With --world, robots drive in the world of a world simulator. A task file then defines their senses and the measure
/// of fitness. Without --world, our own engine evaluates swarms, on the thesis's benchmark or in a world file named in
/// the task file. docs/gateway.md describes the messages and both kinds of task files. After a malformed line, the
/// connection is closed and the reason is logged.
#[derive(Args)]
pub struct RobotSimArgs {
    /// World simulator in whose world the robots drive; without a value 127.0.0.1:7770. Without this option, our own
    /// engine evaluates the networks.
    #[arg(long, value_name = "HOST:PORT", num_args = 0..=1, default_missing_value = "127.0.0.1:7770")]
    world: Option<Place>,
    /// Task file (docs/gateway.md) [default: obstacle avoidance from two random places, or the thesis's benchmark].
    #[arg(long, value_name = "FILE")]
    task: Option<PathBuf>,
    /// Number of individuals evaluated at the same time, in place of the task file's number: 1 to 1024, or to 65536
    /// with our own engine.
    #[arg(long)]
    concurrent: Option<u32>,
    #[command(flatten)]
    engine: EngineArgs,
    /// Port to serve at; 0 selects a free one.
    #[arg(long, default_value_t = 7720)]
    port: u16,
    /// Address of this machine to serve at; 0.0.0.0 for all addresses. Clients are not authenticated.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// Time without a message after which the connection to a world with unanswered requests is renewed (s), 1 to
    /// 1000000.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    timeout: u32,
    /// Time without a message after which a population manager without unanswered requests is disconnected (s), 1 to
    /// 1000000.
    #[arg(long, default_value_t = 3600, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    idle: u32,
    /// Print JSON objects, one on each line: the address at the start, and the counts at the end.
    #[arg(long)]
    json: bool,
    /// End when standard input is closed.
    #[arg(long, hide = true, alias = "lifeline")]
    end_with_stdin: bool,
}

/// Line that `xpuck serve robot-sim --json` prints.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Report {
    /// At the start: address of the server.
    Listening {
        /// Address of the server.
        listening: [String; 1],
    },
    /// Counts of the whole session, printed at the end.
    End {
        /// Number of individuals that were accepted for evaluation.
        individuals: u64,
        /// Number of fitness values that were sent.
        evaluated: u64,
        /// Number of rejected connections.
        refused: u64,
    },
}

/// Runs the command.
pub fn run(args: &RobotSimArgs) -> Result<()> {
    if let Some(world) = &args.world {
        let link = WorldLink::new(task(args)?, address::resolve(world)?, Duration::from_secs(args.timeout.into()));
        return serve(args, link);
    }
    let mut task = OwnTask::read(args.task.as_deref()).map_err(|error| match &args.task {
        Some(file) if xpuck_wire::file::read::<Task>(file).is_ok() => {
            anyhow!("{}: is a task for a world simulator; add --world or --world HOST:PORT", file.display())
        }
        _ => error,
    })?;
    task.concurrent = args.concurrent.unwrap_or(task.concurrent);
    let named = |error: anyhow::Error| match &args.task {
        Some(file) => anyhow!("{}: {error}", file.display()),
        None => error,
    };
    let parameters = task.parameters().map_err(named)?;
    let spec = task.spec()?;
    task.check(&spec).map_err(named)?;
    let engine = args.engine.open(EngineKind::Auto, &[&spec])?;
    serve(args, Batch::new(parameters.clone(), task.evaluate(parameters, spec, engine))?)
}

/// Reads the task file for a world simulator, applies the options, and checks the result.
fn task(args: &RobotSimArgs) -> Result<Task> {
    let mut task: Task = match &args.task {
        Some(file) => xpuck_wire::file::read(file).map_err(|error| match OwnTask::read(Some(file)) {
            Ok(_) => anyhow!("{}: is a task for xpuck's own engine; leave out --world", file.display()),
            Err(_) => error.into(),
        })?,
        None => Task::default(),
    };
    task.concurrent = args.concurrent.unwrap_or(task.concurrent);
    task.check().map_err(|error| match &args.task {
        Some(file) => anyhow!("{}: {error}", file.display()),
        None => anyhow!("{error}"),
    })?;
    Ok(task)
}

fn serve<E: Evaluator>(args: &RobotSimArgs, evaluator: E) -> Result<()> {
    let stop =
        shutdown::service_flag(shutdown::ShutdownTriggers { with_stdin: args.end_with_stdin, ..Default::default() })?;
    let address = SocketAddr::new(args.host, args.port);
    let mut server = RobotServer::listen(evaluator, address, Duration::from_secs(args.idle.into()))?;
    let place = server.address()?;
    if !args.host.is_loopback() {
        warn!(target: "robot-sim", "{place} has no authentication: any client is served");
    }
    match args.json {
        true => report_json(&Report::Listening { listening: [place.to_string()] }),
        false => log::print(format_args!("serving population managers at {place} until Ctrl-C")),
    }
    let (mut limit, began) = (LineLimit::default(), Instant::now());
    while !stop.load(Ordering::Relaxed) {
        for line in limit.pass(began.elapsed().as_secs(), server.turn(LOOK)?) {
            event_at!(line.level, target: "robot-sim", "{}", line.text);
        }
    }
    let counts = server.counts();
    info!(target: "robot-sim", "{} individuals received", counts.individuals);
    match args.json {
        true => {
            let (individuals, evaluated, refused) = (counts.individuals, counts.evaluated, counts.refused);
            report_json(&Report::End { individuals, evaluated, refused });
        }
        false => log::print(format_args!("{} individuals were evaluated", counts.evaluated)),
    }
    Ok(())
}

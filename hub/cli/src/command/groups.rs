//! Groups of commands: `xpuck tree`, `swarm`, `robot`, `serve`, `card` and `dev`.

use super::by_kind::{ByKind, Ends};
use super::{kinds, schema};
#[cfg(any(feature = "bodies", feature = "gateway"))]
use crate::guests;
use crate::swarm::commands::{CommandArgs, TargetArgs, command, stand};
use crate::swarm::orders::{NoteArgs, OrderArgs, note, order};
use crate::{arena, boards, engines, evolution, help, records, services, swarm as to_swarm, trees};
use anyhow::Result;
use clap::{Args, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;
use xpuck_wire::message::{Order, Request};

/// Format, explain, reduce, compare, convert and draw trees, automata and other controllers.
///
/// Commands detect the kind of their file: a behaviour tree, a Kilobot's tree, automata, a state machine or a body. The
/// text form of a tree has one node per line, two spaces per level, and `#` comments. Trees also convert to and from
/// XML of BehaviorTree.CPP version 4 (for Groot2), JSON and the robots' binary form, and can be drawn as SVG or DOT.
#[derive(Args)]
pub struct TreeArgs {
    #[command(subcommand)]
    command: TreeCommand,
}

#[derive(Subcommand)]
enum TreeCommand {
    Fmt(ByKind<kinds::Fmt>),
    Explain(ByKind<kinds::Explain>),
    Reduce(ByKind<kinds::Reduce>),
    Diff(ByKind<kinds::Diff>),
    Convert(ByKind<kinds::Convert>),
    Draw(ByKind<kinds::Draw>),
    Nodes(trees::nodes::NodesArgs),
}

/// Runs `xpuck tree`.
///
/// # Errors
/// A file is invalid or cannot be written.
pub fn tree(args: &TreeArgs) -> Result<ExitCode> {
    match &args.command {
        TreeCommand::Fmt(args) => args.run(),
        TreeCommand::Explain(args) => args.run(),
        TreeCommand::Reduce(args) => args.run(),
        TreeCommand::Diff(args) => args.run(),
        TreeCommand::Convert(args) => args.run(),
        TreeCommand::Draw(args) => args.run(),
        TreeCommand::Nodes(args) => trees::nodes::run(args).ends(),
    }
}

/// List, show, compare, export, verify and replay recorded runs of swarms and of evolution.
///
/// RUN is `last`, a run as listed by `xpuck runs list`, the beginning of its folder's name, or a folder.
#[derive(Args)]
pub struct RunsArgs {
    #[command(subcommand)]
    what: OfRuns,
    /// Record directory, as in hub.toml; runs of demos below it are included.
    #[arg(long, global = true, value_name = "DIR", default_value = "runs", env = "XPUCK_RUNS")]
    folder: PathBuf,
}

#[derive(Subcommand)]
enum OfRuns {
    #[command(flatten)]
    Recorded(records::runs::What),
    Lineage(records::lineage::LineageArgs),
    Remeasure(evolution::remeasure::RemeasureArgs),
    Report(records::report::ReportArgs),
    #[cfg(feature = "bodies")]
    Curves(guests::body::curves::CurvesArgs),
}

/// Runs `xpuck runs`.
///
/// # Errors
/// The subcommand fails.
pub fn runs(args: &RunsArgs) -> Result<ExitCode> {
    match &args.what {
        OfRuns::Recorded(what) => records::runs::run(what, &args.folder).ends(),
        OfRuns::Lineage(of) => records::lineage::run(of, &args.folder).ends(),
        OfRuns::Remeasure(of) => evolution::remeasure::run(of).ends(),
        OfRuns::Report(of) => records::report::run(of, &args.folder).ends(),
        #[cfg(feature = "bodies")]
        OfRuns::Curves(of) => guests::body::curves::run(of).ends(),
    }
}

/// Start, stop and watch a whole swarm, through its hub.
#[derive(Args)]
pub struct SwarmArgs {
    #[command(subcommand)]
    what: OfSwarm,
}

#[derive(Subcommand)]
enum OfSwarm {
    Start(to_swarm::start::StartArgs),
    /// Pause wheels and evolution; print which robots stand and after what time.
    ///
    /// The command waits at most 3 s. The exit code is 1 if a robot does not answer. If robots are given, only these
    /// robots pause, until `xpuck resume` releases them.
    Pause(TargetArgs),
    /// Continue after a pause; print which robots run again.
    ///
    /// The command waits at most 3 s. The exit code is 1 if a robot does not answer. If robots are given that were
    /// stopped or paused individually, these robots follow the swarm again.
    Resume(TargetArgs),
    /// End the current phase of the experiment: the next phase begins, or the run ends.
    ///
    /// The command waits at most 3 s for the robots. The exit code is 1 if a robot does not answer.
    Next(CommandArgs),
    /// Stop the wheels and end the run; print which robots stand and after what time.
    ///
    /// The command waits at most 3 s. The exit code is 1 if a robot does not answer. The wheels of such a robot stop
    /// 1 s after the hub's last message, but this is not confirmed. If robots are given, only these robots stop, until
    /// `xpuck resume` releases them, and the run continues.
    Stop(TargetArgs),
    Status(to_swarm::status::StatusArgs),
    Top(to_swarm::top::TopArgs),
    Log(to_swarm::log::LogArgs),
    Note(NoteArgs),
    Park(to_swarm::park::ParkArgs),
    Trials(to_swarm::trials::TrialsArgs),
    Console(to_swarm::console::ConsoleArgs),
}

/// Runs `xpuck swarm`.
///
/// # Errors
/// The subcommand fails.
pub fn swarm(args: &SwarmArgs) -> Result<ExitCode> {
    match &args.what {
        OfSwarm::Start(args) => to_swarm::start::start(args).ends(),
        OfSwarm::Pause(args) => stand(args, &Request::Pause, Order::Pause).ends(),
        OfSwarm::Resume(args) => stand(args, &Request::Resume, Order::Release).ends(),
        OfSwarm::Next(args) => command(args, &Request::Next).ends(),
        OfSwarm::Stop(args) => stand(args, &Request::Stop, Order::Hold).ends(),
        OfSwarm::Status(args) => to_swarm::status::run(args).ends(),
        OfSwarm::Top(args) => to_swarm::top::run(args).ends(),
        OfSwarm::Log(args) => to_swarm::log::run(args).ends(),
        OfSwarm::Note(args) => note(args).ends(),
        OfSwarm::Park(args) => to_swarm::park::run(args).ends(),
        OfSwarm::Trials(args) => to_swarm::trials::run(args).ends(),
        OfSwarm::Console(args) => to_swarm::console::console(args).ends(),
    }
}

/// List, find, hold, drive, add and update single robots.
#[derive(Args)]
pub struct RobotArgs {
    #[command(subcommand)]
    what: OfRobot,
}

#[derive(Subcommand)]
enum OfRobot {
    List(to_swarm::operator::RobotsArgs),
    /// Make robots blink, so that a person beside the arena finds them.
    Identify(OrderArgs),
    /// Hold robots still until they are released, even while the other robots run.
    Hold(OrderArgs),
    /// Release held robots, so that they follow the swarm again.
    Release(OrderArgs),
    /// Stop the robots' wheels and reboot their boards.
    Reboot(OrderArgs),
    Drive(to_swarm::drive::DriveArgs),
    Snapshot(to_swarm::snapshot::SnapshotArgs),
    Enrol(to_swarm::enrol::EnrolArgs),
    Replace(to_swarm::enrol::ReplaceArgs),
    Push(to_swarm::push::PushArgs),
    Update(to_swarm::update::UpdateArgs),
}

/// Runs `xpuck robot`.
///
/// # Errors
/// The subcommand fails.
pub fn robot(args: &RobotArgs) -> Result<ExitCode> {
    match &args.what {
        OfRobot::List(args) => to_swarm::operator::robots(args).ends(),
        OfRobot::Identify(args) => order(args, Order::Identify).ends(),
        OfRobot::Hold(args) => order(args, Order::Hold).ends(),
        OfRobot::Release(args) => order(args, Order::Release).ends(),
        OfRobot::Reboot(args) => order(args, Order::Reboot).ends(),
        OfRobot::Drive(args) => to_swarm::drive::run(args).ends(),
        OfRobot::Snapshot(args) => to_swarm::snapshot::run(args).ends(),
        OfRobot::Enrol(args) => to_swarm::enrol::enrol(args).ends(),
        OfRobot::Replace(args) => to_swarm::enrol::replace(args).ends(),
        OfRobot::Push(args) => to_swarm::push::run(args),
        OfRobot::Update(args) => to_swarm::update::run(args),
    }
}

/// Run a server: hub, arena, gene exchange, playground, or a server for third-party programs.
#[derive(Args)]
pub struct ServeArgs {
    #[command(subcommand)]
    what: OfServe,
}

#[derive(Subcommand)]
enum OfServe {
    Hub(services::hub::HubArgs),
    Arena(arena::ArenaArgs),
    Geneserver(services::geneserver::GeneserverArgs),
    Island(services::island::IslandArgs),
    Playground(services::playground::PlaygroundArgs),
    #[cfg(feature = "gateway")]
    Monitors(guests::gateway::serve::monitors::MonitorsArgs),
    #[cfg(all(feature = "bodies", feature = "gateway"))]
    Body(guests::body::serve::ServeArgs),
    #[cfg(feature = "gateway")]
    WorldSim(guests::gateway::serve::world_sim::WorldSimArgs),
    #[cfg(feature = "gateway")]
    RobotSim(guests::gateway::serve::robot_sim::RobotSimArgs),
    #[cfg(feature = "gateway")]
    PopulationManager(guests::gateway::serve::population_manager::PopulationManagerArgs),
}

/// Runs `xpuck serve`.
///
/// # Errors
/// The subcommand fails.
pub fn serve(args: &ServeArgs) -> Result<ExitCode> {
    match &args.what {
        OfServe::Hub(args) => services::hub::run(args).ends(),
        OfServe::Arena(args) => arena::run(args).ends(),
        OfServe::Geneserver(args) => services::geneserver::run(args),
        OfServe::Island(args) => services::island::run(args),
        OfServe::Playground(args) => services::playground::run(args).ends(),
        #[cfg(feature = "gateway")]
        OfServe::Monitors(args) => guests::gateway::serve::monitors::run(args).ends(),
        #[cfg(all(feature = "bodies", feature = "gateway"))]
        OfServe::Body(args) => guests::body::serve::run(args).ends(),
        #[cfg(feature = "gateway")]
        OfServe::WorldSim(args) => guests::gateway::serve::world_sim::run(args).ends(),
        #[cfg(feature = "gateway")]
        OfServe::RobotSim(args) => guests::gateway::serve::robot_sim::run(args).ends(),
        #[cfg(feature = "gateway")]
        OfServe::PopulationManager(args) => guests::gateway::serve::population_manager::run(args).ends(),
    }
}

/// Build images for the robots' boards, and write their cards.
#[derive(Args)]
pub struct CardArgs {
    #[command(subcommand)]
    what: OfCard,
}

#[derive(Subcommand)]
enum OfCard {
    Build(boards::image::ImageArgs),
    Flash(boards::flash::FlashArgs),
}

/// Runs `xpuck card`.
///
/// # Errors
/// The subcommand fails.
pub fn card(args: &CardArgs) -> Result<ExitCode> {
    match &args.what {
        OfCard::Build(args) => boards::image::run(args).ends(),
        OfCard::Flash(args) => boards::flash::run(args),
    }
}

/// Measure engines, search for bugs in the swarm, and print schemas, completions and manual pages.
#[derive(Args)]
pub struct DevArgs {
    #[command(subcommand)]
    what: OfDev,
}

#[derive(Subcommand)]
enum OfDev {
    Bench(engines::bench::BenchArgs),
    Engines(engines::available::EnginesArgs),
    FuzzSwarm(services::fuzz_swarm::FuzzSwarmArgs),
    Markers(boards::markers::MarkersArgs),
    Rasp(trees::machines::RaspArgs),
    Schema(schema::SchemaArgs),
    #[cfg(feature = "gateway")]
    Watch(guests::gateway::watch::WatchArgs),
    Completions(help::manual::CompletionsArgs),
    Man(help::manual::ManArgs),
}

/// Runs `xpuck dev`.
///
/// # Errors
/// The subcommand fails.
pub fn dev(args: &DevArgs) -> Result<ExitCode> {
    match &args.what {
        OfDev::Bench(args) => engines::bench::run(args).ends(),
        OfDev::Engines(args) => engines::available::run(args).ends(),
        OfDev::FuzzSwarm(args) => services::fuzz_swarm::run(args),
        OfDev::Markers(args) => boards::markers::run(args).ends(),
        OfDev::Rasp(args) => trees::machines::rasp(args).ends(),
        OfDev::Schema(args) => schema::run(args).ends(),
        #[cfg(feature = "gateway")]
        OfDev::Watch(args) => guests::gateway::watch::run(args).ends(),
        OfDev::Completions(args) => help::manual::completions(args).ends(),
        OfDev::Man(args) => help::manual::man(args, crate::program()).ends(),
    }
}

//! Top-level commands, and their execution.

pub mod by_kind;
pub mod groups;
pub mod kinds;
pub mod outputs;
pub mod renamed;
pub mod schema;

use crate::{analysis, evolution, files, records, services, swarm};
use anyhow::Result;
use by_kind::{ByKind, Ends};
use clap::Subcommand;
use std::process::ExitCode;
use swarm::commands::TargetArgs;
use xpuck_wire::message::{Order, Request};

/// Top-level commands. The hidden commands are short forms of `xpuck swarm ...`, because a STOP must be quick to type.
#[derive(Subcommand)]
pub enum Command {
    Demo(services::demo::DemoArgs),
    Init(files::init::InitArgs),
    Check(files::check::CheckArgs),
    Doctor(swarm::doctor::DoctorArgs),
    Tree(groups::TreeArgs),
    World(analysis::world::WorldArgs),
    Simulate(ByKind<kinds::Simulate>),
    Evolve(ByKind<kinds::Evolve>),
    Runs(groups::RunsArgs),
    Study(analysis::study::StudyArgs),
    Sweep(evolution::sweep::SweepArgs),
    Swarm(groups::SwarmArgs),
    Robot(groups::RobotArgs),
    Serve(groups::ServeArgs),
    Card(groups::CardArgs),
    Keys(files::keys::KeysArgs),
    Calibrate(records::calibrate::CalibrateArgs),
    Dev(groups::DevArgs),
    #[command(hide = true)]
    Start(swarm::start::StartArgs),
    /// Stop the wheels and end the run; print which robots stand and after what time.
    #[command(hide = true)]
    Stop(TargetArgs),
    /// Pause wheels and evolution; print which robots stand and after what time.
    #[command(hide = true)]
    Pause(TargetArgs),
    /// Continue after a pause; print which robots run again.
    #[command(hide = true)]
    Resume(TargetArgs),
    #[command(hide = true)]
    Status(swarm::status::StatusArgs),
}

/// Runs a command.
///
/// # Errors
/// The command fails.
pub fn run(command: &Command) -> Result<ExitCode> {
    match command {
        // Shells report this exit code for a program that Ctrl-C ended.
        Command::Demo(args) => Ok(if services::demo::run(args)? { ExitCode::SUCCESS } else { ExitCode::from(130) }),
        Command::Init(args) => files::init::run(args).ends(),
        Command::Check(args) => files::check::run(args).ends(),
        Command::Doctor(args) => swarm::doctor::run(args),
        Command::Tree(args) => groups::tree(args),
        Command::World(args) => analysis::world::run(args).ends(),
        Command::Simulate(args) => args.run(),
        Command::Evolve(args) => args.run(),
        Command::Runs(args) => groups::runs(args),
        Command::Study(args) => analysis::study::run(args).ends(),
        Command::Sweep(args) => evolution::sweep::run(args),
        Command::Swarm(args) => groups::swarm(args),
        Command::Robot(args) => groups::robot(args),
        Command::Serve(args) => groups::serve(args),
        Command::Card(args) => groups::card(args),
        Command::Keys(args) => files::keys::run(args).ends(),
        Command::Calibrate(args) => records::calibrate::run(args).ends(),
        Command::Dev(args) => groups::dev(args),
        Command::Start(args) => swarm::start::start(args).ends(),
        Command::Stop(args) => swarm::commands::stand(args, &Request::Stop, Order::Hold).ends(),
        Command::Pause(args) => swarm::commands::stand(args, &Request::Pause, Order::Pause).ends(),
        Command::Resume(args) => swarm::commands::stand(args, &Request::Resume, Order::Release).ends(),
        Command::Status(args) => swarm::status::run(args).ends(),
    }
}

//! The tree of commands, and what runs each.

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
use swarm::commands::StandArgs;
use xpuck_wire::message::{Order, Request};

/// Commands at the top. Those that are hidden are short for `xpuck swarm ...`: a STOP must be short.
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
    /// Stop the wheels and end the run; says who stands and after what time.
    #[command(hide = true)]
    Stop(StandArgs),
    /// Stand still, wheels and evolution; says who stands and after what time.
    #[command(hide = true)]
    Pause(StandArgs),
    /// Go on after a pause; says who runs again.
    #[command(hide = true)]
    Resume(StandArgs),
    #[command(hide = true)]
    Status(swarm::status::StatusArgs),
}

/// Runs a command.
///
/// # Errors
/// Those of the command.
pub fn run(command: &Command) -> Result<ExitCode> {
    match command {
        // As the shell counts a program that Ctrl-C ended.
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

//! `xpuck`: the operator's tool and the hub's services.

mod bench;
mod cli;

use anyhow::Result;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use cli::commands::{CommandArgs, StandArgs};
use cli::orders::OrderArgs;
use std::process::ExitCode;
use xpuck_wire::message::{Order, Request};
use xpuck_wire::{graphics, log, output, signals};

/// Xpuck: a swarm of e-puck robots that evolve their own readable controllers while they work.
#[derive(Parser)]
#[command(name = "xpuck", version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Demo(cli::demo::DemoArgs),
    Simulate(cli::simulate::SimulateArgs),
    Bench(cli::bench::BenchArgs),
    Engines(cli::engines::EnginesArgs),
    Evolve(cli::evolve::EvolveArgs),
    Lineage(cli::lineage::LineageArgs),
    Remeasure(cli::remeasure::RemeasureArgs),
    Report(cli::report::ReportArgs),
    Study(cli::study::StudyArgs),
    Sweep(cli::sweep::SweepArgs),
    Geneserver(cli::geneserver::GeneserverArgs),
    Serve(cli::serve::ServeArgs),
    DrawPath(cli::draw_path::DrawPathArgs),
    Watch(cli::watch::WatchArgs),
    Hub(cli::hub::HubArgs),
    Island(cli::island::IslandArgs),
    Arena(cli::arena::ArenaArgs),
    Console(cli::console::ConsoleArgs),
    Status(cli::status::StatusArgs),
    Robots(cli::operator::RobotsArgs),
    Log(cli::log::LogArgs),
    Top(cli::top::TopArgs),
    Note(cli::orders::NoteArgs),
    /// Have robots blink, so that somebody beside the arena finds them.
    Identify(OrderArgs),
    /// Have robots stand, whatever the others do, until they are released.
    Hold(OrderArgs),
    /// Let held robots do as the others do again.
    Release(OrderArgs),
    /// Stop robots' wheels and start their boards again.
    Reboot(OrderArgs),
    Enrol(cli::enrol::EnrolArgs),
    Replace(cli::enrol::ReplaceArgs),
    Drive(cli::drive::DriveArgs),
    Snapshot(cli::snapshot::SnapshotArgs),
    Push(cli::push::PushArgs),
    Update(cli::update::UpdateArgs),
    Doctor(cli::doctor::DoctorArgs),
    Start(cli::start::StartArgs),
    Park(cli::park::ParkArgs),
    Trials(cli::trials::TrialsArgs),
    /// Stand still, wheels and evolution; says who stands and after what time.
    ///
    /// Waits at most 3 s. Exit code 1 if a robot does not answer. With robots they alone pause, until `xpuck resume` lets them go.
    Pause(StandArgs),
    /// Go on after a pause; says who runs again.
    ///
    /// Waits at most 3 s. Exit code 1 if a robot does not answer. With robots, which were stopped or paused alone, they do as
    /// the others again.
    Resume(StandArgs),
    /// End the experiment's present phase: the next one begins, or the run is over.
    ///
    /// Waits at most 3 s for the robots. Exit code 1 if one does not answer.
    Next(CommandArgs),
    /// Stop the wheels and end the run; says who stands and after what time.
    ///
    /// Waits at most 3 s. Exit code 1 if a robot does not answer: its wheels stand 1 s after the hub's last word, but nobody
    /// has seen it. With robots they alone stop, until `xpuck resume` lets them go, and the run goes on.
    Stop(StandArgs),
    Init(cli::init::InitArgs),
    Keys(cli::keys::KeysArgs),
    Image(cli::image::ImageArgs),
    Flash(cli::flash::FlashArgs),
    Runs(cli::runs::RunsArgs),
    Check(cli::check::CheckArgs),
    Schema(cli::schema::SchemaArgs),
    Tree(cli::tree::TreeArgs),
    Automaton(cli::automaton::AutomatonArgs),
    Body(cli::body::BodyArgs),
    Kilobot(cli::kilobot::KilobotArgs),
    Calibrate(cli::calibrate::CalibrateArgs),
    World(cli::world::WorldArgs),
    Markers(cli::markers::MarkersArgs),
    FuzzSwarm(cli::fuzz_swarm::FuzzSwarmArgs),
    Completions(cli::manual::CompletionsArgs),
    Man(cli::manual::ManArgs),
}

fn main() -> ExitCode {
    graphics::without_desktop();
    signals::survive_large_files();
    log::begin(|| ());
    let code = run().unwrap_or_else(|error| {
        log::line(format_args!("xpuck: {}", cli::advice::sentence(&error)));
        ExitCode::FAILURE
    });
    log::flush();
    code
}

/// The command line's definition, with examples and the commands in groups.
fn program() -> clap::Command {
    numbers_below_zero(cli::help::grouped(cli::examples::with_examples(Cli::command())))
}

/// The command with options that take `-3` for a number, which is refused by its range, and not for an option.
fn numbers_below_zero(command: clap::Command) -> clap::Command {
    let takes = |arg: clap::Arg| match arg.get_action().takes_values() && !arg.is_positional() {
        true => arg.allow_negative_numbers(true),
        false => arg,
    };
    command.mut_args(takes).mut_subcommands(numbers_below_zero)
}

fn run() -> Result<ExitCode> {
    match program().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches)) {
        Ok(cli) => dispatch(&cli.command),
        Err(error) => {
            let error = cli::help::elsewhere(&program(), error);
            output::usage(error.print(), error.use_stderr(), error.exit_code()).map_err(Into::into)
        }
    }
}

fn dispatch(command: &Command) -> Result<ExitCode> {
    match command {
        // As the shell counts a program that Ctrl-C ended.
        Command::Demo(args) => return Ok(if cli::demo::run(args)? { ExitCode::SUCCESS } else { ExitCode::from(130) }),
        Command::FuzzSwarm(args) => return cli::fuzz_swarm::run(args),
        Command::Sweep(args) => return cli::sweep::run(args),
        Command::Simulate(args) => cli::simulate::run(args)?,
        Command::Bench(args) => cli::bench::run(args)?,
        Command::Engines(args) => cli::engines::run(args)?,
        Command::Evolve(args) => return cli::evolve::run(args),
        Command::Lineage(args) => cli::lineage::run(args)?,
        Command::Remeasure(args) => cli::remeasure::run(args)?,
        Command::Report(args) => cli::report::run(args)?,
        Command::Study(args) => cli::study::run(args)?,
        Command::Geneserver(args) => return cli::geneserver::run(args),
        Command::Serve(args) => cli::serve::run(args)?,
        Command::DrawPath(args) => cli::draw_path::run(args)?,
        Command::Watch(args) => cli::watch::run(args)?,
        Command::Island(args) => return cli::island::run(args),
        Command::Hub(args) => cli::hub::run(args)?,
        Command::Arena(args) => cli::arena::run(args)?,
        Command::Console(args) => cli::console::console(args)?,
        Command::Status(args) => cli::status::run(args)?,
        Command::Robots(args) => cli::operator::robots(args)?,
        Command::Log(args) => cli::log::run(args)?,
        Command::Top(args) => cli::top::run(args)?,
        Command::Note(args) => cli::orders::note(args)?,
        Command::Identify(args) => cli::orders::order(args, Order::Identify)?,
        Command::Hold(args) => cli::orders::order(args, Order::Hold)?,
        Command::Release(args) => cli::orders::order(args, Order::Release)?,
        Command::Reboot(args) => cli::orders::order(args, Order::Reboot)?,
        Command::Enrol(args) => cli::enrol::enrol(args)?,
        Command::Replace(args) => cli::enrol::replace(args)?,
        Command::Drive(args) => cli::drive::run(args)?,
        Command::Snapshot(args) => cli::snapshot::run(args)?,
        Command::Doctor(args) => return cli::doctor::run(args),
        Command::Push(args) => return cli::push::run(args),
        Command::Update(args) => return cli::update::run(args),
        Command::Start(args) => cli::start::start(args)?,
        Command::Park(args) => cli::park::run(args)?,
        Command::Trials(args) => cli::trials::run(args)?,
        Command::Pause(args) => cli::commands::stand(args, &Request::Pause, Order::Pause)?,
        Command::Resume(args) => cli::commands::stand(args, &Request::Resume, Order::Release)?,
        Command::Next(args) => cli::commands::command(args, &Request::Next)?,
        Command::Stop(args) => cli::commands::stand(args, &Request::Stop, Order::Hold)?,
        Command::Init(args) => cli::init::run(args)?,
        Command::Keys(args) => cli::keys::run(args)?,
        Command::Image(args) => cli::image::run(args)?,
        Command::Flash(args) => return cli::flash::run(args),
        Command::Runs(args) => cli::runs::run(args)?,
        Command::Check(args) => cli::check::run(args)?,
        Command::Schema(args) => cli::schema::run(args)?,
        Command::Tree(args) => cli::tree::run(args)?,
        Command::Automaton(args) => cli::automaton::run(args)?,
        Command::Body(args) => return cli::body::run(args),
        Command::Kilobot(args) => return cli::kilobot::run(args),
        Command::Calibrate(args) => cli::calibrate::run(args)?,
        Command::World(args) => cli::world::run(args)?,
        Command::Markers(args) => cli::markers::run(args)?,
        Command::Completions(args) => cli::manual::completions(args, program())?,
        Command::Man(args) => cli::manual::man(args, program())?,
    }
    Ok(ExitCode::SUCCESS)
}

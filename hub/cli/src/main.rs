//! `xpuck`: the operator's tool and the hub's services.

mod analysis;
mod arena;
mod boards;
mod engines;
mod evolution;
mod files;
mod guests;
mod help;
mod link;
mod records;
mod services;
mod swarm;
mod terminal;
mod trees;

use anyhow::Result;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use std::process::ExitCode;
use swarm::commands::{CommandArgs, StandArgs};
use swarm::orders::OrderArgs;
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
    Demo(services::demo::DemoArgs),
    Simulate(analysis::simulate::SimulateArgs),
    Bench(engines::bench::BenchArgs),
    Engines(engines::available::EnginesArgs),
    Evolve(evolution::evolve::EvolveArgs),
    Lineage(records::lineage::LineageArgs),
    Remeasure(evolution::remeasure::RemeasureArgs),
    Report(records::report::ReportArgs),
    Study(analysis::study::StudyArgs),
    Sweep(evolution::sweep::SweepArgs),
    Geneserver(services::geneserver::GeneserverArgs),
    #[cfg(feature = "gateway")]
    Serve(guests::gateway::serve::ServeArgs),
    #[cfg(feature = "gateway")]
    DrawPath(guests::gateway::draw_path::DrawPathArgs),
    #[cfg(feature = "gateway")]
    Watch(guests::gateway::watch::WatchArgs),
    Hub(services::hub::HubArgs),
    Island(services::island::IslandArgs),
    Arena(arena::ArenaArgs),
    Console(swarm::console::ConsoleArgs),
    Status(swarm::status::StatusArgs),
    Robots(swarm::operator::RobotsArgs),
    Log(swarm::log::LogArgs),
    Top(swarm::top::TopArgs),
    Note(swarm::orders::NoteArgs),
    /// Have robots blink, so that somebody beside the arena finds them.
    Identify(OrderArgs),
    /// Have robots stand, whatever the others do, until they are released.
    Hold(OrderArgs),
    /// Let held robots do as the others do again.
    Release(OrderArgs),
    /// Stop robots' wheels and start their boards again.
    Reboot(OrderArgs),
    Enrol(swarm::enrol::EnrolArgs),
    Replace(swarm::enrol::ReplaceArgs),
    Drive(swarm::drive::DriveArgs),
    Snapshot(swarm::snapshot::SnapshotArgs),
    Push(swarm::push::PushArgs),
    Update(swarm::update::UpdateArgs),
    Doctor(swarm::doctor::DoctorArgs),
    Start(swarm::start::StartArgs),
    Park(swarm::park::ParkArgs),
    Trials(swarm::trials::TrialsArgs),
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
    Init(files::init::InitArgs),
    Keys(files::keys::KeysArgs),
    Image(boards::image::ImageArgs),
    Flash(boards::flash::FlashArgs),
    Runs(records::runs::RunsArgs),
    Check(files::check::CheckArgs),
    Schema(files::schema::SchemaArgs),
    Tree(trees::tree::TreeArgs),
    #[cfg(feature = "automata")]
    Automaton(guests::automata::automaton::AutomatonArgs),
    #[cfg(feature = "bodies")]
    Body(guests::body::BodyArgs),
    #[cfg(feature = "kilobots")]
    Kilobot(guests::kilobot::KilobotArgs),
    Calibrate(records::calibrate::CalibrateArgs),
    World(analysis::world::WorldArgs),
    Markers(boards::markers::MarkersArgs),
    FuzzSwarm(services::fuzz_swarm::FuzzSwarmArgs),
    Completions(help::manual::CompletionsArgs),
    Man(help::manual::ManArgs),
}

fn main() -> ExitCode {
    graphics::without_desktop();
    signals::survive_large_files();
    log::begin(|| ());
    let code = run().unwrap_or_else(|error| {
        log::line(format_args!("xpuck: {}", files::advice::sentence(&error)));
        ExitCode::FAILURE
    });
    log::flush();
    code
}

/// The command line's definition, with examples and the commands in groups.
fn program() -> clap::Command {
    numbers_below_zero(help::grouped::grouped(help::examples::with_examples(Cli::command())))
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
            let error = help::grouped::in_plain_words(help::grouped::elsewhere(&program(), error));
            output::usage(error.print(), error.use_stderr(), error.exit_code()).map_err(Into::into)
        }
    }
}

fn dispatch(command: &Command) -> Result<ExitCode> {
    match command {
        // As the shell counts a program that Ctrl-C ended.
        Command::Demo(args) => {
            return Ok(if services::demo::run(args)? { ExitCode::SUCCESS } else { ExitCode::from(130) });
        }
        Command::FuzzSwarm(args) => return services::fuzz_swarm::run(args),
        Command::Sweep(args) => return evolution::sweep::run(args),
        Command::Simulate(args) => analysis::simulate::run(args)?,
        Command::Bench(args) => engines::bench::run(args)?,
        Command::Engines(args) => engines::available::run(args)?,
        Command::Evolve(args) => {
            #[cfg(feature = "automata")]
            if let Some(ended) = guests::automata::curriculum::evolve(args)? {
                return Ok(ended);
            }
            return evolution::evolve::run(args);
        }
        Command::Lineage(args) => records::lineage::run(args)?,
        Command::Remeasure(args) => evolution::remeasure::run(args)?,
        Command::Report(args) => records::report::run(args)?,
        Command::Study(args) => analysis::study::run(args)?,
        Command::Geneserver(args) => return services::geneserver::run(args),
        #[cfg(feature = "gateway")]
        Command::Serve(args) => guests::gateway::serve::run(args)?,
        #[cfg(feature = "gateway")]
        Command::DrawPath(args) => guests::gateway::draw_path::run(args)?,
        #[cfg(feature = "gateway")]
        Command::Watch(args) => guests::gateway::watch::run(args)?,
        Command::Island(args) => return services::island::run(args),
        Command::Hub(args) => services::hub::run(args)?,
        Command::Arena(args) => arena::run(args)?,
        Command::Console(args) => swarm::console::console(args)?,
        Command::Status(args) => swarm::status::run(args)?,
        Command::Robots(args) => swarm::operator::robots(args)?,
        Command::Log(args) => swarm::log::run(args)?,
        Command::Top(args) => swarm::top::run(args)?,
        Command::Note(args) => swarm::orders::note(args)?,
        Command::Identify(args) => swarm::orders::order(args, Order::Identify)?,
        Command::Hold(args) => swarm::orders::order(args, Order::Hold)?,
        Command::Release(args) => swarm::orders::order(args, Order::Release)?,
        Command::Reboot(args) => swarm::orders::order(args, Order::Reboot)?,
        Command::Enrol(args) => swarm::enrol::enrol(args)?,
        Command::Replace(args) => swarm::enrol::replace(args)?,
        Command::Drive(args) => swarm::drive::run(args)?,
        Command::Snapshot(args) => swarm::snapshot::run(args)?,
        Command::Doctor(args) => return swarm::doctor::run(args),
        Command::Push(args) => return swarm::push::run(args),
        Command::Update(args) => return swarm::update::run(args),
        Command::Start(args) => swarm::start::start(args)?,
        Command::Park(args) => swarm::park::run(args)?,
        Command::Trials(args) => swarm::trials::run(args)?,
        Command::Pause(args) => swarm::commands::stand(args, &Request::Pause, Order::Pause)?,
        Command::Resume(args) => swarm::commands::stand(args, &Request::Resume, Order::Release)?,
        Command::Next(args) => swarm::commands::command(args, &Request::Next)?,
        Command::Stop(args) => swarm::commands::stand(args, &Request::Stop, Order::Hold)?,
        Command::Init(args) => files::init::run(args)?,
        Command::Keys(args) => files::keys::run(args)?,
        Command::Image(args) => boards::image::run(args)?,
        Command::Flash(args) => return boards::flash::run(args),
        Command::Runs(args) => records::runs::run(args)?,
        Command::Check(args) => files::check::run(args)?,
        Command::Schema(args) => files::schema::run(args)?,
        Command::Tree(args) => trees::tree::run(args)?,
        #[cfg(feature = "automata")]
        Command::Automaton(args) => guests::automata::automaton::run(args)?,
        #[cfg(feature = "bodies")]
        Command::Body(args) => return guests::body::run(args),
        #[cfg(feature = "kilobots")]
        Command::Kilobot(args) => return guests::kilobot::run(args),
        Command::Calibrate(args) => records::calibrate::run(args)?,
        Command::World(args) => analysis::world::run(args)?,
        Command::Markers(args) => boards::markers::run(args)?,
        Command::Completions(args) => help::manual::completions(args, program())?,
        Command::Man(args) => help::manual::man(args, program())?,
    }
    Ok(ExitCode::SUCCESS)
}

//! `xpuck kilobot`: Kilobots that evolve to forage, and what goes onto real ones.

mod evolve;
mod simulate;

use anyhow::Result;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Evolve trees for Kilobots that forage, and let Kilobots run a tree.
///
/// The thesis's chapter 4: robots with two motors and no sense of direction leave a nest, find food, and bring it home.
/// docs/kilobots.md tells the whole of it; docs/nodes.md has a Kilobot's nodes and blackboard.
#[derive(Args)]
pub struct KilobotArgs {
    #[command(subcommand)]
    command: KilobotCommand,
}

#[derive(Subcommand)]
enum KilobotCommand {
    Evolve(evolve::EvolveArgs),
    Simulate(simulate::SimulateArgs),
}

/// Runs the command.
///
/// # Errors
/// A file is wrong, or cannot be written.
pub fn run(args: &KilobotArgs) -> Result<ExitCode> {
    match &args.command {
        KilobotCommand::Evolve(args) => evolve::run(args),
        KilobotCommand::Simulate(args) => simulate::run(args).map(|()| ExitCode::SUCCESS),
    }
}

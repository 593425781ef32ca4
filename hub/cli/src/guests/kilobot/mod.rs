//! `xpuck kilobot`: Kilobots that evolve to forage, and what goes onto real ones.

mod evolve;
mod firmware;
mod hex;
mod simulate;

use anyhow::Result;
use clap::{Args, Subcommand};
use std::process::ExitCode;

/// Evolve trees for Kilobots that forage, let Kilobots run a tree, and build it into their program.
///
/// The thesis's chapter 4: robots with two motors and no sense of direction leave a nest, find food, and bring it home.
/// docs/kilobots.md tells the whole of it; docs/nodes.md has a Kilobot's nodes and blackboard. `xpuck tree convert --to
/// kilobot` writes a tree as a table in C.
#[derive(Args)]
pub struct KilobotArgs {
    #[command(subcommand)]
    command: KilobotCommand,
}

#[derive(Subcommand)]
enum KilobotCommand {
    Evolve(evolve::EvolveArgs),
    Simulate(simulate::SimulateArgs),
    Hex(hex::HexArgs),
}

/// Runs the command.
///
/// # Errors
/// A file is wrong or cannot be written, or a tool is missing.
pub fn run(args: &KilobotArgs) -> Result<ExitCode> {
    match &args.command {
        KilobotCommand::Evolve(args) => return evolve::run(args),
        KilobotCommand::Simulate(args) => simulate::run(args)?,
        KilobotCommand::Hex(args) => hex::run(args)?,
    }
    Ok(ExitCode::SUCCESS)
}

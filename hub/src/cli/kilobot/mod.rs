//! `xpuck kilobot`: trees of the thesis's first robot.

mod firmware;
mod hex;

use anyhow::Result;
use clap::{Args, Subcommand};

/// Build the program of a Kilobot that runs a tree.
///
/// docs/kilobots.md tells of the robot, its world and its trees. `xpuck tree convert --to kilobot` writes a tree as a table
/// in C.
#[derive(Args)]
pub struct KilobotArgs {
    #[command(subcommand)]
    command: KilobotCommand,
}

#[derive(Subcommand)]
enum KilobotCommand {
    Hex(hex::HexArgs),
}

/// Runs the command.
///
/// # Errors
/// A file is wrong or cannot be written, or a tool is missing.
pub fn run(args: &KilobotArgs) -> Result<()> {
    match &args.command {
        KilobotCommand::Hex(args) => hex::run(args),
    }
}

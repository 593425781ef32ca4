//! `xpuck kilobot`: Kilobots that evolve to forage, and what goes onto real ones.

mod evolve;
mod firmware;
mod hex;
mod simulate;

use anyhow::Result;
use clap::{Args, Subcommand};
use std::path::Path;
use std::process::ExitCode;
use xpuck_hub_kilobots::Config;
use xpuck_kernels::tree::Tree;
use xpuck_kilobots::{Program, TREE_BYTES};
use xpuck_lab::schemas::FileKind;

/// The file of an experiment.
pub const KIND: FileKind = FileKind::of::<Config>("kilobots", "Kilobots that evolve to forage");

/// Checks the file of an experiment, and describes it in a line.
///
/// # Errors
/// It is wrong.
pub fn check(path: &Path) -> Result<String> {
    let config = Config::load(Some(path), toml::Table::new())?;
    Ok(format!("an experiment with {} Kilobots, {} runs of each algorithm", config.world.robots, config.runs))
}

/// Describes a Kilobot's tree in a line.
///
/// # Errors
/// It does not fit a Kilobot.
pub fn check_tree(tree: &Tree) -> Result<String> {
    let (nodes, usage) = (tree.nodes().len(), Program::compile(tree)?.usage());
    Ok(format!("a Kilobot's tree of {nodes} nodes, {} of {TREE_BYTES} bytes", usage.tree))
}

/// The table in C of a Kilobot's tree.
///
/// # Errors
/// It does not fit a Kilobot.
pub fn table(tree: &Tree) -> Result<String> {
    Ok(Program::compile(tree)?.to_c())
}

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

//! `xpuck world`: world files.

use crate::analysis::world_cost::{self, CostArgs};
use crate::analysis::world_elsewhere::{ExportArgs, export};
use crate::analysis::world_explain::{ExplainArgs, explain};
use crate::analysis::world_import::{ImportArgs, import};
use crate::analysis::world_new::{NewArgs, new};
use anyhow::Result;
use clap::{Args, Subcommand};

/// Worlds for the simulator: arenas, walls, discs, starts and tasks as TOML files (docs/worlds.md).
#[derive(Args)]
pub struct WorldArgs {
    #[command(subcommand)]
    command: WorldCommand,
}

#[derive(Subcommand)]
enum WorldCommand {
    New(NewArgs),
    Cost(CostArgs),
    Explain(ExplainArgs),
    Export(ExportArgs),
    Import(ImportArgs),
}

/// Runs `xpuck world`.
///
/// # Errors
/// A file is invalid or cannot be written.
pub fn run(args: &WorldArgs) -> Result<()> {
    match &args.command {
        WorldCommand::New(args) => new(args),
        WorldCommand::Cost(args) => world_cost::run(args),
        WorldCommand::Explain(args) => explain(args),
        WorldCommand::Export(args) => export(args),
        WorldCommand::Import(args) => import(args),
    }
}

//! `xpuck serve`: programs of other makers are served, in the protocols that they speak.

mod monitors;
mod world_sim;

use anyhow::Result;
use clap::{Args, Subcommand};

/// Serve programs of other makers in protocols that they speak.
#[derive(Args)]
pub struct ServeArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    Monitors(monitors::MonitorsArgs),
    WorldSim(world_sim::WorldSimArgs),
}

/// Runs the command.
pub fn run(args: &ServeArgs) -> Result<()> {
    match &args.what {
        What::Monitors(args) => monitors::run(args),
        What::WorldSim(args) => world_sim::run(args),
    }
}

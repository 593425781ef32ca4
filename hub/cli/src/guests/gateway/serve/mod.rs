//! `xpuck serve`: programs of other makers are served, in the protocols that they speak.

mod evolution_files;
pub mod individual_tree;
pub mod monitors;
mod own_engine;
mod population_manager;
mod robot_sim;
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
    PopulationManager(population_manager::PopulationManagerArgs),
    RobotSim(robot_sim::RobotSimArgs),
    WorldSim(world_sim::WorldSimArgs),
}

/// Runs the command.
pub fn run(args: &ServeArgs) -> Result<()> {
    match &args.what {
        What::PopulationManager(args) => population_manager::run(args),
        What::RobotSim(args) => robot_sim::run(args),
        What::Monitors(args) => monitors::run(args),
        What::WorldSim(args) => world_sim::run(args),
    }
}

//! `xpuck`: the operator's tool and the hub's services.

mod cli;

use clap::{Parser, Subcommand};
use std::process::ExitCode;

/// Xpuck: a swarm of e-puck robots that evolve their own readable controllers while they work.
#[derive(Parser)]
#[command(version, propagate_version = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Simulate(cli::simulate::SimulateArgs),
    Evolve(cli::evolve::EvolveArgs),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Simulate(args) => cli::simulate::run(&args),
        Command::Evolve(args) => cli::evolve::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xpuck: {error:#}");
            ExitCode::FAILURE
        }
    }
}

//! `xpuckd`: the program on a robot.

use clap::{Parser, Subcommand};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use xpuck_robot::bench::{self, Bench};
use xpuck_robot::config::Config;
use xpuck_robot::daemon;

/// Drive one robot: read its senses, run its behaviour tree ten times a second, evolve better trees on spare cores,
/// and talk to the hub. The wheels stop when the hub falls silent, on SIGTERM and on any panic.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Args {
    #[command(subcommand)]
    other: Option<Other>,
    /// The robot's file, like robots/xp01.toml.
    #[arg(long, required = true)]
    config: Option<PathBuf>,
    /// Only check the configuration, and say what it means.
    #[arg(long)]
    check: bool,
    /// End when standard input is closed, so that no robot outlives the program that started it.
    #[arg(long)]
    lifeline: bool,
}

/// What else the program does.
#[derive(Subcommand)]
enum Other {
    /// Measure the robot's devices.
    Bench {
        #[command(subcommand)]
        bench: Bench,
    },
}

fn main() -> ExitCode {
    // A panic in any thread ends the process; the e-puck then stops its wheels by itself for want of commands.
    let report = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        report(info);
        std::process::abort();
    }));
    match start(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xpuckd: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn start(args: &Args) -> anyhow::Result<()> {
    if let Some(Other::Bench { bench }) = &args.other {
        return Ok(bench::run(bench)?);
    }
    let path = args.config.as_deref().expect("clap asks for it");
    let config = Config::read(path)?;
    if args.check {
        println!(
            "{}: robot {} is island {} of {}",
            path.display(),
            config.robot.id,
            config.island,
            config.swarm.robots.len()
        );
        return Ok(());
    }
    let stop = Arc::new(AtomicBool::new(false));
    signal_hook::flag::register(SIGTERM, stop.clone())?;
    signal_hook::flag::register(SIGINT, stop.clone())?;
    if args.lifeline {
        let stop = stop.clone();
        std::thread::spawn(move || {
            // Ends with the pipe; what comes through it does not matter.
            let mut sink = [0u8; 64];
            while matches!(std::io::stdin().read(&mut sink), Ok(n) if n > 0) {}
            stop.store(true, Ordering::Relaxed);
        });
    }
    daemon::run(&config, &stop)?;
    Ok(())
}

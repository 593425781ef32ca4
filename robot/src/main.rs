//! `xpuckd`: the program on a robot.

use clap::{Parser, Subcommand};
use signal_hook::consts::{SIGINT, SIGTERM};
use std::io::Read;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use xpuck_robot::calibrate::{self, Subject, Terminal};
use xpuck_robot::config::Config;
use xpuck_robot::daemon;

/// Drive one robot: read its senses, run its behaviour tree ten times a second, evolve better trees on spare cores,
/// and talk to the hub. The wheels stop when the hub falls silent, on SIGTERM and on any panic.
#[derive(Parser)]
#[command(version)]
struct Args {
    #[command(subcommand)]
    command: Option<Command>,
    /// The robot's file, like robots/xp01.toml.
    #[arg(long, global = true)]
    config: Option<PathBuf>,
    /// Only check the configuration, and say what it means.
    #[arg(long)]
    check: bool,
    /// End when standard input is closed, so that no robot outlives the program that started it.
    #[arg(long)]
    lifeline: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Measure what is particular to this robot, and write it into its file. The robot's program must not be running.
    Calibrate {
        #[command(subcommand)]
        subject: Subject,
        /// Take what is to be prepared as done; measured numbers are still asked for.
        #[arg(long)]
        yes: bool,
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
    let Some(path) = &args.config else { anyhow::bail!("which robot? Name its file with --config") };
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
    for signal in [SIGTERM, SIGINT] {
        // The second one ends at once, for whoever waits at a question.
        signal_hook::flag::register_conditional_shutdown(signal, 1, stop.clone())?;
        signal_hook::flag::register(signal, stop.clone())?;
    }
    if args.lifeline {
        let stop = stop.clone();
        std::thread::spawn(move || {
            // Ends with the pipe; what comes through it does not matter.
            let mut sink = [0u8; 64];
            while matches!(std::io::stdin().read(&mut sink), Ok(n) if n > 0) {}
            stop.store(true, Ordering::Relaxed);
        });
    }
    match &args.command {
        Some(Command::Calibrate { subject, yes }) => {
            let mut operator = Terminal::new(std::io::stdin().lock(), std::io::stdout(), *yes);
            calibrate::run(path, &config.robot, subject, &mut operator, &stop)?;
        }
        None => daemon::run(&config, &stop)?,
    }
    Ok(())
}

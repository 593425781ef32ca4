//! `xpuckd`: the robot's program.

use anyhow::Context;
use clap::{Args, CommandFactory, Parser, Subcommand};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::ExitCode;
use xpuck_robot::board::{power, wifi};
use xpuck_robot::checks::bench::{self, Bench};
use xpuck_robot::checks::calibrate::{self, Subject, Terminal};
use xpuck_robot::checks::selftest;
use xpuck_robot::config::{Config, RobotFile};
use xpuck_robot::daemon::{self, ExitReason};
use xpuck_robot::device::guard;
use xpuck_robot::update::slots;
#[cfg(feature = "apriltag")]
use xpuck_robot::vision::tags;
use xpuck_wire::shutdown::{ShutdownTriggers, service_flag};
use xpuck_wire::{graphics, log, output, signals};

/// Drive one robot: read its senses, tick its behaviour tree ten times a second, evolve better trees on spare cores,
/// and communicate with the hub. The wheels stop if the hub stops sending, on SIGTERM and on any panic.
#[derive(Parser)]
#[command(name = "xpuckd", version, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    drive: Option<DriveArgs>,
}

#[derive(Args)]
struct DriveArgs {
    /// Robot file, such as robots/xp01.toml.
    #[arg(long)]
    config: PathBuf,
    /// Only check the configuration and the adapter that it names, and print a summary.
    #[arg(long)]
    check: bool,
    /// End when standard input is closed, so that the robot does not outlive the program that started it.
    #[arg(long, alias = "lifeline")]
    end_with_stdin: bool,
}

#[derive(Subcommand)]
enum Command {
    Selftest(selftest::SelftestArgs),
    Calibrate(CalibrateArgs),
    /// Measure the robot's devices, and the operating point of its board.
    Bench {
        #[command(subcommand)]
        bench: Bench,
    },
    #[cfg(feature = "apriltag")]
    Tags(tags::TagsArgs),
    Slots(slots::SlotsArgs),
    Power(power::PowerArgs),
    Wifi(wifi::WifiArgs),
    /// Print the JSON Schema of the robot file, for completion and validation in editors.
    Schema,
    /// Print a shell completion script for commands and options.
    Completions {
        /// Shell for which the script is printed.
        shell: clap_complete::Shell,
    },
    /// Write manual pages, one per command.
    Man {
        /// Folder for the pages; it is created if it does not exist.
        #[arg(value_name = "DIR")]
        directory: PathBuf,
    },
    /// Stop the wheels of a robot without a watchdog if no data arrives on standard input.
    #[command(hide = true)]
    Guard(GuardArgs),
}

/// Measure this robot's calibration, and write it to the robot's file. The robot's program must not be running.
#[derive(Args)]
struct CalibrateArgs {
    /// Robot file, such as robots/xp01.toml.
    #[arg(long, global = true)]
    config: Option<PathBuf>,
    #[command(subcommand)]
    subject: Subject,
    /// Skip confirmations of preparations; measured numbers are still asked for.
    #[arg(long, global = true)]
    yes: bool,
}

#[derive(Args)]
struct GuardArgs {
    /// Kind of robot.
    #[arg(long)]
    body: guard::Kind,
    /// I2C bus of the robot.
    #[arg(long)]
    i2c: PathBuf,
}

fn main() -> ExitCode {
    graphics::hide_desktop_session();
    signals::survive_large_files();
    // A panic in any thread ends the process. The e-puck then stops its wheels after its own timeout.
    log::start(|| std::process::abort());
    let code = run().unwrap_or_else(|error| {
        log::write_raw(format_args!("xpuckd: {}", output::error_chain(error.as_ref())));
        ExitCode::FAILURE
    });
    log::flush();
    code
}

fn run() -> anyhow::Result<ExitCode> {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return Ok(output::usage(error.print(), error.use_stderr(), error.exit_code())?),
    };
    match (&cli.command, &cli.drive) {
        (Some(Command::Selftest(args)), _) => {
            return Ok(if selftest::run(args)? { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        (Some(Command::Calibrate(args)), _) => calibrate(args)?,
        (Some(Command::Bench { bench }), _) => bench::run(bench)?,
        #[cfg(feature = "apriltag")]
        (Some(Command::Tags(args)), _) => tags::run(args)?,
        (Some(Command::Slots(args)), _) => {
            return Ok(if slots::run(args)? { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        (Some(Command::Power(args)), _) => power::run(args)?,
        (Some(Command::Wifi(args)), _) => wifi::run(args)?,
        (Some(Command::Schema), _) => {
            output::line(serde_json::to_string_pretty(&xpuck_wire::schema::file_schema::<RobotFile>())?)?;
        }
        (Some(Command::Completions { shell }), _) => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "xpuckd", &mut script);
            output::bytes(&script)?;
        }
        (Some(Command::Man { directory }), _) => {
            let pages = std::fs::create_dir_all(directory);
            let pages = pages.and_then(|()| clap_mangen::generate_to(Cli::command(), directory));
            pages.with_context(|| directory.display().to_string())?;
        }
        (Some(Command::Guard(args)), _) => guard::run(args.body, &args.i2c)?,
        (None, Some(args)) => drive(args)?,
        (None, None) => unreachable!("clap asks for --config without a subcommand"),
    }
    Ok(ExitCode::SUCCESS)
}

fn drive(args: &DriveArgs) -> anyhow::Result<()> {
    let config = Config::read(&args.config)?;
    if args.check {
        daemon::check_adapter(&config)?;
        output::line(format_args!(
            "{}: robot {} is island {} of {}",
            args.config.display(),
            config.robot.id,
            config.island,
            config.swarm.robots.len()
        ))?;
        return Ok(());
    }
    let stop = service_flag(ShutdownTriggers { with_stdin: args.end_with_stdin, at_second_signal: true })?;
    match daemon::run(&config, &stop)? {
        ExitReason::Stopped => Ok(()),
        ExitReason::Reboot => start_again(&config.robot.control.reboot),
    }
}

/// Restarts the board with the command in the robot's file. If the command is empty, restarts this program.
fn start_again(command: &[String]) -> anyhow::Result<()> {
    log::flush();
    let Some((program, arguments)) = command.split_first() else {
        let program = std::env::current_exe().context("cannot find this program to restart it")?;
        let error = std::process::Command::new(program).args(std::env::args_os().skip(1)).exec();
        return Err(error).context("cannot restart this program");
    };
    let status = std::process::Command::new(program).args(arguments).status();
    let status = status.with_context(|| format!("control.reboot: {program}"))?;
    anyhow::ensure!(status.success(), "control.reboot: {program}: {status}");
    Ok(())
}

fn calibrate(args: &CalibrateArgs) -> anyhow::Result<()> {
    let Some(path) = &args.config else { anyhow::bail!("--config is missing; specify the robot's file") };
    let config = Config::read(path)?;
    let stop = service_flag(ShutdownTriggers { with_stdin: false, at_second_signal: true })?;
    let mut operator = Terminal::new(std::io::stdin().lock(), output::Standard, args.yes);
    calibrate::run(path, &config.robot, &args.subject, &mut operator, &stop)?;
    Ok(())
}

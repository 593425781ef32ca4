//! `xpuck robot push`: sends settings through the hub to robots, which write them to their files.

use crate::link::hub_address::{HubAddress, ask};
use crate::swarm::orders::check_names;
use crate::terminal::print_json;
use anyhow::{Result, bail};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use xpuck_wire::PushRow;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::settings::Answer;
use xpuck_wire::{file, output};

/// Maximum wait for the robots' answers. It is slightly longer than the time for which the hub retries.
const NOTICE_DELAY: Duration = Duration::from_secs(4);
/// Interval between two requests for the answers.
const EVERY: Duration = Duration::from_millis(100);

/// Send settings to robots. Each robot writes the settings to its own file, and keeps the previous file as `.old`.
///
/// The settings file has sections of a robot's file: `[calibration]`, `[control]` or `[evolution]`. Settings cannot
/// be sent during a run. Exit code 1 if a robot refuses or is silent.
#[derive(Args)]
pub struct PushArgs {
    /// Settings file (TOML).
    file: PathBuf,
    /// Ids of the robots, separated by commas, or `all`.
    #[arg(long, value_delimiter = ',', required = true)]
    robots: Vec<String>,
    /// Print the answers of the robots as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    address: HubAddress,
}

/// Runs the command.
pub fn run(args: &PushArgs) -> Result<ExitCode> {
    check_names(&args.robots)?;
    let text = file::text(&args.file, file::MAX_TOML)?;
    let robots = if args.robots == ["all"] { Vec::new() } else { args.robots.clone() };
    if let Reply::Refused(why) = ask(&args.address, &Request::Push { text, robots })? {
        bail!("refused: {why}");
    }
    let until = Instant::now() + NOTICE_DELAY;
    let rows = loop {
        let Reply::Pushed(rows) = ask(&args.address, &Request::Pushed)? else {
            bail!("unexpected answer from the hub");
        };
        if Instant::now() >= until || rows.iter().all(|row| row.answer.is_some()) {
            break rows;
        }
        std::thread::sleep(EVERY);
    };
    if args.json {
        print_json(&rows)?;
    } else {
        rows.iter().try_for_each(|row| output::line(format_args!("{:<8} {}", row.robot, words(row))))?;
    }
    let accepted = |row: &PushRow| row.answer.as_ref().is_some_and(|answer| answer.answer == Answer::Accepted);
    Ok(if rows.iter().all(accepted) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn words(row: &PushRow) -> String {
    let Some(answer) = &row.answer else { return "silent".into() };
    if let Some(why) = answer.answer.refusal() {
        return format!("refused: {why}");
    }
    let parts =
        [("now", &answer.now), ("next experiment", &answer.next_experiment), ("next start", &answer.next_start)];
    let parts = parts.iter().filter(|(_, keys)| !keys.is_empty());
    let parts: Vec<String> = parts.map(|(when, keys)| format!("{when}: {}", keys.join(", "))).collect();
    if parts.is_empty() { "accepted; nothing changed".into() } else { format!("accepted; {}", parts.join("; ")) }
}

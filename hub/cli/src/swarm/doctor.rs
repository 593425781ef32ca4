//! `xpuck doctor`: checks whether the guarantees of the fleet hold.

use crate::terminal::print_json;
use anyhow::Result;
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use xpuck_hub_service::doctor::{self, Verdict};
use xpuck_wire::output;

/// Check each guarantee of the fleet, and print `on`, `off` or `BROKEN` with evidence and a remedy. Nothing is
/// changed.
///
/// The command queries the hub if it runs, and checks the hub's files and this machine. Exit code 1 if a guarantee is
/// broken.
#[derive(Args)]
pub struct DoctorArgs {
    /// Configuration file of the hub (TOML).
    #[arg(long, default_value = "hub.toml")]
    config: PathBuf,
    /// Operator's or observer's key for queries to the hub, usually the file `operator` in the key folder.
    #[arg(long, value_name = "FILE", env = "XPUCK_KEY")]
    key: Option<PathBuf>,
    /// Print the findings as JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &DoctorArgs) -> Result<ExitCode> {
    let findings = doctor::examine(&args.config, args.key.as_deref())?;
    if args.json {
        print_json(&findings)?;
    } else {
        let colours = output::has_colours();
        for finding in &findings {
            let (word, colour) = match finding.verdict {
                Verdict::On => ("on", 32),
                Verdict::Off => ("off", 33),
                Verdict::Broken => ("BROKEN", 31),
            };
            let (begin, end) = if colours { (format!("\x1b[{colour}m"), "\x1b[0m") } else { (String::new(), "") };
            let remedy = if finding.remedy.is_empty() { String::new() } else { format!("; {}", finding.remedy) };
            output::line(format_args!("{begin}{word:<7}{end} {}: {}{remedy}", finding.promise, finding.evidence))?;
        }
    }
    let broken = findings.iter().any(|finding| finding.verdict == Verdict::Broken);
    Ok(if broken { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

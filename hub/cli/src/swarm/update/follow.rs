//! Waits for the end of an update, and prints the state of the update.

use super::report;
use crate::terminal::print_json;
use anyhow::{Context, Result};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use xpuck_wire::rollout::{UpdateReport, UpdateRow};
use xpuck_wire::socket::OperatorLink;
use xpuck_wire::{escape, output};

/// Interval between two requests for the state of the update.
const EVERY: Duration = Duration::from_millis(200);
/// Maximum duration of a silence of the hub. Shorter silences are ignored, because the hub may restart during the
/// update.
const HUB_SILENCE_LIMIT: Duration = Duration::from_secs(30);

/// Waits until the update is finished, and prints changes meanwhile. Returns the final state.
pub fn follow(link: &OperatorLink) -> Result<UpdateReport> {
    let mut said: BTreeMap<String, String> = BTreeMap::new();
    let mut heard = Instant::now();
    loop {
        match report(link) {
            Ok(report) => {
                heard = Instant::now();
                let report = report.context("the hub no longer has the update")?;
                for row in report.rows.iter().filter(|row| row.stand != "waiting" && row.stand != "offered") {
                    if said.insert(row.robot.clone(), row.stand.clone()).as_ref() != Some(&row.stand) && !report.done {
                        output::print_error(format_args!("xpuck: {}: {}", escape(&row.robot), words(row, &report)));
                    }
                }
                if report.done {
                    return Ok(report);
                }
            }
            Err(error) if heard.elapsed() > HUB_SILENCE_LIMIT => return Err(error),
            Err(_) => {}
        }
        std::thread::sleep(EVERY);
    }
}

/// Prints the state of an update, one line for each robot and a summary.
pub fn print(report: &UpdateReport, json: bool) -> Result<()> {
    if json {
        return print_json(report);
    }
    for row in &report.rows {
        let version = if row.version.is_empty() { "-".into() } else { escape(&row.version) };
        output::line(format_args!("{:<8} {version:<12} {}", escape(&row.robot), words(row, report)))?;
    }
    let good = report.rows.iter().filter(|row| row.stand == "good").count();
    let of = format!("{good} of {} robots run {}", report.rows.len(), escape(&report.version));
    let end = match (report.done, report.stopped.is_empty()) {
        (_, false) => format!("{of}; stopped: {}", escape(&report.stopped)),
        (true, true) => of,
        (false, true) => format!("{of} so far"),
    };
    Ok(output::line(end)?)
}

fn words(row: &UpdateRow, report: &UpdateReport) -> String {
    let version = escape(&report.version);
    let why = escape(&row.why);
    match row.stand.as_str() {
        "waiting" => "waits for its turn".into(),
        "offered" => format!("is offered {version}"),
        "loading" => format!("loads {version}: {} of {} bytes", row.received, report.size),
        "trial" => format!("installs and tries {version}"),
        "good" => format!("runs {version}"),
        "reverted" => format!("reverted from {version}: {why}"),
        "refused" => format!("refuses {version}: {why}"),
        _ => format!("not updated: {why}"),
    }
}

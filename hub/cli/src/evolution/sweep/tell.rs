//! Report at the end of a sweep command, and output of `xpuck sweep list`.

use crate::files::tree_file::print;
use crate::terminal::print_json;
use anyhow::{Result, bail};
use schemars::JsonSchema;
use serde::Serialize;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use xpuck_lab::sweep::best::{self, Best};
use xpuck_lab::sweep::collect::Collected;
use xpuck_lab::sweep::ending::Ending;
use xpuck_lab::sweep::evolution::{Run, State};
use xpuck_lab::sweep::missing::Missing;
use xpuck_lab::sweep::printed::Compared;
use xpuck_lab::sweep::summary::{Row, explanation, markdown};
use xpuck_lab::sweep::{Sweep, folder};
use xpuck_wire::log;
use xpuck_wire::output::count;
use xpuck_wire::shutdown::TRY_AGAIN;

/// Maximum number of missing runs that a report lists.
const NAMED: usize = 10;

#[derive(Serialize, JsonSchema)]
pub struct Output<'a> {
    name: &'a str,
    folder: &'a Path,
    runs: usize,
    done: usize,
    failed: Vec<Failure<'a>>,
    /// Missing runs; only in the output of `xpuck sweep collect`.
    #[serde(skip_serializing_if = "Option::is_none")]
    missing: Option<Vec<Missing>>,
    stopped: bool,
    wall_s: f64,
    settings: Vec<Row>,
    /// Best run of each setting. File paths are relative to the folder of the sweep.
    best: Vec<Best>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    printed: Vec<Compared>,
    /// Warnings about results that are not comparable.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Failure<'a> {
    run: &'a str,
    error: &'a str,
}

#[derive(Serialize, JsonSchema)]
pub struct Listed<'a> {
    point: usize,
    label: &'a str,
    seeds: usize,
    done: usize,
}

/// Outcome of a sweep command.
pub struct Happened<'a> {
    /// Runs that the command selected.
    pub runs: &'a [Run],
    /// Endings of the runs, in the order of `runs`; empty if the command executes no runs.
    pub endings: &'a [Ending],
    /// Missing runs; `None` if the command does not list them.
    pub missing: Option<Vec<Missing>>,
    /// Collected results of all runs; `None` if the command does not collect them.
    pub collected: Option<Collected>,
    /// Time at which the command started.
    pub started: Instant,
}

/// Prints the report of a command, and returns its exit code.
///
/// # Errors
/// A run failed.
pub fn print_report(json: bool, name: &str, path: &Path, happened: Happened<'_>) -> Result<ExitCode> {
    let Happened { runs, endings, missing, collected, started } = happened;
    let failed = || {
        runs.iter().zip(endings).filter_map(|(run, ending)| match ending {
            Ending::Failed(error) | Ending::Killed(error) => Some(Failure { run: &run.name, error }),
            _ => None,
        })
    };
    let done = match &missing {
        Some(missing) => runs.len() - missing.len(),
        None => endings.iter().filter(|ending| **ending == Ending::Done).count(),
    };
    let stopped = endings.iter().any(|ending| matches!(ending, Ending::Stopped | Ending::Killed(_)));
    let of = count(runs.len(), "run", "runs");
    if let Some(missing) = missing.as_ref().filter(|missing| !missing.is_empty()) {
        for Missing { run, why } in missing.iter().take(NAMED) {
            log::write_raw(format_args!("xpuck: {run} is missing: {why}"));
        }
        let more = missing.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(", {more} of them not listed here") } else { String::new() };
        log::write_raw(format_args!(
            "xpuck: {} of {of} missing{more}; run them with `xpuck sweep run`, or submit them with `xpuck sweep slurm`",
            missing.len()
        ));
    }
    let unfinished = stopped || missing.as_ref().is_some_and(|missing| !missing.is_empty());
    if json {
        let (runs, wall_s) = (runs.len(), started.elapsed().as_secs_f64());
        let failed = failed().collect();
        let Collected { settings, best, printed, notes } = collected.unwrap_or_default();
        let output =
            Output { name, folder: path, runs, done, failed, missing, stopped, wall_s, settings, best, printed, notes };
        print_json(&output)?;
    } else if let Some(collected) = collected.filter(|_| done > 0) {
        let files = "results.csv, results.parquet, generations.csv, generations.parquet, curves.svg, curves.html";
        let map = if path.join("heatmap.svg").is_file() { ", heatmap.svg" } else { "" };
        let tables = collected.tables();
        let (best, meaning) = (best::markdown(&collected.best, path), explanation(&tables));
        let partial = if unfinished { format!("Results of {done} of {of} so far.\n\n") } else { String::new() };
        let (notes, tables, folder) = (collected.notes_as_paragraphs(), markdown(&tables), path.display());
        let text = format!("{partial}{notes}{tables}{best}{meaning}\n\n{folder}: {files}{map}\n");
        print(text.as_bytes())?;
    } else if done > 0 {
        print(format!("{done} of {of} done in {:.1} s\n", started.elapsed().as_secs_f64()).as_bytes())?;
    }
    if stopped {
        log::write_raw(format_args!("xpuck: stopped with {done} of {of} done; run the same command again to continue"));
    }
    if unfinished {
        return Ok(ExitCode::from(TRY_AGAIN));
    }
    match failed().count() {
        0 => Ok(ExitCode::SUCCESS),
        n => bail!(
            "{n} of {of} failed; run the same command again to retry them, from their last checkpoint if there is one"
        ),
    }
}

/// Prints the points of a sweep and their progress.
pub fn list(sweep: &Sweep, path: &Path, json: bool) -> Result<()> {
    let runs = folder::runs(path, sweep);
    let done = |point: usize| runs.iter().filter(|run| run.point == point && run.state() == State::Done).count();
    let points: Vec<Listed<'_>> = sweep
        .points
        .iter()
        .enumerate()
        .map(|(i, point)| Listed { point: i + 1, label: &point.label, seeds: sweep.seeds.len(), done: done(i) })
        .collect();
    if json {
        return print_json(&points);
    }
    let (n, seeds) = (points.len(), sweep.seeds.len());
    let (of, times) = (count(n, "point", "points"), count(seeds, "seed", "seeds"));
    let runs = count(n * seeds, "run", "runs");
    let mut text = format!("{}: {of} x {times} = {runs} in {}\n", sweep.name, path.display());
    for Listed { point, label, seeds, done } in points {
        text += &format!("p{point:<4} {done:>5} of {seeds} done  {label}\n");
    }
    print(text.as_bytes())
}

//! `xpuck runs curves`: distances that evolved bodies walked, for several runs in one plot.

use crate::files::tree_file::deliver;
use crate::files::tree_file::print as put;
use crate::terminal::print_json;
use anyhow::{Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use xpuck_hub_bodies::{Curve, Folder, curves};
use xpuck_stats::statistics::median;
use xpuck_wire::output::count;

/// Draw the longest distances of several runs of evolution in one plot, over the evaluations. Print the median of the
/// final distances.
#[derive(Args)]
pub struct CurvesArgs {
    /// Folders of runs (`xpuck evolve --kind bodies --output`), which may be unfinished.
    #[arg(required = true, num_args = 1..=256, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// SVG file to write [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object with the final distances; requires --output.
    #[arg(long, requires = "output")]
    json: bool,
}

/// Distances that the best bodies of runs walked, as printed by `--json`.
#[derive(Serialize, JsonSchema)]
pub struct Distances<'a> {
    /// Median of the distances over the runs (m).
    median: f64,
    /// Distance of each run.
    runs: Vec<RunDistance<'a>>,
}

/// Distance that the best body of a run walked.
#[derive(Serialize, JsonSchema)]
struct RunDistance<'a> {
    /// Name of the run.
    run: &'a str,
    /// Distance that the body walked (m).
    way: f64,
}

/// Runs the command.
///
/// # Errors
/// A folder has no run or no complete generation, or the file cannot be written.
pub fn run(args: &CurvesArgs) -> Result<()> {
    let mut runs = Vec::new();
    for path in &args.runs {
        let run = Folder::curve(path)?;
        if run.points.is_empty() {
            bail!("{}: has no complete generation yet", path.display());
        }
        runs.push(run);
    }
    let ways: Vec<f64> = runs.iter().map(Curve::end).collect();
    let median = median(&ways);
    deliver(args.output.as_deref(), curves(&runs, median).as_bytes())?;
    if args.output.is_none() {
        return Ok(());
    }
    if args.json {
        let runs = runs.iter().map(|run| RunDistance { run: &run.name, way: run.end() }).collect();
        return print_json(&Distances { median, runs });
    }
    let mut text = String::new();
    for run in &runs {
        text += &format!("{:>8.2} m  {}\n", run.end(), run.name);
    }
    put(format!("{text}{median:>8.2} m  median of {}\n", count(runs.len(), "run", "runs")).as_bytes())
}

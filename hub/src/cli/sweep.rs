//! `xpuck sweep`: settings times seeds, each run a process that can be resumed.

use super::engine::EngineArgs;
use super::progress::Progress;
use super::tree_file::print;
use anyhow::{Error, Result, bail};
use clap::Args;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use xpuck_lab::sweep::best::{self, Best};
use xpuck_lab::sweep::collect::Collected;
use xpuck_lab::sweep::evolution::{Run, State};
use xpuck_lab::sweep::folder::{self, Folder};
use xpuck_lab::sweep::printed::Compared;
use xpuck_lab::sweep::schedule::{Ending, Plan, execute};
use xpuck_lab::sweep::summary::{EXPLANATION, Row, markdown};
use xpuck_lab::sweep::{Sweep, collect, evolution, file};
use xpuck_wire::log;
use xpuck_wire::output::count;
use xpuck_wire::shutdown::TRY_AGAIN;
use xpuck_wire::shutdown::service_flag;

/// Run evolution under several settings and many seeds, and compare what comes out.
///
/// The file says what is compared: a grid of settings or a list of them, a range of seeds, and what all have in common.
/// Each run is an `xpuck evolve` of its own that keeps checkpoints. A sweep that was stopped or killed goes on where it
/// was when the same command is given again; with another file it refuses, so that results are never mixed. More seeds,
/// or more points at the end, may be added.
///
/// --engine and --adapter count for every run, whatever the file says; without them each has its own.
///
/// The folder gets results and generations as CSV and Parquet, curves with 95 % confidence bands as SVG and as a page
/// of HTML, and a summary in which each setting is tested against the first. docs/sweeps.md describes the file.
#[derive(Args)]
pub struct SweepArgs {
    /// The sweep file (.toml).
    file: PathBuf,
    /// Folder of the sweep, new or begun [default: runs/ and the sweep's name].
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
    /// Check the file, print its points and how far they are, and run nothing.
    #[arg(long)]
    list: bool,
    /// Print one JSON object at the end, and no progress.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Output<'a> {
    name: &'a str,
    folder: &'a Path,
    runs: usize,
    done: usize,
    failed: Vec<Failure<'a>>,
    stopped: bool,
    wall_s: f64,
    settings: Vec<Row>,
    /// The best run of each setting; files are relative to the folder.
    best: Vec<Best>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    printed: Vec<Compared>,
}

#[derive(Serialize)]
struct Failure<'a> {
    run: &'a str,
    error: &'a str,
}

#[derive(Serialize)]
struct Listed<'a> {
    point: usize,
    label: &'a str,
    seeds: usize,
    done: usize,
}

/// Runs the command.
pub fn run(args: &SweepArgs) -> Result<ExitCode> {
    let sweep = file::read(&args.file)?;
    let path = args.out.clone().unwrap_or_else(|| Path::new("runs").join(&sweep.name));
    if args.list {
        folder::check(&sweep, evolution::check)?;
        return list(&sweep, &path, args.json).map(|()| ExitCode::SUCCESS);
    }
    args.engine.check_adapter().map_err(Error::msg)?;
    let started = Instant::now();
    let folder = Folder::open(&path, &sweep, evolution::check)?;
    let stop = service_flag(Default::default())?;
    let program = std::env::current_exe()?;
    let options = args.engine.options();
    let plan = Plan { program: &program, jobs: sweep.jobs, threads: sweep.threads, options: &options, stop: &stop };
    let endings = execute_with_bar(folder.runs(), &plan, args.json)?;
    let collected = collect::collect(&sweep, &folder)?;
    let failed = || {
        folder.runs().iter().zip(&endings).filter_map(|(run, ending)| match ending {
            Ending::Failed(error) => Some(Failure { run: &run.name, error }),
            _ => None,
        })
    };
    let done = endings.iter().filter(|ending| **ending == Ending::Done).count();
    let stopped = endings.contains(&Ending::Stopped);
    if args.json {
        let (runs, wall_s) = (endings.len(), started.elapsed().as_secs_f64());
        let failed = failed().collect();
        let Collected { settings, best, printed } = collected;
        let output =
            Output { name: &sweep.name, folder: &path, runs, done, failed, stopped, wall_s, settings, best, printed };
        print(format!("{}\n", serde_json::to_string(&output)?).as_bytes())?;
    } else if done > 0 {
        let files = "results.csv, results.parquet, generations.csv, generations.parquet, curves.svg, curves.html";
        let (tables, best) = (markdown(&collected.tables()), best::markdown(&collected.best, &path));
        let text = format!("{tables}{best}{EXPLANATION}\n\n{}: {files}\n", path.display());
        print(text.as_bytes())?;
    }
    if stopped {
        let runs = count(endings.len(), "run", "runs");
        log::line(format_args!("xpuck: stopped with {done} of {runs} done; the same command goes on"));
        return Ok(ExitCode::from(TRY_AGAIN));
    }
    match failed().count() {
        0 => Ok(ExitCode::SUCCESS),
        n => bail!(
            "{n} of {} failed; the same command tries them again, from their last checkpoint where there is one",
            count(endings.len(), "run", "runs")
        ),
    }
}

fn list(sweep: &Sweep, path: &Path, json: bool) -> Result<()> {
    let runs = folder::runs(path, sweep);
    let done = |point: usize| runs.iter().filter(|run| run.point == point && run.state() == State::Done).count();
    let points: Vec<Listed<'_>> = sweep
        .points
        .iter()
        .enumerate()
        .map(|(i, point)| Listed { point: i + 1, label: &point.label, seeds: sweep.seeds.len(), done: done(i) })
        .collect();
    if json {
        return print(format!("{}\n", serde_json::to_string(&points)?).as_bytes());
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

/// Does the runs, with a bar over all of them; failures are told when they happen.
fn execute_with_bar(runs: &[Run], plan: &Plan<'_>, quiet: bool) -> Result<Vec<Ending>> {
    let before = runs.iter().filter(|run| run.state() == State::Done).count();
    let progress = Progress::of("run", runs.len() as u64, quiet);
    progress.begin_at(before as u64);
    let endings = execute(runs, plan, |run, ending| {
        progress.inc();
        if let Ending::Failed(error) = ending {
            progress.suspend(|| log::line(format_args!("xpuck: {}: {error}", run.name)));
        }
    });
    Ok(endings)
}

//! `xpuck sweep`: settings times seeds, each run a process that can be resumed.

mod slurm;
mod tell;

use crate::engines::engine::EngineArgs;
use crate::terminal::progress::Progress;
use anyhow::{Error, Result};
use clap::Args;
use slurm::SlurmArgs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use tell::{Happened, list, tell};
use xpuck_lab::sweep::evolution::{Run, State};
use xpuck_lab::sweep::file::MAX_PARALLEL;
use xpuck_lab::sweep::folder::{self, Folder};
use xpuck_lab::sweep::missing::missing;
use xpuck_lab::sweep::only::Only;
use xpuck_lab::sweep::schedule::{Ending, Plan, Told, execute};
use xpuck_lab::sweep::{Sweep, collect, evolution, file};
use xpuck_wire::log;
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
/// Many machines share a sweep: with --only a process does some of the runs in a folder that others work in as well, --slurm sends
/// all that are missing to a cluster, and --collect writes what the runs found.
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
    /// Do only these runs, and collect nothing: a number from 1 in the plan's order, a range as 3-6, a run's name as p1-s4, or
    /// several with commas.
    #[arg(long, value_name = "RUNS", conflicts_with_all = ["list", "collect"])]
    only: Option<Only>,
    /// Do no run: write tables and curves of those that are done. Exit code 75 if some are missing, which are named.
    #[arg(long, conflicts_with = "list")]
    collect: bool,
    /// Processes at a time, in place of the file's `jobs`.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_PARALLEL as i64))]
    jobs: Option<u16>,
    /// Threads of each process, in place of the file's `threads`.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_PARALLEL as i64))]
    threads: Option<u16>,
    #[command(flatten)]
    slurm: SlurmArgs,
    /// Print one JSON object at the end, and no progress.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &SweepArgs) -> Result<ExitCode> {
    let mut sweep = file::read(&args.file)?;
    sweep.jobs = args.jobs.map_or(sweep.jobs, usize::from);
    sweep.threads = args.threads.map(usize::from).or(sweep.threads);
    let path = args.out.clone().unwrap_or_else(|| Path::new("runs").join(&sweep.name));
    if args.list {
        folder::check(&sweep, evolution::check)?;
        return list(&sweep, &path, args.json).map(|()| ExitCode::SUCCESS);
    }
    if args.slurm.slurm {
        // The nodes have other adapters than this machine.
        let runs = Folder::open(&path, &sweep, evolution::check)?.runs().to_vec();
        return slurm::send(args, &sweep, &path, &runs);
    }
    let started = Instant::now();
    if args.collect {
        let folder = Folder::open(&path, &sweep, evolution::check)?;
        let missing = missing(folder.runs());
        let collected = Some(collect::collect(&sweep, &folder)?);
        let happened = Happened { runs: folder.runs(), endings: &[], missing: Some(missing), collected, started };
        return tell(args, &sweep.name, &path, happened);
    }
    args.engine.check_adapter().map_err(Error::msg)?;
    if let Some(only) = &args.only {
        let runs = only.of(&folder::runs(&path, &sweep)).map_err(Error::msg)?;
        folder::join(&path, &sweep, &runs, evolution::check)?;
        let endings = do_runs(args, &sweep, &runs)?;
        let happened = Happened { runs: &runs, endings: &endings, missing: None, collected: None, started };
        return tell(args, &sweep.name, &path, happened);
    }
    let folder = Folder::open(&path, &sweep, evolution::check)?;
    let endings = do_runs(args, &sweep, folder.runs())?;
    let collected = Some(collect::collect(&sweep, &folder)?);
    let happened = Happened { runs: folder.runs(), endings: &endings, missing: None, collected, started };
    tell(args, &sweep.name, &path, happened)
}

fn do_runs(args: &SweepArgs, sweep: &Sweep, runs: &[Run]) -> Result<Vec<Ending>> {
    let stop = service_flag(Default::default())?;
    let program = std::env::current_exe()?;
    let options = args.engine.options();
    let plan = Plan { program: &program, jobs: sweep.jobs, threads: sweep.threads, options: &options, stop: &stop };
    execute_with_bar(runs, &plan, args.json)
}

/// Does the runs, with a bar over all of them; failures are told when they happen.
fn execute_with_bar(runs: &[Run], plan: &Plan<'_>, quiet: bool) -> Result<Vec<Ending>> {
    let before = runs.iter().filter(|run| run.state() == State::Done).count();
    let progress = Progress::of("run", runs.len() as u64, quiet);
    progress.begin_at(before as u64);
    let endings = execute(runs, plan, |run, told| match told {
        Told::Waits => {
            progress.suspend(|| log::line(format_args!("xpuck: {}: another process works on it; waiting", run.name)));
        }
        Told::Ended(ending) => {
            progress.inc();
            if let Ending::Failed(error) | Ending::Killed(error) = ending {
                progress.suspend(|| log::line(format_args!("xpuck: {}: {error}", run.name)));
            }
        }
    });
    Ok(endings)
}

//! `xpuck sweep`: runs every setting with every seed. Each run is a separate process that can be resumed.

pub mod slurm;
pub mod tell;

use crate::engines::engine::EngineArgs;
use crate::files::tree_file::deliver;
use crate::terminal::progress::Progress;
use anyhow::{Error, Result, bail};
use clap::{Args, Subcommand};
use slurm::SlurmArgs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use tell::{Happened, list, print_report};
use xpuck_kernels::engine::{ChosenEngine, EngineChoice, EngineKind, SharedEngine};
use xpuck_lab::engine;
use xpuck_lab::sweep::ending::Ending;
use xpuck_lab::sweep::evolution::{Run, State};
use xpuck_lab::sweep::file::MAX_PARALLEL;
use xpuck_lab::sweep::folder::{self, Folder};
use xpuck_lab::sweep::missing::missing;
use xpuck_lab::sweep::schedule::{Plan, RunEvent, execute};
use xpuck_lab::sweep::selection::Only;
use xpuck_lab::sweep::{Sweep, collect, evolution, file};
use xpuck_wire::log;
use xpuck_wire::shutdown::service_flag;

/// Compare settings of evolution over many seeds: execute the runs, show their progress, collect results, use a
/// cluster.
///
/// The file describes the comparison: a grid or a list of settings, a range of seeds, and the common keys. Each run
/// is an `xpuck evolve` with its own checkpoints. A sweep that was stopped or killed continues when the same command
/// is given again; with a changed file the command fails, so that results are never mixed. Further seeds, or further
/// points at the end, may be added. docs/sweeps.md describes the file.
#[derive(Args)]
pub struct SweepArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Create an example sweep file: two settings, two seeds, with comments.
    New {
        /// File to write [default: standard output].
        #[arg(short, long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Execute the missing runs, then compare the results.
    ///
    /// Several machines can share a sweep. With --only, a process executes some of the runs in a folder that other
    /// processes use too. --engine and --adapter apply to every run and take precedence over the file. Without these
    /// options, each run uses the engine of its own settings. With --engine gpu or both, all runs are threads of one
    /// process and share the GPU.
    ///
    /// The folder gets results and generations as CSV and Parquet, and curves with 95 % confidence bands as SVG and
    /// as an HTML page. A summary tests each setting against the first.
    Run(RunArgs),
    /// Check the file and print its points and their progress, without running anything.
    List(PlanArgs),
    /// Write tables and curves of the completed runs. If runs are missing, list them and exit with code 75.
    Collect(PlanArgs),
    /// Send the missing runs to Slurm: an array of jobs that are requeued until their runs are complete, and a job
    /// that collects the results.
    ///
    /// The folder must be on a disk that all nodes can access (docs/cluster/sweeps.md).
    Slurm(SendArgs),
}

/// Number of parallel runs that share a GPU, if no number is given.
const SHARED_JOBS: usize = 32;

/// Text of the example sweep file.
const TINY: &str = include_str!("../../../../../docs/sweeps/tiny.toml");

/// Options for the file of a sweep, its folder, and the output format.
#[derive(Args)]
struct PlanArgs {
    /// Sweep file (.toml).
    file: PathBuf,
    /// Folder of the sweep, new or existing [default: runs/ and the sweep's name].
    #[arg(short, long, alias = "out", value_name = "DIR")]
    output: Option<PathBuf>,
    /// Print one JSON object at the end; hide the progress.
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
struct RunArgs {
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    engine: EngineArgs,
    /// Execute only these runs, without a comparison: a number from 1 in the plan's order, a range as 3-6, a run's
    /// name as p1-s4, or several with commas.
    #[arg(long, value_name = "RUNS")]
    only: Option<Only>,
    #[command(flatten)]
    work: WorkArgs,
}

/// Options for the number of processes and threads.
#[derive(Args)]
struct WorkArgs {
    /// Number of parallel runs, in place of the file's `jobs` [default with --engine gpu or both: at least 32].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_PARALLEL as i64))]
    jobs: Option<u16>,
    /// Number of threads of each process, in place of the file's `threads`.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=MAX_PARALLEL as i64))]
    threads: Option<u16>,
}

#[derive(Args)]
struct SendArgs {
    #[command(flatten)]
    plan: PlanArgs,
    #[command(flatten)]
    engine: EngineArgs,
    #[command(flatten)]
    work: WorkArgs,
    #[command(flatten)]
    slurm: SlurmArgs,
}

impl PlanArgs {
    /// Reads the sweep file. Returns the sweep and the path of its folder.
    fn read(&self) -> Result<(Sweep, PathBuf)> {
        let sweep = file::read(&self.file)?;
        let path = self.output.clone().unwrap_or_else(|| Path::new("runs").join(&sweep.name));
        Ok((sweep, path))
    }
}

impl WorkArgs {
    fn over(&self, sweep: &mut Sweep) {
        sweep.jobs = self.jobs.map_or(sweep.jobs, usize::from);
        sweep.threads = self.threads.map(usize::from).or(sweep.threads);
    }
}

/// Runs the command.
///
/// # Errors
/// The file is invalid, the folder belongs to another sweep, or the folder cannot be written.
pub fn run(args: &SweepArgs) -> Result<ExitCode> {
    match &args.what {
        What::New { output } => {
            if let Some(path) = output.as_ref().filter(|path| path.exists()) {
                bail!("{}: already exists; choose another file", path.display());
            }
            deliver(output.as_deref(), TINY.as_bytes()).map(|()| ExitCode::SUCCESS)
        }
        What::Run(args) => do_all(args),
        What::List(args) => {
            let (sweep, path) = args.read()?;
            folder::check_in(&path, &sweep, evolution::check)?;
            list(&sweep, &path, args.json).map(|()| ExitCode::SUCCESS)
        }
        What::Collect(args) => {
            let started = Instant::now();
            let (sweep, path) = args.read()?;
            let folder = Folder::open(&path, &sweep, evolution::check)?;
            let missing = missing(folder.runs());
            let collected = Some(collect::collect(&sweep, &folder)?);
            let happened = Happened { runs: folder.runs(), endings: &[], missing: Some(missing), collected, started };
            print_report(args.json, &sweep.name, &path, happened)
        }
        What::Slurm(args) => {
            let (mut sweep, path) = args.plan.read()?;
            args.work.over(&mut sweep);
            // The adapter is not checked here, because the nodes may have other adapters than this machine.
            let runs = Folder::open(&path, &sweep, evolution::check)?.runs().to_vec();
            slurm::send(args, &sweep, &path, &runs)
        }
    }
}

fn do_all(args: &RunArgs) -> Result<ExitCode> {
    let (mut sweep, path) = args.plan.read()?;
    args.work.over(&mut sweep);
    let started = Instant::now();
    args.engine.check_adapter().map_err(Error::msg)?;
    let json = args.plan.json;
    if let Some(only) = &args.only {
        let runs = only.select(&folder::runs(&path, &sweep)).map_err(Error::msg)?;
        folder::join(&path, &sweep, &runs, evolution::check)?;
        let endings = do_runs(args, &sweep, &runs)?;
        let happened = Happened { runs: &runs, endings: &endings, missing: None, collected: None, started };
        return print_report(json, &sweep.name, &path, happened);
    }
    let folder = Folder::open(&path, &sweep, evolution::check)?;
    let endings = do_runs(args, &sweep, folder.runs())?;
    let collected = Some(collect::collect(&sweep, &folder)?);
    let happened = Happened { runs: folder.runs(), endings: &endings, missing: None, collected, started };
    print_report(json, &sweep.name, &path, happened)
}

/// Opens the engine for all runs, if the options select `gpu` or `both`. One run alone leaves a GPU almost idle.
fn shared_engine(args: &EngineArgs) -> Result<Option<SharedEngine>> {
    let choice = args.over(&EngineChoice::with_best_adapter(EngineKind::Simd));
    if !matches!(choice.engine, EngineKind::Gpu | EngineKind::Both) {
        return Ok(None);
    }
    let engine = ChosenEngine::open(choice, engine::machine()).map_err(Error::msg)?;
    for notice in engine.drain_notices() {
        log::write_raw(format_args!("xpuck: {}", notice.text));
    }
    Ok(Some(SharedEngine::new(engine)))
}

fn do_runs(args: &RunArgs, sweep: &Sweep, runs: &[Run]) -> Result<Vec<Ending>> {
    let stop = service_flag(Default::default())?;
    let program = std::env::current_exe()?;
    let options = args.engine.options();
    let shared = shared_engine(&args.engine)?;
    let jobs = match (&shared, args.work.jobs) {
        (Some(_), None) => sweep.jobs.max(SHARED_JOBS),
        _ => sweep.jobs,
    };
    let (threads, engine) = (sweep.threads, shared.as_ref());
    let plan = Plan { program: &program, jobs, threads, options: &options, engine, stop: &stop };
    execute_with_bar(runs, &plan, args.plan.json)
}

/// Executes the runs with a common progress bar, and reports each failure immediately. Returns the endings in the
/// order of the runs.
fn execute_with_bar(runs: &[Run], plan: &Plan<'_>, quiet: bool) -> Result<Vec<Ending>> {
    let before = runs.iter().filter(|run| run.state() == State::Done).count();
    let progress = Progress::steps("run", runs.len() as u64, quiet);
    progress.begin_at(before as u64);
    let endings = execute(runs, plan, |run, told| match told {
        RunEvent::Waits => {
            progress.suspend(|| {
                log::write_raw(format_args!("xpuck: {}: another process is running it; waiting", run.name))
            });
        }
        RunEvent::Ended(ending) => {
            progress.inc();
            if let Ending::Failed(error) | Ending::Killed(error) = ending {
                progress.suspend(|| log::write_raw(format_args!("xpuck: {}: {error}", run.name)));
            }
        }
    });
    Ok(endings)
}

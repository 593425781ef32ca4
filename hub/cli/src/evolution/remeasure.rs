//! `xpuck runs remeasure`: measures the champions of recorded runs again.

use crate::engines::engine::{EngineArgs, report};
use crate::files::tree_file::{print, refuse_over, write};
use crate::terminal::progress::Progress;
use anyhow::{Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use xpuck_evolve::Algorithm;
use xpuck_kernels::engine::EngineKind;
use xpuck_kernels::world::WorldSpec;
use xpuck_lab::evolution_run::SECONDS;
use xpuck_lab::remeasure::{RecordedRun, Row, draw};
use xpuck_stats::figure::Figure;

/// Measure the champions of recorded runs again, generation by generation.
///
/// A run reports the fitness of its champions as evolution estimates it. This estimate is the highest of many noisy
/// values, and is therefore biased upwards. This command takes the champion of every island after every Nth
/// generation from the record. It simulates each champion in worlds that evolution has not used, in the run's own
/// arena and with its number of robots. The two scenarios alternate. A reported curve that rises above the measured
/// one shows selection by luck. If both rise together, the progress is real.
///
/// "reported" is the mean over the islands of the column `derated` in generations.csv. The worlds are the same for
/// all champions of a run, and equal those in which `xpuck evolve` measures its final champions. If --runs equals the
/// --remeasure of the run, the last line is the result of the run. Equal trees are measured once. The numbers do not
/// depend on the number of threads.
#[derive(Args)]
pub struct RemeasureArgs {
    /// Folders of runs (`xpuck evolve --output`), at most 7; the runs may be unfinished.
    #[arg(required = true, num_args = 1..=7, value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Measure every Nth generation and the last one.
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    every: u32,
    /// Number of simulations for each champion, of 60 s, or of twice the run's `seconds` if that is longer.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    runs: u32,
    /// Also write the table as CSV.
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Also draw a figure with the reported (dashed) and the measured curve of each run.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineArgs,
    /// Print one JSON object per run, one on each line; hide the progress.
    #[arg(long)]
    json: bool,
}

/// Run with the measured champions of its generations.
#[derive(Serialize, JsonSchema)]
pub struct Measurement<'a> {
    run: &'a Path,
    algorithm: Algorithm,
    seed: u64,
    runs: u32,
    seconds: f32,
    generations: Vec<Row>,
}

/// Runs the command.
pub fn run(args: &RemeasureArgs) -> Result<()> {
    let read = |folder: &PathBuf| RecordedRun::read(folder, args.every);
    refuse_inputs(args)?;
    let recorded: Vec<RecordedRun> = args.folders.iter().map(read).collect::<Result<_, _>>()?;
    let specs: Vec<&WorldSpec> = recorded.iter().map(|run| &run.config.spec).collect();
    let engine = args.engine.open(EngineKind::Simd, &specs)?;
    let total: usize = recorded.iter().map(RecordedRun::generations).sum();
    let progress = Progress::steps("generation", total as u64, args.json);
    let mut measured = Vec::with_capacity(recorded.len());
    for (run, recorded) in args.folders.iter().zip(&recorded) {
        let generations = recorded.measure(&engine, args.runs, || progress.inc());
        let (algorithm, seed) = (recorded.config.settings.algorithm, recorded.config.seed);
        measured.push(Measurement { run, algorithm, seed, runs: args.runs, seconds: SECONDS, generations });
    }
    drop(progress);
    report(&engine);
    if let Some(path) = &args.csv {
        write(path, &csv(&measured)?)?;
    }
    if let Some(path) = &args.svg {
        let courses: Vec<_> = measured.iter().map(|one| (label(one, &measured), one.generations.as_slice())).collect();
        write(path, draw(&courses, args.runs).as_bytes())?;
    }
    print(text(&measured, args.json)?.as_bytes())?;
    match recorded.iter().zip(&args.folders).find_map(|(run, folder)| Some((run.damage()?, folder))) {
        Some((damage, folder)) => bail!("{}: {damage}", folder.display()),
        None => Ok(()),
    }
}

/// Rejects output files that are files of the runs, and equal output files.
fn refuse_inputs(args: &RemeasureArgs) -> Result<()> {
    let files = args.folders.iter().filter_map(|folder| std::fs::read_dir(folder).ok()).flatten().flatten();
    let files: Vec<PathBuf> = files.map(|entry| entry.path()).collect();
    refuse_over(&files, args.csv.iter().chain(&args.svg))?;
    match (&args.csv, &args.svg) {
        (Some(csv), Some(svg)) if csv == svg => {
            bail!("--csv and --svg name the same file, {}; choose another file for one of them", csv.display())
        }
        _ => Ok(()),
    }
}

/// Returns the label of a run: its algorithm, with the seed if another run has the same algorithm.
fn label(one: &Measurement<'_>, all: &[Measurement<'_>]) -> String {
    match all.iter().filter(|other| other.algorithm == one.algorithm).count() {
        1 => one.algorithm.to_string(),
        _ => format!("{}, seed {}", one.algorithm, one.seed),
    }
}

fn csv(measured: &[Measurement<'_>]) -> Result<Vec<u8>> {
    let mut table = csv::Writer::from_writer(Vec::new());
    table.write_record([
        "run",
        "algorithm",
        "seed",
        "generation",
        "robot_seconds",
        "reported",
        "remeasured",
        "best",
    ])?;
    for one in measured {
        let run = one.run.display().to_string();
        for Row { generation, robot_seconds, reported, remeasured, best } in &one.generations {
            table.serialize((&run, one.algorithm, one.seed, generation, robot_seconds, reported, remeasured, best))?;
        }
    }
    Ok(table.into_inner()?)
}

fn text(measured: &[Measurement<'_>], json: bool) -> Result<String> {
    let mut text = String::new();
    for one in measured {
        if json {
            writeln!(text, "{}", crate::terminal::json(one)?)?;
            continue;
        }
        let Measurement { run, algorithm, seed, runs, seconds, generations } = one;
        writeln!(text, "{}: {algorithm}, seed {seed}; {runs} simulations of {seconds} s each", run.display())?;
        writeln!(text, "generation  robot-seconds  reported  measured again    best")?;
        for Row { generation, robot_seconds, reported, remeasured, best } in generations {
            writeln!(
                text,
                "{generation:>10}  {robot_seconds:>13.0}  {:>8.3}  {:>14.3}  {:>6.3}",
                Figure(*reported),
                Figure(*remeasured),
                Figure(*best)
            )?;
        }
    }
    Ok(text)
}

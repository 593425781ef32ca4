//! `xpuck evolve --kind kilobots`: evolution of trees for Kilobots that forage.

use crate::evolution::stopping;
use crate::files::advice::word;
use crate::terminal::print_json;
use crate::terminal::progress::Progress;
use anyhow::{Result, bail};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use toml::Value;
use xpuck_hub_kilobots::{Chapter, Config, Ended, Folder, chapter, run as run_to_end};
use xpuck_lab::evolution_run::file as evolution_file;
use xpuck_wire::output::count;
use xpuck_wire::{log, output};

/// Evolve trees for Kilobots that forage, and reproduce the thesis's chapter 4: runs, curves, paths, and used nodes.
///
/// The same seed gives the same digits on any number of threads. Without a file, the experiment is that of the
/// thesis: 25 runs with its algorithm and 25 with ours. They take half an hour on two cores. For a short test, use
/// `--runs 1`.
#[derive(Args)]
pub struct EvolveArgs {
    /// File of the experiment (.toml); all keys are optional, and the options below take precedence.
    file: Option<PathBuf>,
    /// Seed [default: 1].
    #[arg(long)]
    seed: Option<i64>,
    /// Number of runs with each algorithm [default: 25]; with --resume, the new total number.
    #[arg(long)]
    runs: Option<u32>,
    /// Number of simulations in a run [default: 44030].
    #[arg(long)]
    simulations: Option<i64>,
    /// Single algorithm in place of the file's algorithms.
    #[arg(long, value_name = "NAME")]
    algorithm: Option<String>,
    /// Set any key of the file, as in `--set world.robots=9`; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// New folder for runs, figures, tables and trees.
    #[arg(short, long = "output", alias = "out", value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue the experiment in this folder; existing runs are kept.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["file", "seed", "simulations", "algorithm", "set", "out"])]
    resume: Option<PathBuf>,
    /// Print one JSON object at the end; hide the progress.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// A file is invalid, or the folder cannot be written.
pub fn run(args: &EvolveArgs) -> Result<ExitCode> {
    let kept = args.resume.as_ref().or(args.out.as_ref());
    let stop = stopping::flag(kept)?;
    let (config, mut folder, done) = match &args.resume {
        Some(path) => {
            let (folder, config, done) = Folder::resume(path, args.runs)?;
            (config, Some(folder), done)
        }
        None => {
            let config = Config::load(args.file.as_deref(), overrides(args)?)?;
            let folder = args.out.as_ref().map(|path| Folder::create(path, &config)).transpose()?;
            (config, folder, Vec::new())
        }
    };
    let all = u64::from(config.runs) * config.algorithms.len() as u64 * config.simulations;
    let progress = Progress::steps("simulation", all, args.json);
    progress.begin_at(done.len() as u64 * config.simulations);
    let ended = run_to_end(&config, done, folder.as_mut(), &stop, |done, at| {
        progress.set(done as u64 * config.simulations + at.simulations, all);
        let name = at.algorithm.name();
        progress.note(format!("{name}, run {}, generation {}: {:.4}", at.run, at.generation, at.best));
    })?;
    let runs = match ended {
        Ended::Complete(runs) => runs,
        Ended::Stopped(runs) => {
            drop(progress);
            let Some(path) = kept else { bail!("only an experiment with a folder can be stopped") };
            let done = format!(" after {}", count(runs, "complete run", "complete runs"));
            return Ok(stopping::stopped(&done, path));
        }
    };
    let command = kept.map_or("xpuck evolve --kind kilobots".into(), |path| {
        format!("xpuck evolve {} --output NEW", word(&path.join("kilobots.toml")))
    });
    let made = chapter(&config, &runs, &command, |what| progress.note(what));
    drop(progress);
    if let Some(folder) = &folder {
        folder.finish(&made)?;
    }
    match args.json {
        true => print_json(&made.result)?,
        false => print(&made, folder.as_ref())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn overrides(args: &EvolveArgs) -> Result<toml::Table> {
    let mut table = evolution_file::keys(&args.set)?;
    let given = [("seed", args.seed), ("runs", args.runs.map(i64::from)), ("simulations", args.simulations)];
    for (key, value) in given {
        if let Some(value) = value {
            table.insert(key.into(), Value::Integer(value));
        }
    }
    if let Some(name) = &args.algorithm {
        table.insert("algorithms".into(), Value::Array(vec![Value::String(name.clone())]));
    }
    Ok(table)
}

fn print(made: &Chapter, folder: Option<&Folder>) -> Result<()> {
    output::line("algorithm        runs  first generation  best as evolved  again in fresh starts  median again")?;
    for (name, its) in &made.result.algorithms {
        if its.generations == 1 {
            log::write_raw(format_args!("xpuck: {name}: --simulations is enough for only one generation; increase it"));
        }
        output::line(format_args!(
            "{name:<15}{:>6}{:>18.4}{:>17.4}{:>14.4} +- {:.4}{:>14.4}",
            its.runs,
            its.first_generation,
            its.best_chosen,
            its.best_again.mean,
            its.best_again.standard_error,
            its.median_again
        ))?;
    }
    let published = made.result.figure_4_6;
    let printed = match made.is_of_the_thesis {
        true => "; reported: 0.104 as evolved, 0.075 again, 0.058 on real robots",
        false => "; the reported values are for another world",
    };
    output::line(format_args!(
        "\nthe thesis's tree (Figure 4.6) in the same {} starts: {:.4} +- {:.4}{printed}",
        made.result.fresh, published.mean, published.standard_error
    ))?;
    match folder {
        Some(folder) => {
            let at = folder.path().display();
            output::line(format_args!("\nfigures and tables: {at}/chapter.html; the fittest trees: {at}/trees"))?;
        }
        None => {
            for (name, its) in &made.result.algorithms {
                output::line(format_args!("\n{name}:\n{}", its.tree))?;
            }
        }
    }
    Ok(())
}

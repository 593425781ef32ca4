//! `xpuck evolve --kind bodies`: evolution of bodies and brains that walk.

use super::files;
use crate::evolution::stopping;
use crate::files::advice::word;
use crate::terminal::print_json;
use crate::terminal::progress::Progress;
use anyhow::{Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use toml::Value;
use xpuck_hub_bodies::{BodyRun, Config, Ended, Folder, Outcome, Resumed, run as run_to_end};
use xpuck_lab::evolution_run::file as evolution_file;
use xpuck_lab::run_folder::result_number;
use xpuck_wire::output::count;
use xpuck_wire::{log, output};

/// Evolve bodies with their brains to walk as far as possible along y, in families (docs/bodies.md).
///
/// The same seed gives the same digits on any number of threads. A file called `stop` in the folder of the run ends
/// the run after the current generation, as Ctrl-C does.
#[derive(Args)]
pub struct EvolveArgs {
    /// File of the run (.toml); all keys are optional, and the options below take precedence.
    file: Option<PathBuf>,
    /// Seed [default: 1].
    #[arg(long)]
    seed: Option<i64>,
    /// Number of evaluations of a whole walk on each island [default: 1000]; with --resume, the new total number.
    #[arg(long, value_parser = clap::value_parser!(i64).range(1..=1_000_000))]
    evaluations: Option<i64>,
    /// Number of islands [default: 1].
    #[arg(long)]
    islands: Option<i64>,
    /// Number of steps of 1/240 s in an evaluation [default: 10000].
    #[arg(long)]
    steps: Option<i64>,
    /// Use the behaviour of pyro-corpus's program everywhere, for comparisons.
    #[arg(long)]
    as_published: bool,
    /// Body (.prif, .json or .urdf) whose mutants seed the population [default: start from a single brain].
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
    /// Brain (.nndf) of the body `--from`, whose weights the founders inherit [default: random weights for each
    /// founder].
    #[arg(long, value_name = "FILE", requires = "from")]
    brain: Option<PathBuf>,
    /// Set any key of the file, as in `--set families.per_family=2`; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
    /// New folder for the table, the checkpoint, the bodies, their pictures and the walk of the best body.
    #[arg(short, long = "output", alias = "out", value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue the run in this folder. A larger --evaluations extends a run that is already complete. The result
    /// equals that of an uninterrupted run, digit by digit.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["file", "seed", "islands", "steps", "as_published", "from", "brain", "set", "out"])]
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
    let (mut evolution, mut folder) = match &args.resume {
        Some(path) => {
            let Resumed { folder, evolution, notice } = Folder::resume(path, args.evaluations.map(i64::unsigned_abs))?;
            notice.iter().for_each(|notice| log::write_raw(format_args!("xpuck: {notice}")));
            (evolution, Some(folder))
        }
        None => {
            let config = Config::load(args.file.as_deref(), overrides(args)?)?;
            let folder = args.out.as_ref().map(|path| Folder::create(path, &config)).transpose()?;
            (BodyRun::new(config), folder)
        }
    };
    let (began, was_over) = (Instant::now(), evolution.is_done());
    let evaluations = evolution.config().evaluations;
    let progress = Progress::steps("evaluation", evaluations, args.json);
    progress.begin_at(evolution.evaluations() as u64);
    let ended = run_to_end(&mut evolution, folder.as_mut(), &stop, |evolution, rows| {
        progress.set(evolution.evaluations() as u64, evaluations);
        let best = rows.iter().map(|row| row.best).fold(0.0, f64::max);
        let generation = rows.first().map_or(0, |row| row.generation);
        progress.note(format!("generation {generation}, longest distance {best:.1} m"));
    })?;
    drop(progress);
    if ended == Ended::Stopped {
        let Some(path) = kept else { bail!("only a run with a folder can be stopped") };
        let done = format!(" after {:.0} of {evaluations} evaluations", evolution.evaluations());
        return Ok(stopping::stopped(&done, path));
    }
    // A run that was already complete keeps its recorded time.
    let before = kept.filter(|_| was_over).and_then(|path| result_number(path, "wall_s"));
    let outcome = Outcome::from_run(&evolution, before.unwrap_or(began.elapsed().as_secs_f64()));
    if let Some(folder) = &folder {
        folder.finish(&evolution, &outcome)?;
    }
    outcome.notices.iter().for_each(|notice| log::write_raw(format_args!("xpuck: {notice}")));
    if args.json {
        print_json(&outcome)?;
    } else {
        print(&outcome, folder.as_ref(), evolution.config())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn overrides(args: &EvolveArgs) -> Result<toml::Table> {
    let mut table = evolution_file::keys(&args.set)?;
    let given =
        [("seed", args.seed), ("evaluations", args.evaluations), ("islands", args.islands), ("steps", args.steps)];
    for (key, value) in given {
        if let Some(value) = value {
            table.insert(key.into(), Value::Integer(value));
        }
    }
    if args.as_published {
        table.insert("as_published".into(), Value::Boolean(true));
    }
    if let Some(path) = &args.from {
        let body = files::read(path)?;
        table.insert("from".into(), Value::String(body.prif.print()));
        if let Some(path) = &args.brain {
            let brain = files::brain(path, &body.plan)?;
            let weights = brain.weights.into_iter().map(Value::Float).collect();
            table.insert("from_weights".into(), Value::Array(weights));
            if let Some(period) = brain.period {
                // Values that the user gave with --set take precedence.
                table.entry("from_period").or_insert(Value::Float(period));
            }
        }
    }
    Ok(table)
}

fn print(outcome: &Outcome, folder: Option<&Folder>, config: &Config) -> Result<()> {
    output::line("island  dist m  parts  turning joints")?;
    for (number, island) in outcome.islands.iter().enumerate() {
        output::line(format_args!("{number:>6}{:>8.2}{:>7}{:>16}", island.distance, island.parts, island.joints))?;
    }
    let best = outcome.islands.iter().max_by(|a, b| a.distance.total_cmp(&b.distance));
    output::line(format_args!(
        "\n{:.2} m after {} of {}, {} in {:.0} evaluations of a whole walk, in {:.1} s",
        outcome.best,
        count(outcome.generations as usize, "generation", "generations"),
        count(outcome.islands.len(), "island", "islands"),
        count(outcome.bodies as usize, "body", "bodies"),
        outcome.evaluations,
        outcome.wall_s
    ))?;
    if let Some(best) = best {
        output::line(format_args!("{}", best.prif))?;
    }
    if let Some(folder) = folder {
        let at = folder.path().display();
        output::line(format_args!(
            "\nits walk: {at}/walk.html; for PyBullet and others: {at}/bodies; pictures: {at}/gallery.svg, {at}/curve.svg"
        ))?;
        let number = outcome.islands.iter().position(|island| island.distance == outcome.best).unwrap_or(0);
        output::line(format_args!("to simulate it again: {}", again(folder.path(), number, config)))?;
        if config.twice {
            output::line("the shorter of two walks counted; this command repeats the first")?;
        }
    }
    Ok(())
}

/// Returns the command that simulates the best body of an island under the same conditions as in the run.
fn again(folder: &Path, island: usize, config: &Config) -> String {
    let body = |ending: &str| word(&folder.join(format!("bodies/island-{island}.{ending}")));
    let mut command = format!("xpuck simulate {} --brain {}", body("prif"), body("nndf"));
    let usual = Config::default();
    // If brains have their own periods, the brain's file contains the period, and the option is not needed.
    if config.period != usual.period && (config.period == 0.0 || !config.own_periods) {
        command += &format!(" --period {}", config.period);
    }
    if config.steps != usual.steps {
        command += &format!(" --steps {}", config.steps);
    }
    if config.thrown {
        command += " --thrown";
    }
    command
}

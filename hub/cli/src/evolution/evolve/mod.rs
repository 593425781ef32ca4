//! `xpuck evolve`: evolution on islands without robots.

use crate::analysis::simulate::window_notes;
use crate::engines::engine::EngineArgs;
use crate::evolution::stopping;
use crate::terminal::print_json;
use crate::terminal::progress::Progress;
use anyhow::{Context, Error, Result, bail};
use clap::Args;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use toml::{Table, Value};
use xpuck_evolve::Algorithm;
use xpuck_kernels::engine::ChosenEngine;
use xpuck_lab::engine;
use xpuck_lab::evolution_run::file as evolution_file;
use xpuck_lab::evolution_run::{
    Config, Ended, EvolutionRun, Folder, Outcome, Resumed, SECONDS, fresh_seconds, run as run_to_end,
};
use xpuck_lab::run_folder::result_number;
use xpuck_stats::figure::Figure;
use xpuck_wire::output::{count, value_note};
use xpuck_wire::shutdown;
use xpuck_wire::{log, output};

/// Evolve controllers on islands in this process, without robots.
///
/// A run is described by a file (docs/evolution.md), by options, or by both; options take precedence. All islands
/// finish a generation before any starts the next, so the same seed gives the same digits on any number of threads.
/// At the end, every island's champion is measured again on fresh seeds, which gives an unbiased fitness. For a mission
/// (docs/missions.md), the value that its formula yields is printed beside the fitness.
///
/// With --output, every generation is saved: the process may be killed at any time, and --resume continues the run
/// with the same result. Ctrl-C and SIGTERM end it after the current generation, with exit code 75.
#[derive(Args)]
pub struct EvolveArgs {
    /// Evolution file (.toml); all keys are optional.
    pub file: Option<PathBuf>,
    /// Curriculum: steps in other worlds on the way to the goal (docs/curricula.md). A curriculum in worlds of cargo
    /// describes the whole run; others are evolution files with steps.
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    pub curriculum: Option<PathBuf>,
    /// Algorithm: racing, median-stopping, f-race (irace's rule), pooled-samples, noise-aware (thesis 8.2.2), classic
    /// (7.4.3) or dars2016 (4.3.1) [default: racing].
    #[arg(long)]
    pub algorithm: Option<String>,
    /// Number of islands, 1 to 64 [default: 9].
    #[arg(long)]
    pub islands: Option<i64>,
    /// Number of individuals on each island; for racing, median-stopping and f-race, the number of trials in a generation
    /// [default: 256].
    #[arg(long)]
    pub population: Option<i64>,
    /// Number of generations [default: 84, or as many as the budget allows].
    #[arg(long)]
    pub generations: Option<i64>,
    /// Budget of simulation (robot-seconds), as in 52e6; the generation that exhausts the budget is the last.
    #[arg(long, value_name = "ROBOT_SECONDS")]
    pub budget: Option<f64>,
    /// Number of robots in each simulation, 1 to 256 [default: 9].
    #[arg(long = "count", alias = "robots")]
    pub robots: Option<i64>,
    /// Simulated seconds of each trial [default: 30].
    #[arg(long)]
    pub seconds: Option<f64>,
    /// Seed [default: 1].
    #[arg(long)]
    pub seed: Option<i64>,
    /// Number of simulations for each champion at the end, of 60 s or twice `--seconds`, whichever is longer [default:
    /// 1000].
    #[arg(long)]
    pub remeasure: Option<i64>,
    /// World file (.toml) in place of the benchmark.
    #[arg(long, value_name = "FILE")]
    pub world: Option<String>,
    /// Robots in place of those of the world: a model (xpuck, e-puck2, pi-puck, rm1.1, rm1.2) or a file
    /// (docs/robot-models.md).
    #[arg(long, value_name = "MODEL|FILE")]
    pub robot_model: Option<String>,
    /// Number of simulations (trials). The run ends if a further generation, as large as the largest so far, would exceed
    /// it; the first generation always runs.
    #[arg(long)]
    pub simulations: Option<i64>,
    /// Calibration file (.toml) with measured values of the world (docs/calibration.md).
    #[arg(long, value_name = "FILE")]
    pub calibration: Option<String>,
    /// Primitive set (.toml): nodes, registers and ranges of the trees.
    #[arg(long, value_name = "FILE", alias = "palette")]
    pub primitive_set: Option<String>,
    /// Set any key of the file, as in `--set settings.elite=0.3`; may be repeated.
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<String>,
    #[command(flatten)]
    pub engine: EngineArgs,
    /// New folder for the record, the checkpoints, the final trees and the result.
    #[arg(short, long = "output", alias = "out", value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Continue the run in this folder. On the same engine, the result equals that of an uninterrupted run, digit by
    /// digit.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["file", "curriculum", "out", "algorithm", "islands", "population", "generations",
        "budget", "robots", "seconds", "seed", "remeasure", "world", "robot_model", "simulations", "calibration", "primitive_set", "set"])]
    pub resume: Option<PathBuf>,
    /// Also measure the Pareto front of fitness and size, and write its trees to DIR/trees/front-*.bt. The front has,
    /// for each size, the fittest tree that is not larger.
    #[arg(long)]
    pub front: bool,
    /// Print one JSON object at the end; hide the progress.
    #[arg(long)]
    pub json: bool,
    /// End when standard input is closed.
    #[arg(long, hide = true, alias = "lifeline")]
    pub end_with_stdin: bool,
}

/// Runs the command.
pub fn run(args: &EvolveArgs) -> Result<ExitCode> {
    let kept = args.resume.as_ref().or(args.out.as_ref());
    let stop = stopping::flag(kept)?;
    if args.end_with_stdin {
        shutdown::end_with_stdin()?;
    }
    let (mut evolution, mut folder) = match &args.resume {
        Some(path) => {
            let Resumed { folder, evolution, notices } = Folder::resume(path)?;
            notices.iter().for_each(|notice| log::write_raw(format_args!("xpuck: {notice}")));
            refuse_one(evolution.config())?;
            let engine = open(args, evolution.config())?;
            // A different engine is not an error, because a run may continue on a machine without the first engine's
            // adapter.
            let other = folder.other_engine(&engine.status()).filter(|_| !evolution.is_done());
            other.into_iter().for_each(|notice| log::write_raw(format_args!("xpuck: {notice}")));
            (evolution.on(engine), Some(folder))
        }
        None => {
            let file = args.file.as_deref().or(args.curriculum.as_deref());
            let config = evolution_file::load(file, overrides(args)?)?;
            refuse_one(&config)?;
            if let Some(path) = args.curriculum.as_ref().filter(|_| config.steps.is_empty()) {
                bail!("{}: has no [[steps]], so it is not a curriculum (docs/curricula.md)", path.display());
            }
            let config = Config { engine: args.engine.over(&config.engine), ..config };
            note_windows(&config);
            note_early_stopping(&config);
            let engine = open(args, &config)?;
            let folder = args.out.as_ref().map(|path| Folder::create(path, &config)).transpose()?;
            (EvolutionRun::new(config).on(engine), folder)
        }
    };
    let was_over = evolution.is_done();
    let progress = Progress::percent("evolution", args.json);
    progress.begin_at(part(&evolution));
    let ended = run_to_end(&mut evolution, folder.as_mut(), &stop, |evolution| {
        for notice in evolution.engine().drain_notices() {
            progress.suspend(|| log::write_raw(format_args!("xpuck: {}", notice.text)));
        }
        progress.set(part(evolution), PARTS);
        let (generation, mean) = (evolution.state().generation, Figure(evolution.mean_derated()));
        let step = evolution.state().course.step(&evolution.config().steps);
        let step = step.map_or(String::new(), |step| format!(" in step {:?}", step.name));
        progress.note(format!("generation {generation}, mean of the islands' best {mean:.3}{step}"));
    })?;
    drop(progress);
    if ended == Ended::Stopped {
        let path = kept.context("only a run with a folder can be stopped")?;
        let done = format!(" after generation {}, {} % of the run", evolution.state().generation, percent(&evolution));
        return Ok(stopping::stopped(&done, path));
    }
    let measuring = Instant::now();
    let mut outcome = Outcome::from_evolution(&evolution)?;
    if args.front {
        outcome = outcome.with_front(&evolution)?;
    }
    outcome.wall_s += measuring.elapsed().as_secs_f64();
    // A run that was already complete keeps its recorded times.
    if let Some(path) = kept.filter(|_| was_over) {
        outcome.wall_s = result_number(path, "wall_s").unwrap_or(outcome.wall_s);
        outcome.r_acc = result_number(path, "r_acc").unwrap_or(outcome.r_acc);
    }
    if let Some(folder) = &folder {
        folder.finish(&evolution, &outcome)?;
    }
    if args.json {
        print_json(&outcome)?;
    } else {
        print(&outcome, fresh_seconds(evolution.config()))?;
        if let Some(folder) = kept {
            let again = |place: &usize| outcome.champions[*place].remeasured;
            let best = (0..outcome.champions.len()).max_by(|a, b| again(a).total_cmp(&again(b))).unwrap_or(0);
            let island = evolution.config().numbers().nth(best).unwrap_or(0);
            let tree = folder.join(format!("trees/champion-{island}.bt"));
            output::line(format_args!(
                "# file: {}; `xpuck runs lineage {}` shows its ancestry",
                tree.display(),
                folder.display()
            ))?;
        }
    }
    if let Some(step) = evolution.state().course.step(&evolution.config().steps) {
        log::write_raw(format_args!(
            "xpuck: the run ended in step {:?} of its curriculum, before its own world; increase `generations`, or \
             make the end of the step easier to reach",
            step.name
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Opens the engine that the options select. If the options select no engine, opens the engine from the run's settings.
fn open(args: &EvolveArgs, config: &Config) -> Result<ChosenEngine> {
    engine::open(args.engine.over(&config.engine), &[&config.spec]).map_err(Error::msg)
}

/// Rejects a run that consists of a single island and exchanges genes with other processes. Such a run needs
/// `xpuck serve island`.
fn refuse_one(config: &Config) -> Result<()> {
    match config.island {
        Some(island) => bail!("this is a run of the single island {island}; use `xpuck serve island`"),
        None => Ok(()),
    }
}

/// Prints a note for each reduction of a mission whose times are not within the shortest trials.
fn note_windows(config: &Config) {
    window_notes(&config.spec, config.seconds, "the shortest trials");
    for step in &config.steps {
        window_notes(&step.spec, step.seconds.unwrap_or(config.seconds), "the shortest trials of a step");
    }
}

/// Prints a note if trials are judged before their end, but the score depends on the end.
fn note_early_stopping(config: &Config) {
    let mut specs = config.steps.iter().map(|step| &*step.spec).chain([&config.spec]);
    if config.settings.algorithm == Algorithm::MedianStopping && specs.any(|spec| spec.task.reads_end()) {
        log::write_raw(format_args!(
            "xpuck: median-stopping ends trials early, but the score of this task depends on the end of a run; compare \
             the result with racing (docs/evolution.md)"
        ));
    }
}

/// Number of progress units of a run. Generations are not the unit, because their durations may differ much.
const PARTS: u64 = 1000;

fn part(evolution: &EvolutionRun) -> u64 {
    (PARTS as f64 * evolution.done()) as u64
}

/// Returns the completed part of a run (%).
pub fn percent(evolution: &EvolutionRun) -> u64 {
    (100.0 * evolution.done()) as u64
}

/// Returns the options as keys of an evolution file.
fn overrides(args: &EvolveArgs) -> Result<Table> {
    let mut table = evolution_file::keys(&args.set)?;
    let integer = |value: Option<i64>| value.map(Value::Integer);
    let text = |value: &Option<String>| value.clone().map(Value::String);
    let keys = [
        ("algorithm", text(&args.algorithm)),
        ("islands", integer(args.islands)),
        ("generations", integer(args.generations)),
        ("budget", args.budget.map(Value::Float)),
        ("robots", integer(args.robots)),
        ("seconds", args.seconds.map(Value::Float)),
        ("seed", integer(args.seed)),
        ("remeasure", integer(args.remeasure)),
        ("world", text(&args.world)),
        ("robot", text(&args.robot_model)),
        ("simulations", integer(args.simulations)),
        ("calibration", text(&args.calibration)),
        ("primitive_set", text(&args.primitive_set)),
        ("settings", integer(args.population).map(|p| Value::Table(Table::from_iter([("population".into(), p)])))),
    ];
    let given = keys.into_iter().filter_map(|(key, value)| Some((key.to_string(), value?)));
    evolution_file::merge(&mut table, given.collect());
    Ok(table)
}

/// Prints the result of a run whose champions were measured again in runs of `seconds` (s).
fn print(outcome: &Outcome, seconds: f32) -> Result<()> {
    let islands = outcome.champions.len();
    let estimated = outcome.champions.iter().map(|champion| champion.fitness).sum::<f64>() / islands as f64;
    // `final_mean` derates champions with few trials, but the best value is not derated. Without a note, the two
    // numbers would seem to contradict each other.
    let derated = match (outcome.final_mean - estimated).abs() >= 0.0005 {
        true => format!("; mean {:.3} if derated for few trials (Eq. 8.1)", Figure(outcome.final_mean)),
        false => String::new(),
    };
    for step in &outcome.steps {
        output::line(format_args!(
            "step {:?}: {}, mean of the islands' best {:.3}",
            step.name,
            count(step.generations as usize, "generation", "generations"),
            Figure(step.best)
        ))?;
    }
    output::line(format_args!("fitness of {}", count(islands, "island's champion", "islands' champions")))?;
    output::line(format_args!(
        "  in evolution:                  mean {:.3}, best {:.3}{}{derated}",
        Figure(estimated),
        Figure(outcome.final_best),
        value_note(outcome.final_best_value)
    ))?;
    output::line(format_args!(
        "  measured again on fresh seeds: mean {:.3}{}, best {:.3}{}{}",
        Figure(outcome.remeasured_mean),
        value_note(outcome.remeasured_mean_value),
        Figure(outcome.remeasured_best),
        value_note(outcome.remeasured_best_value),
        if seconds > SECONDS { format!(" (runs of {seconds} s)") } else { String::new() }
    ))?;
    output::line(format_args!("{:.1} million robot-seconds in {:.1} s", outcome.robot_seconds / 1e6, outcome.wall_s))?;
    let adapter = outcome.adapter.as_ref().map_or(String::new(), |adapter| format!(" on {adapter}"));
    output::line(format_args!(
        "engine {}{adapter}: {:.0} robot-seconds a second (r_acc)",
        outcome.engine, outcome.r_acc
    ))?;
    if let Some(front) = &outcome.front {
        output::line(match front.is_empty() {
            true => "\nno tree has enough evaluations for a front of size and fitness",
            false => "\nnodes  measured again  in evolution  tree",
        })?;
        for one in front {
            let (again, fitness) = (Figure(one.remeasured), Figure(one.fitness));
            output::line(format_args!("{:>5}  {again:>14.3}  {fitness:>12.3}  {}", one.nodes, one.id))?;
        }
    }
    output::line(format_args!("\n# the best champion\n{}", outcome.best_tree))?;
    Ok(())
}

//! `xpuck evolve --curriculum FILE`: automata, or trees in their place, step by step in worlds of cargo (docs/curricula.md).

use crate::evolution::evolve::{COMMAND, EvolveArgs};
use crate::evolution::stopping;
use crate::terminal::progress::Progress;
use anyhow::{Context, Result, bail};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use toml::Value;
use xpuck_hub_automata::curriculum_run::{
    Folder, MAX_CURRICULUM, Outcome, Plan, Resumed, Told, is_project, run as run_to_end,
};
use xpuck_wire::file;
use xpuck_wire::output::count;
use xpuck_wire::shutdown::{self, TRY_AGAIN};
use xpuck_wire::{log, output};

/// Evolves by a curriculum in worlds of cargo, if the folder with `--resume`, or the file, is of one.
///
/// # Errors
/// The file or the folder is wrong, or cannot be written.
pub fn evolve(args: &EvolveArgs) -> Result<Option<ExitCode>> {
    let file = args.curriculum.as_ref().or(args.file.as_ref());
    match (&args.resume, file) {
        (Some(path), _) if Folder::holds_run(path) => resume(path, args).map(Some),
        (None, Some(path)) if is_of_cargo(path)? => begin(path, args).map(Some),
        _ => Ok(None),
    }
}

/// True if a curriculum file is of worlds of cargo; others are evolution files with steps.
///
/// # Errors
/// If it cannot be read.
fn is_of_cargo(path: &Path) -> Result<bool> {
    let text = file::text(path, MAX_CURRICULUM)?;
    let Ok(table) = text.parse::<toml::Table>() else { return Ok(is_project(&text) || text.contains("automata")) };
    let steps = table.get("steps").and_then(Value::as_array);
    let with_automata = |step: &Value| step.get("automata").is_some();
    Ok(table.contains_key("worlds") || steps.is_some_and(|steps| steps.iter().any(with_automata)))
}

/// Runs a curriculum in worlds of cargo from its beginning.
///
/// # Errors
/// The file is wrong, or the folder cannot be written.
fn begin(path: &Path, args: &EvolveArgs) -> Result<ExitCode> {
    refuse_flags(args)?;
    let seed = u64::try_from(args.seed.unwrap_or(1)).ok().context("--seed: 0 or more is wanted")?;
    let stop = stop(args.out.as_deref(), args)?;
    let plan = Plan::read(path, seed)?;
    let folder = args.out.as_ref().map(|path| Folder::create(path, &plan)).transpose()?;
    go(&plan, folder, &stop, args)
}

/// Goes on with the run in a folder.
///
/// # Errors
/// The folder cannot be read or written.
fn resume(path: &Path, args: &EvolveArgs) -> Result<ExitCode> {
    let stop = stop(Some(path), args)?;
    let Resumed { folder, plan } = Folder::resume(path)?;
    folder.clear_requests()?;
    go(&plan, Some(folder), &stop, args)
}

/// What is for evolution files only.
fn refuse_flags(args: &EvolveArgs) -> Result<()> {
    let given = [
        ("--algorithm", args.algorithm.is_some()),
        ("--islands", args.islands.is_some()),
        ("--population", args.population.is_some()),
        ("--generations", args.generations.is_some()),
        ("--budget", args.budget.is_some()),
        ("--robots", args.robots.is_some()),
        ("--seconds", args.seconds.is_some()),
        ("--remeasure", args.remeasure.is_some()),
        ("--world", args.world.is_some()),
        ("--calibration", args.calibration.is_some()),
        ("--primitive-set", args.primitive_set.is_some()),
        ("--set", !args.set.is_empty()),
        ("--front", args.front),
        ("--engine", args.engine.is_given()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((flag, _)) => {
            bail!("{flag} is for evolution files; a curriculum in worlds of cargo says all of it in its own")
        }
        None => Ok(()),
    }
}

/// What signals set, and the end of standard input where that is asked for.
fn stop(folder: Option<&Path>, args: &EvolveArgs) -> Result<Arc<AtomicBool>> {
    let stop = stopping::flag(COMMAND, folder)?;
    if args.end_with_stdin {
        shutdown::end_with_stdin()?;
    }
    Ok(stop)
}

fn go(plan: &Plan, mut folder: Option<Folder>, stop: &AtomicBool, args: &EvolveArgs) -> Result<ExitCode> {
    let steps = plan.scenario.steps.len() as u64;
    let progress = Progress::of("step", steps, args.json);
    let mut names: Vec<String> = Vec::new();
    let outcome = run_to_end(plan, folder.as_mut(), stop, |told| match told {
        Told::Before(step) => {
            names.push(step.name.clone());
            progress.begin_at(names.len() as u64);
        }
        Told::Generation(step, v) => {
            if !names.contains(&step.name) {
                names.push(step.name.clone());
                progress.set(names.len() as u64, steps);
            }
            progress.note(format!(
                "{}: generation {}, best {:.0}, momentum {:.3}, {} evaluations",
                step.name, v.step_generation, v.best, v.momentum, v.evaluations
            ));
        }
        Told::Notice(text) => progress.suspend(|| log::line(format_args!("xpuck: {text}"))),
    })?;
    drop(progress);
    if outcome.stopped() {
        let done = format!(" after {}", count(outcome.generations as usize, "generation", "generations"));
        let path = folder.as_ref().map(Folder::path);
        return Ok(path.map_or(ExitCode::from(TRY_AGAIN), |path| stopping::stopped(COMMAND, &done, path)));
    }
    if args.json {
        output::line(serde_json::to_string(&outcome)?)?;
    } else {
        print(&outcome)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(outcome: &Outcome) -> Result<()> {
    output::line("step                generations  evaluations          best  ended")?;
    for step in &outcome.steps {
        let ended = match step.ending.as_str() {
            "held" => "its formula holds",
            "skipped" => "it was skipped",
            "exhausted" => "no generation is left (key `generations`)",
            "before" => "in an earlier process",
            other => other,
        };
        output::line(format_args!(
            "{:<20}{:>11}  {:>11}  {:>12.0}  {ended}",
            step.name, step.generations, step.evaluations, step.best
        ))?;
    }
    output::line(format_args!(
        "\n{} after {} and {} in {:.1} s",
        if outcome.solved { "solved" } else { "not solved" },
        count(outcome.generations as usize, "generation", "generations"),
        count(outcome.evaluations as usize, "evaluation", "evaluations"),
        outcome.wall_s
    ))?;
    if let Some(fresh) = &outcome.fresh {
        output::line(format_args!(
            "in {} fresh runs: script {} {:.2} times a run, none in {}; score {:.0}",
            fresh.runs, fresh.script, fresh.times, fresh.without, fresh.score
        ))?;
    }
    output::line(format_args!("\n{}", outcome.controller.trim_end()))?;
    // Last, where who looks at the end only sees it.
    if let Some(step) = outcome.steps.last().filter(|_| !outcome.solved) {
        output::line(format_args!(
            "\nnot solved: the end of step {:?} never held; give the curriculum more `generations`",
            step.name
        ))?;
    }
    Ok(())
}

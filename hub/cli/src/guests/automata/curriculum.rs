//! `xpuck evolve` with a curriculum in worlds of cargo. Automata, or trees in their place, evolve step by step
//! (docs/curricula.md).

use crate::evolution::stopping;
use crate::terminal::print_json;
use crate::terminal::progress::Progress;
use anyhow::{Result, bail};
use clap::Args;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use xpuck_hub_automata::curriculum_run::{Folder, Outcome, Plan, Resumed, RunEvent, run as run_to_end};
use xpuck_wire::output::count;
use xpuck_wire::shutdown::{self, TRY_AGAIN};
use xpuck_wire::{log, output};

/// Options of `xpuck evolve` for a curriculum in worlds of cargo. The curriculum describes the whole run.
#[derive(Args)]
pub struct CurriculumArgs {
    /// Curriculum (.toml), or a project of the original program (.prj).
    file: Option<PathBuf>,
    /// Curriculum, as a named option.
    #[arg(long, value_name = "FILE", conflicts_with = "file")]
    curriculum: Option<PathBuf>,
    /// Seed.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// New folder for the record, the checkpoints, the final trees and the result.
    #[arg(short, long = "output", alias = "out", value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue the run in this folder.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["file", "curriculum", "seed", "out"])]
    resume: Option<PathBuf>,
    /// Print one JSON object at the end; hide the progress.
    #[arg(long)]
    json: bool,
    /// End when standard input is closed.
    #[arg(long, hide = true, alias = "lifeline")]
    end_with_stdin: bool,
}

/// Runs `xpuck evolve` for automata, or for trees in their place.
///
/// # Errors
/// The file or the folder is invalid, or cannot be written.
pub fn evolve(args: &CurriculumArgs) -> Result<ExitCode> {
    match (&args.resume, args.curriculum.as_ref().or(args.file.as_ref())) {
        (Some(path), _) => resume(path, args),
        (None, Some(path)) => begin(path, args),
        (None, None) => bail!("the curriculum is missing; add its file (docs/curricula.md)"),
    }
}

/// Starts the run of a curriculum in worlds of cargo.
///
/// # Errors
/// The file is invalid, or the folder cannot be written.
fn begin(path: &Path, args: &CurriculumArgs) -> Result<ExitCode> {
    let stop = stop(args.out.as_deref(), args)?;
    let plan = Plan::read(path, args.seed)?;
    let folder = args.out.as_ref().map(|path| Folder::create(path, &plan)).transpose()?;
    go(&plan, folder, &stop, args)
}

/// Continues the run in a folder.
///
/// # Errors
/// The folder cannot be read or written.
fn resume(path: &Path, args: &CurriculumArgs) -> Result<ExitCode> {
    let stop = stop(Some(path), args)?;
    let Resumed { folder, plan } = Folder::resume(path)?;
    folder.clear_requests()?;
    go(&plan, Some(folder), &stop, args)
}

/// Returns the stop flag of the run. SIGINT and SIGTERM set the flag if the run has a folder. With `--end-with-stdin`,
/// the process exits as soon as standard input ends.
fn stop(folder: Option<&Path>, args: &CurriculumArgs) -> Result<Arc<AtomicBool>> {
    let stop = stopping::flag(folder)?;
    if args.end_with_stdin {
        shutdown::end_with_stdin()?;
    }
    Ok(stop)
}

fn go(plan: &Plan, mut folder: Option<Folder>, stop: &AtomicBool, args: &CurriculumArgs) -> Result<ExitCode> {
    let steps = plan.scenario.steps.len() as u64;
    let progress = Progress::steps("step", steps, args.json);
    let mut names: Vec<String> = Vec::new();
    let outcome = run_to_end(plan, folder.as_mut(), stop, |told| match told {
        RunEvent::Before(step) => {
            names.push(step.name.clone());
            progress.begin_at(names.len() as u64);
        }
        RunEvent::Generation(step, v) => {
            if !names.contains(&step.name) {
                names.push(step.name.clone());
                progress.set(names.len() as u64, steps);
            }
            progress.note(format!(
                "{}: generation {}, best {:.0}, momentum {:.3}, {} evaluations",
                step.name, v.step_generation, v.best, v.momentum, v.evaluations
            ));
        }
        RunEvent::Notice(text) => progress.suspend(|| log::write_raw(format_args!("xpuck: {text}"))),
    })?;
    drop(progress);
    if outcome.stopped() {
        let done = format!(" after {}", count(outcome.generations as usize, "generation", "generations"));
        let path = folder.as_ref().map(Folder::path);
        return Ok(path.map_or(ExitCode::from(TRY_AGAIN), |path| stopping::stopped(&done, path)));
    }
    if args.json {
        print_json(&outcome)?;
    } else {
        print(&outcome)?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(outcome: &Outcome) -> Result<()> {
    output::line("step                generations  evaluations          best  ended")?;
    for step in &outcome.steps {
        let ended = match step.ending.as_str() {
            "held" => "end formula holds",
            "skipped" => "skipped",
            "exhausted" => "out of generations (key `generations`)",
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
            "in {} fresh runs: script {} {:.2} times a run, {} runs without it; score {:.0}",
            fresh.runs, fresh.script, fresh.times, fresh.without, fresh.score
        ))?;
    }
    output::line(format_args!("\n{}", outcome.controller.trim_end()))?;
    // The note on a missing solution is printed last, because some users read only the end of the output.
    if let Some(step) = outcome.steps.last().filter(|_| !outcome.solved) {
        output::line(format_args!(
            "\nnot solved: the end of step {:?} never held; give the curriculum more `generations`",
            step.name
        ))?;
    }
    Ok(())
}

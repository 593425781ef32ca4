//! A run from where it stands to its end, or to where it is told to stop.

use super::folder::Folder;
use super::outcome::{Outcome, StepOutcome};
use super::plan::Plan;
use crate::evolution_run::FolderError;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use xpuck_evolve::curriculum::Progress;
use xpuck_evolve::scenario::{Ask, Generation, Population};
use xpuck_kernels::cargo::{Automata, Trials, Tried, try_all};

/// What a watcher is told.
pub enum Told<'a> {
    /// A generation.
    Generation(&'a Generation<'a>),
    /// Something that is no reason to end.
    Notice(String),
}

/// Runs the steps that are left. Generations and steps are kept in the folder, if there is one; `stop`, or a file of that name
/// in it, ends the run after the generation in hand.
///
/// # Errors
/// If the folder cannot be written; all steps before are kept.
pub fn run(
    plan: &Plan,
    mut folder: Option<&mut Folder>,
    done: &BTreeMap<usize, Population>,
    stop: &AtomicBool,
    mut watch: impl FnMut(Told),
) -> Result<Outcome, FolderError> {
    let began = Instant::now();
    let mut cache = folder.as_mut().and_then(|folder| folder.cache.take());
    let mut notices = Vec::new();
    let mut trouble = None;
    let evaluate = |controllers: &[Automata], trials: &Trials| -> Vec<Tried> {
        if let Some(open) = &mut cache {
            match open.tried(controllers, trials, try_all) {
                Ok(tried) => return tried,
                Err(error) => {
                    notices.push(format!("fitness.sqlite: {error}; going on without it"));
                    cache = None;
                }
            }
        }
        try_all(controllers, trials)
    };
    let report = plan.scenario.run(plan.seed, done, evaluate, |generation| {
        watch(Told::Generation(generation));
        let asked = match (&folder, stop.load(Ordering::Relaxed)) {
            (_, true) => Ask::Stop,
            (Some(folder), false) => folder.asked(),
            (None, false) => Ask::GoOn,
        };
        let kept = keep(folder.as_deref_mut(), plan, generation, asked);
        match kept {
            Ok(()) => asked,
            Err(error) => {
                trouble = Some(error);
                Ask::Stop
            }
        }
    });
    for notice in notices {
        watch(Told::Notice(notice));
    }
    if let Some(error) = trouble {
        return Err(error);
    }
    let kept = |name: &str| folder.as_ref()?.told(&plan.scenario, name);
    let outcome = Outcome::of(plan, &report, kept, began.elapsed().as_secs_f64());
    if let Some(folder) = &folder
        && !outcome.stopped()
    {
        folder.finish(&outcome)?;
    }
    Ok(outcome)
}

fn keep(folder: Option<&mut Folder>, plan: &Plan, generation: &Generation, asked: Ask) -> Result<(), FolderError> {
    let Some(folder) = folder else { return Ok(()) };
    folder.note(generation)?;
    let over = generation.progress == Progress::Done || (generation.progress == Progress::Goes && asked == Ask::Skip);
    if over {
        folder.keep(&plan.scenario, generation, &StepOutcome::of(generation, asked))?;
    }
    Ok(())
}

//! Execution of a run from its current state to its end, or to a stop request.

use super::cache::Cache;
use super::controller_kind::SavedKind;
use super::folder::Folder;
use super::outcome::{Outcome, StepOutcome};
use super::plan::{Plan, PlanError};
use crate::arbiters::TreeSpecies;
use crate::automata::AutomataSpecies;
use crate::scenario::{Evolving, Generation, Kind, Population, Report, Request, Step, StepAlgorithm};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;
use xpuck_automata::cargo::{ControllerScores, Trials, score_runs};
use xpuck_evolve::curriculum::{StepState, Variables};
use xpuck_lab::run_folder::FolderError;

/// Event for an observer of a run.
pub enum RunEvent<'a> {
    /// A step was completed by an earlier process.
    Before(&'a Step),
    /// A generation of this step was evaluated. The event contains the step's variables after this generation.
    Generation(&'a Step, &'a Variables),
    /// A problem occurred that does not end the run.
    Notice(String),
}

/// Runs the remaining steps. If a folder is given, generations and steps are saved in it. `stop`, or a stop file in
/// the folder, ends the run after the current generation.
///
/// # Errors
/// If the content of the folder is damaged, or the folder cannot be written. Completed steps stay saved.
pub fn run(
    plan: &Plan,
    folder: Option<&mut Folder>,
    stop: &AtomicBool,
    watch: impl FnMut(RunEvent),
) -> Result<Outcome, PlanError> {
    match (plan.scenario.species, plan.scenario.algorithm) {
        (Evolving::Automata, _) => run_kind(plan, folder, stop, watch, generational::<AutomataSpecies>),
        (Evolving::Tree, StepAlgorithm::Generational) => {
            run_kind(plan, folder, stop, watch, generational::<TreeSpecies>)
        }
        (Evolving::Tree, StepAlgorithm::Racing) => run_kind(plan, folder, stop, watch, race),
    }
}

/// Input of an algorithm: plan, populations of completed steps, and cache of evaluations.
struct RunInput<'a, S: SavedKind> {
    plan: &'a Plan,
    done: BTreeMap<usize, Population<S::Genome>>,
    cache: Option<Cache>,
}

/// Report of a run, and a message about a problem that did not end the run, if any.
type RunResult<S> = (Report<<S as Kind>::Controller>, Option<String>);

/// Callback for each generation, which returns a request.
type Observer<'a, S> = &'a mut dyn FnMut(&Generation<S>) -> Request;

/// Runs the plan with Petrovic's algorithm.
fn generational<S: SavedKind>(given: RunInput<S>, see: Observer<S>) -> RunResult<S> {
    let RunInput { plan, done, mut cache } = given;
    let mut notice = None;
    let evaluate = |controllers: &[S::Controller], trials: &Trials| -> Vec<ControllerScores> {
        if let Some(open) = &mut cache {
            match open.tried::<S>(controllers, trials, S::try_all) {
                Ok(tried) => return tried,
                Err(error) => {
                    notice = Some(format!("fitness.sqlite: {error}; continuing without this cache"));
                    cache = None;
                }
            }
        }
        S::try_all(controllers, trials)
    };
    let report = plan.scenario.run_kind::<S>(plan.seed, &done, evaluate, see);
    (report, notice)
}

/// Runs the plan with the racing algorithm. The cache is not used, because this algorithm evaluates single runs.
fn race(given: RunInput<TreeSpecies>, see: Observer<TreeSpecies>) -> RunResult<TreeSpecies> {
    (given.plan.scenario.run_race(given.plan.seed, &given.done, score_runs, see), None)
}

fn run_kind<S: SavedKind>(
    plan: &Plan,
    mut folder: Option<&mut Folder>,
    stop: &AtomicBool,
    mut watch: impl FnMut(RunEvent),
    evolve: impl FnOnce(RunInput<S>, Observer<S>) -> RunResult<S>,
) -> Result<Outcome, PlanError> {
    let began = Instant::now();
    let done = folder.as_mut().map(|folder| folder.completed::<S>(&plan.scenario)).transpose()?.unwrap_or_default();
    done.keys().for_each(|&i| watch(RunEvent::Before(&plan.scenario.steps[i])));
    let cache = folder.as_mut().and_then(|folder| folder.cache.take());
    let mut trouble = None;
    let (report, notice) = evolve(RunInput { plan, done, cache }, &mut |generation| {
        watch(RunEvent::Generation(generation.step, generation.variables));
        let asked = match (&folder, stop.load(Ordering::Relaxed)) {
            (_, true) => Request::Stop,
            (Some(folder), false) => folder.request(),
            (None, false) => Request::GoOn,
        };
        let kept = keep(folder.as_deref_mut(), plan, generation, asked);
        match kept {
            Ok(()) => asked,
            Err(error) => {
                trouble = Some(error);
                Request::Stop
            }
        }
    });
    if let Some(notice) = notice {
        watch(RunEvent::Notice(notice));
    }
    if let Some(error) = trouble {
        return Err(error.into());
    }
    let kept = |name: &str| folder.as_ref()?.step_outcome(&plan.scenario, name);
    let outcome = Outcome::new::<S>(plan, &report, kept, began.elapsed().as_secs_f64());
    if let Some(folder) = &folder
        && !outcome.stopped()
    {
        folder.finish::<S>(&outcome)?;
    }
    Ok(outcome)
}

fn keep<S: SavedKind>(
    folder: Option<&mut Folder>,
    plan: &Plan,
    generation: &Generation<S>,
    asked: Request,
) -> Result<(), FolderError> {
    let Some(folder) = folder else { return Ok(()) };
    folder.note(generation)?;
    let over =
        generation.progress == StepState::Done || (generation.progress == StepState::Goes && asked == Request::Skip);
    if over {
        folder.save_step(&plan.scenario, generation, &StepOutcome::from_generation(generation, asked))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    const TREES: &str = include_str!("../../../../docs/curricula/cargo-trees.toml");

    fn read(path: &Path) -> String {
        std::fs::read_to_string(path).unwrap()
    }

    /// Executes the run to its end, or for one generation if a stop file exists.
    fn go(plan: &Plan, folder: &mut Folder) -> Outcome {
        run(plan, Some(folder), &AtomicBool::new(false), |_| {}).unwrap()
    }

    #[test]
    fn resumed_step_equals_uninterrupted_step() {
        let second = TREES.match_indices("[[steps]]").nth(1).unwrap().0;
        let text = TREES[..second].replacen("and learning-momentum < 50", "and gennum >= 3", 1);
        for text in [text.clone(), format!("algorithm = \"racing\"\n{text}")] {
            stopped_and_gone_on_with(&text);
        }
    }

    fn stopped_and_gone_on_with(text: &str) {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("c.toml"), text).unwrap();
        let plan = Plan::read(&dir.path().join("c.toml"), 5).unwrap();
        let [whole, cut] = ["whole", "cut"].map(|name| dir.path().join(name));
        let first = go(&plan, &mut Folder::create(&whole, &plan).unwrap());
        assert!(first.solved && !first.stopped());
        assert_eq!(read(&whole.join("controller.bt")), first.controller);
        {
            let mut folder = Folder::create(&cut, &plan).unwrap();
            std::fs::write(cut.join("stop"), "").unwrap();
            assert!(go(&plan, &mut folder).stopped());
            assert!(!cut.join("result.json").exists());
        }
        {
            let mut resumed = Folder::resume(&cut).unwrap();
            resumed.folder.clear_requests().unwrap();
            assert_eq!(go(&resumed.plan, &mut resumed.folder).controller, first.controller);
        }
        let files = ["best.bt", "population.txt", "tree.svg", "world.svg", "account.txt", "step.toml"];
        let of_step = files.map(|name| format!("steps/1-avoid/{name}"));
        for file in ["generations.csv", "controller.bt"].into_iter().chain(of_step.iter().map(String::as_str)) {
            assert_eq!(read(&cut.join(file)), read(&whole.join(file)), "{file}");
        }
        // The outcome of a completed step is read from its files.
        let mut again = Folder::resume(&cut).unwrap().folder;
        let last = go(&plan, &mut again);
        assert_eq!((last.controller, last.generations), (first.controller, first.generations));
    }
}

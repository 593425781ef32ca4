//! Studies of trees and of evolution. Each study answers one question by many simulations.

use crate::tree::Tree;
use crate::world::World;
use crate::{engine, errors, evolution, pool};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use toml::Table;
use xpuck_kernels::engine::{ChosenEngine, Engine, Job, Outcome};
use xpuck_kernels::tree::Program;
use xpuck_kernels::world::WorldSpec;
use xpuck_lab::evolution_run::Config;
use xpuck_lab::evolution_run::file::load;
use xpuck_lab::study::findings::Findings;
use xpuck_lab::study::{
    Budget, StudyError, Worlds, ablate, adapt, branches, hetero, migrate, mix, perturb, size, swarm_trees, transfer,
    tune, with_size,
};

/// Interval for checking for Ctrl-C and reporting the progress of a study.
const LOOK: Duration = Duration::from_millis(20);
/// Number of jobs between two checks for a stop request.
const AT_ONCE: usize = 256;

/// Findings of a study: JSON, sentences, figure (SVG), and table (CSV).
type StudyResult = (String, Vec<String>, String, String);

/// Progress and stop request of a study, shared between threads.
#[derive(Default)]
struct Watch {
    stop: AtomicBool,
    done: AtomicUsize,
    total: AtomicUsize,
}

impl Watch {
    fn set(&self, done: usize, total: usize) {
        self.done.store(done, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
    }

    fn inc(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

/// Engine that returns only zeros after a stop request, so that a cancelled study ends quickly.
struct Stoppable<'a> {
    engine: &'a dyn Engine,
    watch: &'a Watch,
}

impl Engine for Stoppable<'_> {
    fn name(&self) -> &'static str {
        self.engine.name()
    }

    fn run(&self, programs: &[Program], jobs: &[Job<'_>]) -> Vec<Outcome> {
        let run = |jobs: &[Job<'_>]| match self.watch.is_stopped() {
            true => vec![Outcome { fitness: 0.0, hash: 0 }; jobs.len()],
            false => self.engine.run(programs, jobs),
        };
        // A device gets all jobs at once, because it is efficient only with large batches.
        let at_once = if self.engine.device().is_some() { usize::MAX } else { AT_ONCE };
        jobs.chunks(at_once).flat_map(run).collect()
    }
}

/// Runs a study on all threads. `show` is called regularly with the completed share (0..=1). Ctrl-C cancels the
/// study.
fn run<F: Findings>(
    py: Python<'_>,
    show: &Bound<'_, PyAny>,
    engine: &Arc<ChosenEngine>,
    total: usize,
    study: impl FnOnce(&dyn Engine, &Watch) -> Result<F, StudyError> + Send,
) -> PyResult<StudyResult> {
    let watch = Watch { total: AtomicUsize::new(total), ..Watch::default() };
    let threads = pool::threads_of_process()?;
    let found = std::thread::scope(|scope| {
        let watch = &watch;
        let working = scope.spawn(move || {
            let stoppable = Stoppable { engine: &**engine, watch };
            threads.install(|| study(&stoppable, watch).map_err(|error| error.to_string()).and_then(to_found))
        });
        while !working.is_finished() {
            py.detach(|| std::thread::sleep(LOOK));
            let share = watch.done.load(Ordering::Relaxed) as f64 / watch.total.load(Ordering::Relaxed).max(1) as f64;
            if let Err(stopped) = py.check_signals().and_then(|()| show.call1((share.min(1.0),)).map(drop)) {
                watch.stop.store(true, Ordering::Relaxed);
                return Err(stopped);
            }
        }
        // A panic is resumed in Python's thread, where it becomes a Python exception.
        working.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)).map_err(errors::value)
    });
    engine::report_notice(py, &**engine)?;
    found
}

fn to_found(found: impl Findings) -> Result<StudyResult, String> {
    let json = serde_json::to_string(&found).map_err(|error| error.to_string())?;
    let csv = found.csv().map_err(|error| error.to_string())?;
    Ok((json, found.sentences(), found.figure(), String::from_utf8_lossy(&csv).into_owned()))
}

fn budget(seconds: f32, runs: u32, seed: u64) -> PyResult<Budget> {
    Budget::new(seconds, runs, seed).map_err(errors::value)
}

/// Compiles each of the named trees.
fn programs(trees: &[(String, PyRef<'_, Tree>)]) -> PyResult<Vec<(String, Program)>> {
    trees.iter().map(|(name, tree)| Ok((name.clone(), tree.program()?))).collect()
}

/// Returns a configuration from keys of an evolution file in JSON. `generations` and `seed` are used if the keys do
/// not contain them.
fn config(settings: &str, generations: u32, seed: u64) -> PyResult<Config> {
    load(None, table(settings, generations, Some(seed))?).map_err(errors::value)
}

fn table(settings: &str, generations: u32, seed: Option<u64>) -> PyResult<Table> {
    let mut table = evolution::table(settings)?;
    table.entry("generations").or_insert(i64::from(generations).into());
    if let Some(seed) = seed {
        let seed =
            i64::try_from(seed).map_err(|_| errors::value(format!("seed = {seed}: must be at most {}", i64::MAX)))?;
        table.entry("seed").or_insert(seed.into());
    }
    Ok(table)
}

/// Opens the engine of a study, and checks that it supports these worlds.
fn opened((name, adapter): (String, Option<String>), specs: &[&WorldSpec]) -> PyResult<Arc<ChosenEngine>> {
    engine::open(&name, adapter.as_deref(), specs)
}

/// Simulations from which each reported number is computed: duration of a run (s), number of runs, and seed.
type Much = (f32, u32, u64);
/// Name of an engine, and its adapter if one is chosen.
type On = (String, Option<String>);

/// Studies how fitness depends on the number of robots.
#[pyfunction]
pub fn study_size(
    py: Python<'_>,
    tree: PyRef<'_, Tree>,
    world: &World,
    sizes: Vec<usize>,
    much: Much,
    on: On,
    show: &Bound<'_, PyAny>,
) -> PyResult<StudyResult> {
    let (budget, program) = (budget(much.0, much.1, much.2)?, tree.program()?);
    let sizes = with_size(&sizes, 1);
    let worlds = Worlds::from_sizes(&sizes, |size| world.of_size(size))?;
    let engine = opened(on, &worlds.all())?;
    run(py, show, &engine, sizes.len(), |engine, watch| {
        size::study(engine, &program, &sizes, |size| worlds.of_size(size), budget, || watch.inc())
    })
}

/// Studies the fitness of swarms in which some robots run one tree and the others run a second tree. All splits of the
/// robots are simulated.
#[pyfunction]
pub fn study_mix(
    py: Python<'_>,
    trees: Vec<(String, PyRef<'_, Tree>)>,
    world: &World,
    much: Much,
    on: On,
    show: &Bound<'_, PyAny>,
) -> PyResult<StudyResult> {
    let budget = budget(much.0, much.1, much.2)?;
    let trees: [(String, Program); 2] =
        programs(&trees)?.try_into().map_err(|_| errors::value("a mixture is of two trees"))?;
    let engine = opened(on, &[&world.spec])?;
    run(py, show, &engine, world.spec.robots + 1, |engine, watch| {
        mix::study(engine, trees, &world.spec, budget, || watch.inc())
    })
}

/// Studies how fitness depends on random start poses near the frisbee.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "Python's wrapper names them")]
pub fn study_perturb(
    py: Python<'_>,
    trees: Vec<(String, PyRef<'_, Tree>)>,
    robots: usize,
    centre: (f32, f32, f32),
    by: (f32, f32, f32),
    bin: f64,
    much: Much,
    on: On,
    show: &Bound<'_, PyAny>,
) -> PyResult<StudyResult> {
    let (budget, programs) = (budget(much.0, much.1, much.2)?, programs(&trees)?);
    let engine = opened(on, &[&WorldSpec::benchmark(2)])?;
    let perturbation = perturb::Perturbation { robots, centre, by, bin };
    run(py, show, &engine, 1, |engine, watch| {
        perturb::study(engine, &programs, perturbation, budget, |done, total| watch.set(done, total))
    })
}

/// Studies the effect of each branch and each constant on fitness.
#[pyfunction]
pub fn study_ablate(
    py: Python<'_>,
    tree: PyRef<'_, Tree>,
    world: &World,
    much: Much,
    on: On,
    show: &Bound<'_, PyAny>,
) -> PyResult<StudyResult> {
    let (budget, tree) = (budget(much.0, much.1, much.2)?, tree.tree.clone());
    let engine = opened(on, &[&world.spec])?;
    run(py, show, &engine, 1, |engine, watch| {
        ablate::study(engine, &tree, &world.spec, budget, |done, total| watch.set(done, total))
    })
}

/// Studies how often each branch drives a robot, depending on the robot's position relative to the frisbee.
#[pyfunction]
pub fn study_branches(
    py: Python<'_>,
    tree: PyRef<'_, Tree>,
    world: &World,
    much: Much,
    show: &Bound<'_, PyAny>,
) -> PyResult<StudyResult> {
    let (budget, tree) = (budget(much.0, much.1, much.2)?, tree.tree.clone());
    // The study simulates its worlds itself, to observe their leaves. The engine is opened only because `run` requires
    // one.
    let engine = engine::open("simd", None, &[])?;
    run(py, show, &engine, budget.runs as usize, |_, watch| branches::study(&tree, &world.spec, budget, || watch.inc()))
}

/// Tunes the numeric constants of a tree by CMA-ES. `search` contains the number of generations, and the number of
/// runs per candidate.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "Python's wrapper names them")]
pub fn study_tune(
    py: Python<'_>,
    tree: PyRef<'_, Tree>,
    world: &World,
    sizes: Vec<usize>,
    search: (u32, u32),
    much: Much,
    on: On,
    show: &Bound<'_, PyAny>,
) -> PyResult<StudyResult> {
    let (generations, trials) = search;
    if !(1..=10_000).contains(&generations) || !(1..=100_000).contains(&trials) {
        return Err(errors::value("generations must be 1 to 10000, and trials 1 to 100000"));
    }
    let plan = tune::TunePlan { generations, trials, budget: budget(much.0, much.1, much.2)? };
    let (tree, robots) = (tree.tree.clone(), world.spec.robots);
    let sizes = with_size(&sizes, robots);
    let worlds = Worlds::from_sizes(&sizes, |size| world.of_size(size))?;
    let engine = opened(on, &worlds.all())?;
    run(py, show, &engine, 1, |engine, watch| {
        let spec = |size: usize| worlds.of_size(size);
        tune::study(engine, &tree, robots, &sizes, spec, plan, |done, total| watch.set(done, total))
    })
}

/// Studies swarms whose robots run different trees. `counts` contains the number of runs of each homogeneous swarm (one
/// tree on all robots), and the number of swarms with randomly drawn trees.
#[pyfunction]
pub fn study_hetero(
    py: Python<'_>,
    runs: Vec<PathBuf>,
    world: &World,
    counts: (u32, usize),
    much: Much,
    on: On,
    show: &Bound<'_, PyAny>,
) -> PyResult<StudyResult> {
    let (alone, drawn) = counts;
    if !(1..=1_000_000).contains(&alone) || drawn > 100_000 {
        return Err(errors::value("alone must be 1 to 1000000, and drawn 0 to 100000"));
    }
    let plan = hetero::HeteroPlan { mixed: budget(much.0, much.1, much.2)?, alone, drawn };
    let trees: Vec<hetero::RunTrees> = runs
        .iter()
        .map(|run| swarm_trees::read(run).map_err(|error| errors::of_file(run, error)))
        .collect::<PyResult<_>>()?;
    let engine = opened(on, &[&world.spec])?;
    run(py, show, &engine, 1, |engine, watch| {
        hetero::study(engine, &trees, &world.spec, plan, |done, total| watch.set(done, total))
    })
}

/// Studies how the interval between exchanges of genes affects evolution.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "Python's wrapper names them")]
pub fn study_migrate(
    py: Python<'_>,
    settings: &str,
    generations: u32,
    rates: Vec<u32>,
    seeds: u32,
    seed: u64,
    runs: u32,
    on: On,
    show: &Bound<'_, PyAny>,
) -> PyResult<StudyResult> {
    if let Some(rate) = rates.iter().find(|rate| **rate > 1000) {
        return Err(errors::value(format!(
            "rates contains {rate}; a rate must be 1 to 1000 generations, or 0 for no migration"
        )));
    }
    let seeds = counted(seeds)?;
    let config = config(settings, generations, seed)?;
    let budget = budget(60.0, runs, config.seed)?;
    let engine = opened(on, &[&config.spec])?;
    let total = rates.len() * seeds * config.generations as usize;
    run(py, show, &engine, total, |engine, watch| {
        migrate::study(engine, &config, &rates, seeds, budget, &watch.stop, || watch.inc())
    })
}

/// Studies how evolution adapts to a change of the world. `generations` contains the number of generations before the
/// change, and their number after the change.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "Python's wrapper names them")]
pub fn study_adapt(
    py: Python<'_>,
    settings: &str,
    change: (String, f32),
    generations: (u32, u32),
    pace: f64,
    seeds: u32,
    seed: u64,
    runs: u32,
    on: On,
    show: &Bound<'_, PyAny>,
) -> PyResult<StudyResult> {
    let (before, after) = generations;
    if !(1..=10_000).contains(&before) || !(1..=10_000).contains(&after) {
        return Err(errors::value("the generations before and after the change must be 1 to 10000"));
    }
    let seeds = counted(seeds)?;
    let plan = adapt::AdaptPlan::new(&change.0, change.1, [before, after], pace, seeds).map_err(errors::value)?;
    let config = config(settings, before + after, seed)?;
    let budget = budget(60.0, runs, config.seed)?;
    let engine = opened(on, &[&config.spec])?;
    let total = seeds * (2 * before + 4 * after) as usize;
    run(py, show, &engine, total, |engine, watch| {
        adapt::study(engine, &config, plan, budget, || {
            watch.inc();
            watch.is_stopped()
        })
    })
}

/// Compares settings of evolution, by the fitness of the evolved trees in the world `real`. If `real` is `None`, the
/// world of the first setting is used.
#[pyfunction]
#[allow(clippy::too_many_arguments, reason = "Python's wrapper names them")]
pub fn study_transfer(
    py: Python<'_>,
    files: Vec<PathBuf>,
    real: Option<PathBuf>,
    settings: &str,
    generations: u32,
    seeds: u32,
    runs: u32,
    on: On,
    show: &Bound<'_, PyAny>,
) -> PyResult<StudyResult> {
    let seeds = counted(seeds)?;
    if files.is_empty() {
        return Err(errors::value("files is empty; list evolution files, of which the first is the reference"));
    }
    let levels = transfer::levels(&files, &table(settings, generations, None)?).map_err(errors::value)?;
    let real = real.map(|file| transfer::measured(&levels, &file)).transpose().map_err(errors::value)?;
    let budget = budget(60.0, runs, levels[0].config.seed)?;
    let mut specs: Vec<_> = levels.iter().map(|level| &level.config.spec).collect();
    specs.extend(&real);
    let engine = opened(on, &specs)?;
    let generations: usize = levels.iter().map(|level| level.config.generations as usize).sum();
    run(py, show, &engine, generations * seeds, |engine, watch| {
        transfer::study(engine, &levels, real.as_ref(), seeds, budget, &watch.stop, || watch.inc())
    })
}

/// Validates the number of seeds of a study (1..=1000).
fn counted(seeds: u32) -> PyResult<usize> {
    match seeds {
        1..=1000 => Ok(seeds as usize),
        _ => Err(errors::value(format!("seeds = {seeds}: must be 1 to 1000"))),
    }
}

//! Simulation of trees in worlds.

use crate::fitness::{Function, jobs_between_looks, score};
use crate::tree::Tree;
use crate::world::World;
use crate::{engine, errors, pool};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use xpuck_kernels::engine::{Engine, Job, Outcome, Simd, Team};
use xpuck_kernels::model::CONTROL_PERIOD;
use xpuck_kernels::tree::Program;
use xpuck_kernels::world::Sensing;

/// Number of jobs between two checks for Ctrl-C on an engine of unknown speed.
const BATCH_OF_OTHERS: usize = 65_536;

/// Returns the fitness of each job, and a hash of its final body positions, as two arrays of the shape (jobs,). Each
/// row of `teams`, `seeds` and `worlds` is a job. `teams` has the shape (jobs, robots) with the tree number of each
/// robot, or the shape (jobs, 1) if all robots run one tree. `worlds` contains world numbers: a seed and a world number
/// determine the random draws of a world. Consecutive world numbers use the start rules in turn. `function` computes
/// the fitness, if it is not that of the world's task.
#[pyfunction]
#[pyo3(signature = (trees, world, teams, seeds, worlds, seconds, all_senses, on, function))]
#[allow(clippy::too_many_arguments, reason = "Python's wrapper names them")]
#[allow(clippy::type_complexity, reason = "two arrays")]
pub fn simulate<'py>(
    py: Python<'py>,
    trees: Vec<PyRef<'py, Tree>>,
    world: &World,
    teams: PyReadonlyArray2<'py, u32>,
    seeds: PyReadonlyArray1<'py, u64>,
    worlds: PyReadonlyArray1<'py, u32>,
    seconds: f64,
    all_senses: bool,
    on: (String, Option<String>),
    function: Option<Function<'py>>,
) -> PyResult<(Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<u64>>)> {
    let programs: Vec<Program> = trees.iter().map(|tree| tree.program()).collect::<PyResult<_>>()?;
    let (robots, columns) = (world.spec.robots, teams.shape()[1]);
    if columns != 1 && columns != robots {
        return Err(errors::value(format!(
            "teams has {columns} columns; it must have 1 column or {robots} columns, one per robot"
        )));
    }
    let updates = updates(seconds)?;
    // NumPy arrays may be non-contiguous, so their values are copied.
    let team_rows: Vec<Team> = teams.as_array().outer_iter().map(|row| team(row.iter().copied())).collect();
    if let Some(tree) = teams.as_array().iter().find(|tree| **tree as usize >= programs.len()) {
        return Err(errors::value(format!(
            "teams contains the index {tree}; it must be below {}, the number of trees",
            programs.len()
        )));
    }
    let rows = team_rows.into_iter().zip(seeds.as_array()).zip(worlds.as_array());
    let jobs: Vec<Job<'_>> = rows
        .map(|((team, seed), number)| {
            let (seed, number) = (*seed, *number);
            Job { spec: &world.spec, start: number as usize, team, seed, world: number, updates }
        })
        .collect();
    let chosen = match (on.0.as_str(), &on.1) {
        ("simd", None) => None,
        (name, adapter) => Some(engine::open(name, adapter.as_deref(), &[&world.spec])?),
    };
    if chosen.is_some() && all_senses {
        return Err(errors::value("all_senses = True requires engine = \"simd\""));
    }
    let simd = Simd { sensing: all_senses.then_some(Sensing::ALL) };
    if let Some(function) = function {
        if chosen.is_some() {
            return Err(errors::value(format!("engine = {:?}: fitness requires engine = \"simd\"", on.0)));
        }
        return Ok(arrays(py, &score(py, &simd, &programs, &jobs, &function)?));
    }
    let engine: &dyn Engine = chosen.as_deref().map_or(&simd, |chosen| chosen);
    // Engines other than "simd" get large batches, and divide them further themselves.
    let at_once = if chosen.is_some() { BATCH_OF_OTHERS } else { jobs_between_looks(robots, updates)? };
    let mut outcomes = Vec::with_capacity(jobs.len());
    for jobs in jobs.chunks(at_once) {
        outcomes.extend(pool::compute(py, || engine.run(&programs, jobs))?);
        py.check_signals()?;
    }
    if let Some(engine) = chosen {
        engine::report_notice(py, &*engine)?;
    }
    Ok(arrays(py, &outcomes))
}

/// Returns the fitness and the hash of each outcome.
fn arrays<'py>(py: Python<'py>, outcomes: &[Outcome]) -> (Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<u64>>) {
    let fitness: Vec<f32> = outcomes.iter().map(|outcome| outcome.fitness).collect();
    let hashes: Vec<u64> = outcomes.iter().map(|outcome| outcome.hash).collect();
    (fitness.into_pyarray(py), hashes.into_pyarray(py))
}

/// Returns the team of these trees. A single tree is run by all robots.
fn team(mut programs: impl ExactSizeIterator<Item = u32>) -> Team {
    match programs.len() {
        1 => Team::all(programs.next().unwrap_or(0) as usize),
        _ => Team::from_programs(programs.map(|program| program as usize)),
    }
}

/// Returns the number of controller updates of a run.
///
/// # Errors
/// If the duration is outside 0.1 to 36000 s.
pub fn updates(seconds: f64) -> PyResult<u32> {
    if !(0.1..=36_000.0).contains(&seconds) {
        return Err(errors::value(format!("seconds = {seconds}: must be 0.1 to 36000")));
    }
    Ok((seconds / f64::from(CONTROL_PERIOD)).round() as u32)
}

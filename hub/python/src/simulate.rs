//! Trees in simulation.

use crate::tree::Tree;
use crate::world::World;
use crate::{engine, errors, pool};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::prelude::*;
use xpuck_kernels::engine::{Engine, Job, Simd, Team};
use xpuck_kernels::model::CONTROL_PERIOD;
use xpuck_kernels::tree::Program;
use xpuck_kernels::world::Sensing;

/// Robot updates that one thread simulates before Python is asked whether Ctrl-C was pressed; half a second or so.
const UPDATES_BETWEEN_LOOKS: usize = 4_000_000;
/// Jobs between two such looks on an engine whose speed is not known.
const BATCH_OF_OTHERS: usize = 65_536;

/// The fitness of each job, (jobs,), and a hash of where its bodies end, (jobs,). A job is a row of the arrays: in `teams`,
/// (jobs, robots), the number of each robot's tree, or of one that all run where it has one column; the seed; and the number of
/// the world of that seed, which also says by turns which start it has.
#[pyfunction]
#[pyo3(signature = (trees, world, teams, seeds, worlds, seconds, all_senses, on))]
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
) -> PyResult<(Bound<'py, PyArray1<f32>>, Bound<'py, PyArray1<u64>>)> {
    let programs: Vec<Program> = trees.iter().map(|tree| tree.program()).collect::<PyResult<_>>()?;
    let (robots, columns) = (world.spec.robots, teams.shape()[1]);
    if columns != 1 && columns != robots {
        return Err(errors::value(format!("teams has {columns} columns: 1, or one for each of {robots} robots")));
    }
    let updates = updates(seconds)?;
    // NumPy may hand arrays out whose memory is not contiguous; these are copied.
    let team_rows: Vec<Team> = teams.as_array().outer_iter().map(|row| team(row.iter().copied())).collect();
    if let Some(tree) = teams.as_array().iter().find(|tree| **tree as usize >= programs.len()) {
        return Err(errors::value(format!("tree {tree}: there are {}, from 0", programs.len())));
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
        return Err(errors::value("all_senses is for the engine simd"));
    }
    let simd = Simd { sensing: all_senses.then_some(Sensing::ALL) };
    let engine: &dyn Engine = chosen.as_deref().map_or(&simd, |chosen| chosen);
    // A device takes its own batches.
    let at_once = if chosen.is_some() { BATCH_OF_OTHERS } else { simd_batch(robots, updates)? };
    let (mut fitness, mut hashes) = (Vec::with_capacity(jobs.len()), Vec::with_capacity(jobs.len()));
    for jobs in jobs.chunks(at_once) {
        let outcomes = pool::compute(py, || engine.run(&programs, jobs))?;
        fitness.extend(outcomes.iter().map(|outcome| outcome.fitness));
        hashes.extend(outcomes.iter().map(|outcome| outcome.hash));
        py.check_signals()?;
    }
    if let Some(engine) = chosen {
        engine::tell(py, &*engine)?;
    }
    Ok((fitness.into_pyarray(py), hashes.into_pyarray(py)))
}

/// Jobs that take a fraction of a second.
fn simd_batch(robots: usize, updates: u32) -> PyResult<usize> {
    Ok((UPDATES_BETWEEN_LOOKS * pool::threads()? / (robots * updates as usize)).max(64) / 16 * 16)
}

/// All robots run one tree where only one is named.
fn team(mut programs: impl ExactSizeIterator<Item = u32>) -> Team {
    match programs.len() {
        1 => Team::all(programs.next().unwrap_or(0) as usize),
        _ => Team::of(programs.map(|program| program as usize)),
    }
}

/// Controller updates of a run.
///
/// # Errors
/// No such length.
pub fn updates(seconds: f64) -> PyResult<u32> {
    if !(0.1..=36_000.0).contains(&seconds) {
        return Err(errors::value(format!("seconds = {seconds}: 0.1 to 36000")));
    }
    Ok((seconds / f64::from(CONTROL_PERIOD)).round() as u32)
}

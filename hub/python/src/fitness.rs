//! Fitness that a Python function computes from trajectories.

use crate::{errors, pool};
use numpy::{PyArray1, PyArray4, PyArrayMethods};
use pyo3::prelude::*;
use xpuck_kernels::engine::{Job, Outcome, POSE_FIELDS, Simd, alike};
use xpuck_kernels::tree::Program;

/// Number of robot updates per thread between two checks for Ctrl-C. They take about half a second.
const UPDATES_BETWEEN_LOOKS: usize = 4_000_000;
/// Number of worlds that `simd` simulates together.
const LANES: usize = 16;

/// Python's function, and the maximum size of an array of trajectories (bytes). The function takes an array of shape
/// (jobs, updates + 1, bodies, fields) and the number of robots, and returns a float32 array of shape (jobs,).
pub type Function<'py> = (Bound<'py, PyAny>, usize);

/// Returns the number of jobs between two checks for Ctrl-C. It is a multiple of 16, at least 64.
///
/// # Errors
/// If the system cannot start threads.
pub fn jobs_between_looks(robots: usize, updates: u32) -> PyResult<usize> {
    Ok((UPDATES_BETWEEN_LOOKS * pool::threads()? / (robots * updates as usize)).max(64) / LANES * LANES)
}

/// Simulates jobs on `simd`, and returns their outcomes with the fitness of `function`. The function is called once for
/// each chunk of jobs that have the same world and number of updates. Chunks do not depend on the number of threads.
///
/// # Errors
/// If the trajectory of one job exceeds the size of an array, or the exception of the function.
pub fn score<'py>(
    py: Python<'py>,
    simd: &Simd,
    programs: &[Program],
    jobs: &[Job<'_>],
    function: &Function<'py>,
) -> PyResult<Vec<Outcome>> {
    let mut outcomes = vec![Outcome { fitness: 0.0, hash: 0 }; jobs.len()];
    for group in alike(jobs) {
        let first = &jobs[group[0]];
        for indices in group.chunks(jobs_per_chunk(first, function.1)?) {
            let chunk: Vec<Job<'_>> = indices.iter().map(|i| jobs[*i].clone()).collect();
            let scored = score_chunk(py, simd, programs, &chunk, &function.0)?;
            indices.iter().zip(scored).for_each(|(i, outcome)| outcomes[*i] = outcome);
        }
    }
    Ok(outcomes)
}

/// Returns the number of jobs like `job` whose trajectories fit into an array of `bytes`.
fn jobs_per_chunk(job: &Job<'_>, bytes: usize) -> PyResult<usize> {
    let size = size_of::<f32>() * Simd::trajectory_len(job.spec, job.updates);
    match bytes / size {
        0 => {
            let mega = |bytes: usize| bytes as f64 / 1e6;
            let bodies = job.spec.robots + job.spec.discs.len();
            Err(errors::value(format!(
                "chunk_mb = {}: the trajectory of one run ({} updates, {bodies} bodies) has {:.1} MB; increase chunk_mb \
                 or shorten the run",
                mega(bytes),
                job.updates,
                mega(size)
            )))
        }
        // Whole blocks of worlds are faster.
        fit if fit >= LANES => Ok(fit / LANES * LANES),
        fit => Ok(fit),
    }
}

/// Simulates a chunk of jobs, and calls the function with their trajectories.
fn score_chunk(
    py: Python<'_>,
    simd: &Simd,
    programs: &[Program],
    jobs: &[Job<'_>],
    function: &Bound<'_, PyAny>,
) -> PyResult<Vec<Outcome>> {
    let Job { spec, updates, .. } = jobs[0];
    errors::refuse_changes(spec)?;
    let bodies = spec.robots + spec.discs.len();
    let array = PyArray4::<f32>::zeros(py, [jobs.len(), updates as usize + 1, bodies, POSE_FIELDS], false);
    let mut outcomes = Vec::with_capacity(jobs.len());
    {
        let mut poses = array.try_readwrite().map_err(errors::value)?;
        let poses = poses.as_slice_mut().map_err(errors::value)?;
        let at_once = jobs_between_looks(spec.robots, updates)?;
        let rows = at_once * Simd::trajectory_len(spec, updates);
        for (jobs, poses) in jobs.chunks(at_once).zip(poses.chunks_mut(rows)) {
            outcomes.extend(pool::compute(py, || simd.record(programs, jobs, poses))?);
            py.check_signals()?;
        }
    }
    let returned = function.call1((array, spec.robots))?;
    let returned = returned.cast::<PyArray1<f32>>()?.try_readonly().map_err(errors::value)?;
    let values = returned.as_array();
    if values.len() != jobs.len() {
        return Err(errors::value(format!("the fitness has {} values for {} runs", values.len(), jobs.len())));
    }
    outcomes.iter_mut().zip(values).for_each(|(outcome, value)| outcome.fitness = *value);
    Ok(outcomes)
}

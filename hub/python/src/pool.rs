//! Thread pool for computations while other Python threads run.

use crate::errors;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Mutex, PoisonError};

/// Thread pool, and the process that it belongs to.
static POOL: Mutex<Option<(u32, &'static ThreadPool)>> = Mutex::new(None);

/// Returns the thread pool of this process: one thread per core, or `RAYON_NUM_THREADS`. A forked process does not
/// inherit threads, so it gets its own pool.
///
/// # Errors
/// If the system cannot start threads.
pub fn threads_of_process() -> PyResult<&'static ThreadPool> {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    match *pool {
        Some((owner, threads)) if owner == process => Ok(threads),
        _ => {
            let built = ThreadPoolBuilder::new().build();
            let threads =
                built.map_err(|error| errors::file(format!("cannot create the simulation threads: {error}")))?;
            let threads: &'static ThreadPool = Box::leak(Box::new(threads));
            *pool = Some((process, threads));
            Ok(threads)
        }
    }
}

/// Returns the number of threads.
///
/// # Errors
/// If the system cannot start threads.
pub fn threads() -> PyResult<usize> {
    Ok(threads_of_process()?.current_num_threads())
}

/// Computes on all threads, while other threads of Python run.
///
/// # Errors
/// If the system cannot start threads.
pub fn compute<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    let pool = threads_of_process()?;
    Ok(py.detach(|| pool.install(work)))
}

//! Thread pool for computations that run in parallel with other Python threads.

use crate::errors;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Mutex, PoisonError};

/// Thread pool, and the id of the process that owns it.
static POOL: Mutex<Option<(u32, &'static ThreadPool)>> = Mutex::new(None);

/// Returns the thread pool of this process. It has `RAYON_NUM_THREADS` threads, by default one per core. A forked
/// process does not inherit threads, so it gets its own pool.
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

/// Returns the number of threads in the pool.
///
/// # Errors
/// If the system cannot start threads.
pub fn threads() -> PyResult<usize> {
    Ok(threads_of_process()?.current_num_threads())
}

/// Runs `work` on the thread pool. Other Python threads can run during this time.
///
/// # Errors
/// If the system cannot start threads.
pub fn compute<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    let pool = threads_of_process()?;
    Ok(py.detach(|| pool.install(work)))
}

//! The threads that compute while Python goes on.

use crate::errors;
use pyo3::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::{Mutex, PoisonError};

/// The threads and the process that they belong to.
static POOL: Mutex<Option<(u32, &'static ThreadPool)>> = Mutex::new(None);

/// The threads of this process: as many as there are cores, or as `RAYON_NUM_THREADS` says. A forked process has no threads but
/// its own, so it gets a pool of its own.
///
/// # Errors
/// The system gives none.
pub fn threads_of_process() -> PyResult<&'static ThreadPool> {
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    let process = std::process::id();
    match *pool {
        Some((owner, threads)) if owner == process => Ok(threads),
        _ => {
            let built = ThreadPoolBuilder::new().build();
            let threads = built.map_err(|error| errors::file(format!("no threads to simulate with: {error}")))?;
            let threads: &'static ThreadPool = Box::leak(Box::new(threads));
            *pool = Some((process, threads));
            Ok(threads)
        }
    }
}

/// How many threads compute.
///
/// # Errors
/// The system gives none.
pub fn threads() -> PyResult<usize> {
    Ok(threads_of_process()?.current_num_threads())
}

/// Computes on all threads, while other threads of Python run.
///
/// # Errors
/// The system gives no threads.
pub fn compute<R: Send>(py: Python<'_>, work: impl FnOnce() -> R + Send) -> PyResult<R> {
    let pool = threads_of_process()?;
    Ok(py.detach(|| pool.install(work)))
}

//! Executes runs, with a limited number of parallel processes.

use super::ending::Ending;
use super::evolution::{Run, State};
use super::in_process;
use super::problem::Problem;
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Child;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use xpuck_kernels::engine::SharedEngine;
use xpuck_wire::shutdown::TRY_AGAIN;

/// Interval for checking whether a process has ended.
const POLL: Duration = Duration::from_millis(20);
/// Time for which a run waits for another process before the wait is reported.
const QUIET: Duration = Duration::from_secs(2);
/// Free space below which a disk counts as full (bytes).
const LITTLE: u64 = 1 << 16;

/// Event of a run for progress output.
#[derive(Clone, Copy, Debug)]
pub enum RunEvent<'a> {
    /// Another process works on the run, and this process waits for it.
    Waits,
    /// The run ended.
    Ended(&'a Ending),
}

/// Parameters of the execution.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// Path of the program `xpuck`, which has the command `evolve`.
    pub program: &'a Path,
    /// Number of parallel runs.
    pub jobs: usize,
    /// Number of threads per process; `None` for all cores.
    pub threads: Option<usize>,
    /// Additional options of the command `evolve`.
    pub options: &'a [String],
    /// Engine that simulates for all runs, which are then not processes but threads of this process.
    pub engine: Option<&'a SharedEngine>,
    /// Flag that stops all runs when it is set.
    pub stop: &'a AtomicBool,
}

/// Executes the unfinished runs, and returns the outcome of every run, in the order of `runs`. `tell` receives the
/// events of the runs that were unfinished at first. It may be called from any thread.
pub fn execute(runs: &[Run], plan: &Plan<'_>, tell: impl Fn(&Run, RunEvent<'_>) + Sync) -> Vec<Ending> {
    let endings: Vec<Mutex<Ending>> = runs.iter().map(|_| Mutex::new(Ending::Stopped)).collect();
    let queue = Mutex::new(runs.iter().zip(&endings));
    let work = || {
        // The queue is unlocked before the run is executed.
        let next = || queue.lock().ok().and_then(|mut queue| queue.next());
        while let Some((run, place)) = next() {
            let ending = if run.state() == State::Done {
                Ending::Done
            } else if plan.stop.load(Ordering::Relaxed) {
                Ending::Stopped
            } else {
                let waits = || tell(run, RunEvent::Waits);
                let ending = one(run, plan, waits).unwrap_or_else(|problem| Ending::Failed(problem.to_string()));
                tell(run, RunEvent::Ended(&ending));
                ending
            };
            if let Ok(mut place) = place.lock() {
                *place = ending;
            }
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs.min(runs.len()) {
            scope.spawn(work);
        }
    });
    endings.into_iter().map(|ending| ending.into_inner().unwrap_or(Ending::Stopped)).collect()
}

fn one(run: &Run, plan: &Plan<'_>, waits: impl FnOnce()) -> Result<Ending, Problem> {
    let Some(said) = wait_for_lock(run, plan.stop, waits)? else { return Ok(Ending::Stopped) };
    // The previous owner of the lock may have finished the run.
    if run.state() == State::Done {
        return Ok(Ending::Done);
    }
    if let Some(engine) = plan.engine {
        return in_process::complete(run, said, engine, plan.stop);
    }
    let mut child = run.start(said, plan.program, plan.threads, plan.options)?;
    let status = loop {
        match child.try_wait().map_err(|error| Problem::new(plan.program, error))? {
            Some(status) => break status,
            None if plan.stop.load(Ordering::Relaxed) => {
                end(&mut child);
                return Ok(Ending::Stopped);
            }
            None => std::thread::sleep(POLL),
        }
    };
    // Schedulers send a signal to all processes of a job. It may end the run's process before this process has handled
    // the same signal.
    if let Some(signal) = status.signal() {
        return Ok(Ending::Killed(format!("killed by signal {signal}; repeat the same command to continue the run")));
    }
    match run.result() {
        _ if status.code() == Some(TRY_AGAIN.into()) => Ok(Ending::Stopped),
        Ok(_) if status.success() => Ok(Ending::Done),
        Err(problem) if status.success() => Err(problem),
        _ => Ok(Ending::Failed(run.complaint().unwrap_or_else(|| format!("failed ({status}){}", full(run))))),
    }
}

/// Locks a run, and waits while another process works on it. The wait is short if the other process was killed, but may
/// be long if it runs on another machine. `waits` is called once if the wait is longer than [`QUIET`]. Returns `None`
/// if `stop` is set during the wait.
fn wait_for_lock(run: &Run, stop: &AtomicBool, waits: impl FnOnce()) -> Result<Option<File>, Problem> {
    let (begun, mut waits) = (Instant::now(), Some(waits));
    loop {
        match run.try_lock()? {
            Some(file) => return Ok(Some(file)),
            None if stop.load(Ordering::Relaxed) => return Ok(None),
            None => {}
        }
        if begun.elapsed() > QUIET {
            waits.take().into_iter().for_each(|waits| waits());
        }
        std::thread::sleep(5 * POLL);
    }
}

/// Returns a note if the run's disk is full, and an empty text otherwise. The run itself cannot log this error on a
/// full disk.
fn full(run: &Run) -> &'static str {
    let free = rustix::fs::statvfs(run.log().as_path()).map_or(u64::MAX, |disk| disk.f_bavail * disk.f_frsize);
    if free < LITTLE { "; its disk is full; free disk space, then repeat the same command" } else { "" }
}

/// Kills a child process. A clean shutdown is unnecessary, because the run resumes from its checkpoint.
fn end(child: &mut Child) {
    // Killing fails only if the process has just exited.
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(test)]
mod tests;

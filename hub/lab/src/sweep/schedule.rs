//! Runs that are to be done, a few processes at a time.

use super::evolution::{Run, State};
use super::problem::Problem;
use std::path::Path;
use std::process::Child;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often a process is asked whether it has ended.
const POLL: Duration = Duration::from_millis(20);

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Its result is there.
    Done,
    /// It gave none; why, in one line.
    Failed(String),
    /// The sweep was stopped before it was done.
    Stopped,
}

/// How runs are done.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// The program that has `evolve`.
    pub program: &'a Path,
    /// Processes at a time.
    pub jobs: usize,
    /// Threads of each; all cores if there is none.
    pub threads: Option<usize>,
    /// More options of `evolve`.
    pub options: &'a [String],
    /// Ends everything when it is set.
    pub stop: &'a AtomicBool,
}

/// Does the runs that are not done yet; gives the ending of each in their order. `ended` is told of each that was not
/// done as it ends, from any thread.
pub fn execute(runs: &[Run], plan: &Plan<'_>, ended: impl Fn(&Run, &Ending) + Sync) -> Vec<Ending> {
    let endings: Vec<Mutex<Ending>> = runs.iter().map(|_| Mutex::new(Ending::Stopped)).collect();
    let queue = Mutex::new(runs.iter().zip(&endings));
    let work = || {
        // The lock is let go before the run is done.
        let next = || queue.lock().ok().and_then(|mut queue| queue.next());
        while let Some((run, place)) = next() {
            let ending = if run.state() == State::Done {
                Ending::Done
            } else if plan.stop.load(Ordering::Relaxed) {
                Ending::Stopped
            } else {
                let ending = one(run, plan).unwrap_or_else(|problem| Ending::Failed(problem.to_string()));
                ended(run, &ending);
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

fn one(run: &Run, plan: &Plan<'_>) -> Result<Ending, Problem> {
    let mut child = run.start(plan.program, plan.threads, plan.options)?;
    let status = loop {
        match child.try_wait().map_err(|error| Problem::of(plan.program, error))? {
            Some(status) => break status,
            None if plan.stop.load(Ordering::Relaxed) => {
                end(&mut child);
                return Ok(Ending::Stopped);
            }
            None => std::thread::sleep(POLL),
        }
    };
    match run.result() {
        Ok(_) if status.success() => Ok(Ending::Done),
        Err(problem) if status.success() => Err(problem),
        _ => Ok(Ending::Failed(run.complaint().unwrap_or_else(|| format!("it ended with {status}")))),
    }
}

/// Its checkpoint is what it goes on from, so there is nothing that it must do first.
fn end(child: &mut Child) {
    // An error means that it has just ended.
    let _ = child.kill();
    let _ = child.wait();
}

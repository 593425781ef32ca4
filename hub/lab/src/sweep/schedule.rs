//! Runs that are to be done, a few processes at a time.

use super::evolution::{Run, State};
use super::problem::Problem;
use std::fs::File;
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::Child;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use xpuck_wire::shutdown::TRY_AGAIN;

/// How often a process is asked whether it has ended.
const POLL: Duration = Duration::from_millis(20);
/// How long another process is waited for before it is said.
const QUIET: Duration = Duration::from_secs(2);
/// A disk with less room is full, bytes.
const LITTLE: u64 = 1 << 16;

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Its result is there.
    Done,
    /// It gave none; why, in one line.
    Failed(String),
    /// The sweep was stopped before it was done, or somebody told the run itself to stop.
    Stopped,
    /// It was killed, as by the system for want of memory; what is said of it, in one line. Tried again, it goes on.
    Killed(String),
}

/// What is told while runs are done.
#[derive(Clone, Copy, Debug)]
pub enum Told<'a> {
    /// Another process works on the run, and is waited for.
    Waits,
    /// It ended.
    Ended(&'a Ending),
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

/// Does the runs that are not done yet; gives the ending of each in their order. `tell` is told of those that were not
/// done, from any thread.
pub fn execute(runs: &[Run], plan: &Plan<'_>, tell: impl Fn(&Run, Told<'_>) + Sync) -> Vec<Ending> {
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
                let waits = || tell(run, Told::Waits);
                let ending = one(run, plan, waits).unwrap_or_else(|problem| Ending::Failed(problem.to_string()));
                tell(run, Told::Ended(&ending));
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
    let Some(said) = take(run, plan.stop, waits)? else { return Ok(Ending::Stopped) };
    // Whoever had it may have done it.
    if run.state() == State::Done {
        return Ok(Ending::Done);
    }
    let mut child = run.start(said, plan.program, plan.threads, plan.options)?;
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
    // Schedulers send signals to all processes of a job, and the run may be the first to obey.
    if let Some(signal) = status.signal() {
        return Ok(Ending::Killed(format!("it was killed by signal {signal}; the same command goes on with it")));
    }
    match run.result() {
        _ if status.code() == Some(TRY_AGAIN.into()) => Ok(Ending::Stopped),
        Ok(_) if status.success() => Ok(Ending::Done),
        Err(problem) if status.success() => Err(problem),
        _ => Ok(Ending::Failed(run.complaint().unwrap_or_else(|| format!("it ended with {status}{}", full(run))))),
    }
}

/// A run that was left behind by a killed process is about to end; one on another machine may take its time. `None` if this
/// process is told to stop meanwhile.
fn take(run: &Run, stop: &AtomicBool, waits: impl FnOnce()) -> Result<Option<File>, Problem> {
    let (begun, mut waits) = (Instant::now(), Some(waits));
    loop {
        match run.take()? {
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

/// That the disk is full, where it is: no complaint could be written then.
fn full(run: &Run) -> &'static str {
    let free = rustix::fs::statvfs(run.log().as_path()).map_or(u64::MAX, |disk| disk.f_bavail * disk.f_frsize);
    if free < LITTLE { "; its disk is full: make room, then give the same command again" } else { "" }
}

/// Its checkpoint is what it goes on from, so there is nothing that it must do first.
fn end(child: &mut Child) {
    // An error means that it has just ended.
    let _ = child.kill();
    let _ = child.wait();
}

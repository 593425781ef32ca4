//! Disk of the hub's machine, with the folders of runs, their states, and the STOP count. It simulates disk faults,
//! and the recovery when a program starts.

use super::checkers::RunCounts;
use super::mutants::Mutant;
use super::plan::DiskFault;
use std::collections::VecDeque;
use std::time::Duration;
use xpuck_hub_core::resumption::{self, Candidate, Decision};
use xpuck_hub_core::switchboard::{Snapshot, StorageResult};

/// Duration of a write on a slow disk (ms).
const SLOW: u32 = 2_500;
/// Duration of a write on a disk without a fault (ms).
const GOOD: u32 = 10;

/// Machine of the hub: data that survives the death of the hub's program.
#[derive(Default)]
pub struct Machine {
    /// Number of entries recorded so far.
    pub entries: u64,
    /// Folders of runs, the current run last. Folders without a stored state are removed when the program dies.
    runs: Vec<Folder>,
    stops: u64,
    fault: Option<(DiskFault, u32)>,
    /// Pending jobs of the program, each with its due time (ms).
    jobs: VecDeque<(u32, Job)>,
    /// Number of runs started so far.
    begun: u64,
    /// Results of jobs, to be passed to the program.
    pub news: VecDeque<StorageResult>,
}

/// Folder of a run.
struct Folder {
    /// Number of the run, counted from the first start.
    number: u64,
    state: Option<StoredSnapshot>,
    /// Whether the hub's current program writes to the folder.
    written: bool,
}

/// Stored state of a run.
#[derive(Clone)]
pub struct StoredSnapshot {
    /// Encoded snapshot.
    pub bytes: Vec<u8>,
    /// Simulated time at which the snapshot was passed to the disk (ms).
    pub at: u32,
    /// Wall clock at the time `at` (ms since 1970).
    pub unix_ms: u64,
    /// Counts of the checkers when the snapshot was stored.
    pub counts: RunCounts,
    /// Whether this is the latest snapshot of the run. The value is false if a later snapshot was lost.
    pub fresh: bool,
    /// Number of the last directive in the snapshot.
    directive: u64,
    /// Whether the run is over. If a full disk cannot store this snapshot, the run's previous snapshot is then removed.
    over: bool,
}

enum Job {
    /// Number of the run's folder, and the state to store in it.
    State(u64, Box<StoredSnapshot>),
    Stops(u64),
    /// Number of the run's folder to close.
    Close(u64),
}

impl StoredSnapshot {
    /// Creates the stored form of a snapshot that is passed to the disk at the time `at` (ms).
    pub fn from_snapshot(snapshot: &Snapshot, at: u32, unix_ms: u64, counts: RunCounts) -> StoredSnapshot {
        let bytes = postcard::to_stdvec(snapshot).expect("a snapshot is plain data");
        StoredSnapshot { bytes, at, unix_ms, counts, fresh: true, directive: snapshot.told.2, over: snapshot.is_over() }
    }
}

impl Machine {
    /// Starts a fault of the disk, which lasts until the given time (ms).
    pub fn set_disk_fault(&mut self, fault: DiskFault, until: u32) {
        self.fault = Some((fault, until));
    }

    /// Creates the folder of a new run.
    pub fn open(&mut self) {
        // The record of the previous run is already closed, or a job to close it is pending.
        self.runs.iter_mut().for_each(|run| run.written = false);
        self.begun += 1;
        self.runs.push(Folder { number: self.begun, state: None, written: true });
    }

    /// Queues a job that replaces the state of the current run.
    pub fn store(&mut self, now: u32, state: StoredSnapshot) {
        if let Some(run) = self.present() {
            self.put(now, Job::State(run, Box::new(state)));
        }
    }

    /// Queues a job that stores the STOP count.
    pub fn store_stops(&mut self, now: u32, stops: u64) {
        self.put(now, Job::Stops(stops));
    }

    /// Queues a job that closes the current run.
    pub fn close(&mut self, now: u32) {
        if let Some(run) = self.present() {
            self.put(now, Job::Close(run));
        }
    }

    fn present(&self) -> Option<u64> {
        self.runs.iter().rev().find(|run| run.written).map(|run| run.number)
    }

    fn put(&mut self, now: u32, job: Job) {
        let takes = if self.is(now, DiskFault::Slow) { SLOW } else { GOOD };
        // Jobs are executed in order, so a job is due no earlier than the previous one.
        let due = self.jobs.back().map_or(now + takes, |(due, _)| (now + takes).max(*due));
        self.jobs.push_back((due, job));
    }

    fn is(&self, now: u32, fault: DiskFault) -> bool {
        self.fault.is_some_and(|(present, until)| present == fault && now < until)
    }

    /// Executes the jobs that are due.
    pub fn work(&mut self, now: u32) {
        let (full, frozen) = (self.is(now, DiskFault::Full), self.is(now, DiskFault::Frozen));
        while self.jobs.front().is_some_and(|(due, _)| *due <= now)
            && let Some((_, job)) = self.jobs.pop_front()
        {
            match job {
                Job::State(number, state) if full || frozen => {
                    let Some(run) = folder(&mut self.runs, number) else { continue };
                    let removed = !frozen && state.over;
                    run.state = run.state.take().filter(|_| !removed);
                    run.state.iter_mut().for_each(|state| state.fresh = false);
                    let why = || String::from("the disk refuses");
                    let told =
                        run.written.then(|| StorageResult::State(if removed { Ok(u64::MAX) } else { Err(why()) }));
                    self.news.extend(told);
                }
                Job::State(number, state) => {
                    let Some(run) = folder(&mut self.runs, number) else { continue };
                    self.news.extend(run.written.then_some(StorageResult::State(Ok(state.directive))));
                    run.state = Some(*state);
                }
                Job::Stops(_) if full || frozen => {
                    self.news.push_back(StorageResult::Stops(Err("the disk refuses".into())));
                }
                Job::Stops(stops) => {
                    self.stops = stops;
                    self.news.push_back(StorageResult::Stops(Ok(stops)));
                }
                // On a disk with `DiskFault::Frozen`, the state cannot be removed, so the state and its folder remain.
                Job::Close(number) if !frozen => {
                    folder(&mut self.runs, number).into_iter().for_each(|run| run.state = None);
                }
                Job::Close(_) => {}
            }
        }
    }

    /// Drops the pending jobs of a program that died, and removes folders without a stored state.
    pub fn program_died(&mut self) {
        for (_, job) in &self.jobs {
            if let Job::State(number, _) = job
                && let Some(state) = folder(&mut self.runs, *number).and_then(|run| run.state.as_mut())
            {
                state.fresh = false;
            }
        }
        self.jobs.clear();
        self.news.clear();
        self.runs.iter_mut().for_each(|run| run.written = false);
        self.runs.retain(|run| run.state.is_some());
    }

    /// Recovers the data for a program that starts. Returns the stored state of the run that the robots have to
    /// confirm, with the age of this state; `None` if there is no such run. Also returns the STOP count.
    pub fn recover(
        &mut self,
        now: u32,
        unix_ms: u64,
        mutant: Option<Mutant>,
    ) -> (Option<(StoredSnapshot, Duration)>, u64) {
        self.program_died();
        let read = |run: &Folder| {
            let state = run.state.as_ref()?;
            let snapshot: Snapshot = postcard::from_bytes(&state.bytes).ok()?;
            let trusts = mutant == Some(Mutant::TrustsClock);
            Some(Candidate {
                over: snapshot.is_over(),
                same_swarm: true,
                stops: if trusts { 0 } else { snapshot.stops },
                directive: if trusts { state.unix_ms } else { snapshot.last_number },
                written: state.unix_ms,
            })
        };
        let candidates: Vec<Candidate> = self.runs.iter().filter_map(read).collect();
        let known = candidates.iter().map(|run| run.stops).fold(self.stops, u64::max);
        let counted = if mutant == Some(Mutant::TrustsClock) { 0 } else { known };
        let fates = resumption::decide(&candidates, counted, unix_ms);
        let refuses = self.is(now, DiskFault::Full) || self.is(now, DiskFault::Frozen);
        let mut found = None;
        for (run, fate) in self.runs.iter_mut().zip(&fates) {
            match fate {
                Decision::Ask(away) => {
                    found = run.state.clone().map(|state| (state, *away));
                    run.written = true;
                }
                Decision::Close(_) if !refuses => run.state = None,
                Decision::Close(_) | Decision::Leave(_) => {}
            }
        }
        (found, known)
    }
}

fn folder(runs: &mut [Folder], number: u64) -> Option<&mut Folder> {
    runs.iter_mut().find(|run| run.number == number)
}

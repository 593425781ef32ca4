//! Cache of recorded runs shown on pages: each is read once, with an index of its contents.

use crate::console::feed::{Clock, Feed};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use xpuck_experiment::{Experiment, Plan};
use xpuck_hub_core::entry::Entry;
use xpuck_record::RecordError;
use xpuck_record::index::Index;
use xpuck_record::run_file::{RunFile, RunState};

/// Maximum number of cached runs.
const MOST: usize = 4;
/// Age from which a run in progress is read again.
const FRESH: Duration = Duration::from_secs(20);

/// Cached run.
pub struct CachedRun {
    /// Contents of its run file.
    pub run: RunFile,
    /// Index of its record.
    pub index: Index,
    /// Plan of its experiment; `None` if this version cannot interpret it.
    pub plan: Option<Plan>,
    /// State after the whole record. Behind a lock, because drawing a tree stores the result.
    pub feed: Mutex<Feed>,
    /// Conversion from arena time to wall time.
    pub clock: Clock,
}

impl CachedRun {
    fn read(directory: &Path) -> Result<CachedRun, RecordError> {
        let run = RunFile::read(directory)?;
        let mut clock = Clock { time: 0.0, unix_ms: run.started_unix_ms, speed: run.speed.max(1e-6) };
        let mut feed: Option<Feed> = None;
        let index = Index::read(directory, |entry: Entry| {
            let feed = feed.get_or_insert_with(|| {
                clock.time = entry.time();
                Feed::new(&run.robots, clock)
            });
            feed.on_entry(&entry, |_| false);
        })?;
        let experiment: Option<Experiment> = run.experiment.clone().try_into().ok();
        let plan = experiment.and_then(|e| Plan::new(&e, &run.files, Some(run.robots.len())).ok());
        let feed = Mutex::new(feed.unwrap_or_else(|| Feed::new(&run.robots, clock)));
        Ok(CachedRun { run, index, plan, feed, clock })
    }

    /// Calls a function with the state after the whole record.
    pub fn with<T>(&self, look: impl FnOnce(&mut Feed) -> T) -> T {
        look(&mut self.feed.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Recently used runs.
#[derive(Default)]
pub struct RunCache {
    known: Mutex<VecDeque<(PathBuf, Instant, Arc<CachedRun>)>>,
    /// Serialises reading, because reading occupies a processor and a disk.
    reading: Mutex<()>,
}

impl RunCache {
    /// Run in a folder, from the cache or newly read.
    ///
    /// # Errors
    /// The run cannot be read.
    pub fn get(&self, directory: &Path) -> Result<Arc<CachedRun>, RecordError> {
        let _one = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let find = |known: &VecDeque<(PathBuf, Instant, Arc<CachedRun>)>| {
            let found = known.iter().find(|(path, _, _)| path == directory)?;
            let (_, at, run) = found;
            let whole = run.run.state != RunState::Running;
            (whole || at.elapsed() < FRESH).then(|| run.clone())
        };
        if let Some(run) = find(&self.known.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(run);
        }
        let run = Arc::new(CachedRun::read(directory)?);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(path, _, _)| path != directory);
        if known.len() == MOST {
            known.pop_front();
        }
        known.push_back((directory.into(), Instant::now(), run.clone()));
        Ok(run)
    }
}

//! Cache of recorded runs that pages show. Each record is read once, and an index of its contents is kept.

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
/// Age of a cached run above which it is read again, if the run is still in progress.
const FRESH: Duration = Duration::from_secs(20);

/// Cached run.
pub struct CachedRun {
    /// Contents of the file `run.toml`.
    pub run: RunFile,
    /// Index of the run's record.
    pub index: Index,
    /// Plan of the run's experiment; `None` if this version cannot interpret the experiment.
    pub plan: Option<Plan>,
    /// Feed after the whole record was processed. It is behind a lock, because drawing a tree stores the drawing.
    pub feed: Mutex<Feed>,
    /// Conversion from the run's arena time to wall time.
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

    /// Calls a function with the feed after the whole record.
    pub fn with<T>(&self, look: impl FnOnce(&mut Feed) -> T) -> T {
        look(&mut self.feed.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Cache of the most recently read runs.
#[derive(Default)]
pub struct RunCache {
    known: Mutex<VecDeque<(PathBuf, Instant, Arc<CachedRun>)>>,
    /// Lock that is held while a run is read. Only one run is read at a time, because reading occupies a processor
    /// and a disk.
    reading: Mutex<()>,
}

impl RunCache {
    /// Returns the run in a folder. Reads it if it is not in the cache, or if the cached run is out of date.
    ///
    /// # Errors
    /// If the run cannot be read.
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

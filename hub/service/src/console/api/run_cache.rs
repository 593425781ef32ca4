//! Runs that pages look at: each is read once, and where everything is in it is remembered.

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

/// Runs that are remembered.
const MOST: usize = 4;
/// One that is still written is read again after this.
const FRESH: Duration = Duration::from_secs(20);

/// What is known of a run.
pub struct Known {
    /// Its file.
    pub run: RunFile,
    /// Where everything is.
    pub index: Index,
    /// What its experiment means; none if this version cannot tell.
    pub plan: Option<Plan>,
    /// What the whole record comes to. Behind a lock, as drawing trees remembers them.
    pub feed: Mutex<Feed>,
    /// Arena time as wall time.
    pub clock: Clock,
}

impl Known {
    fn read(directory: &Path) -> Result<Known, RecordError> {
        let run = RunFile::read(directory)?;
        let mut clock = Clock { time: 0.0, unix_ms: run.started_unix_ms, speed: run.speed.max(1e-6) };
        let mut feed: Option<Feed> = None;
        let index = Index::read(directory, |entry: Entry| {
            let feed = feed.get_or_insert_with(|| {
                clock.time = entry.time();
                Feed::new(&run.robots, clock)
            });
            feed.take(&entry, |_| false);
        })?;
        let experiment: Option<Experiment> = run.experiment.clone().try_into().ok();
        let plan = experiment.and_then(|e| Plan::new(&e, &run.files, Some(run.robots.len())).ok());
        let feed = Mutex::new(feed.unwrap_or_else(|| Feed::new(&run.robots, clock)));
        Ok(Known { run, index, plan, feed, clock })
    }

    /// Does something with what the record comes to.
    pub fn with<T>(&self, look: impl FnOnce(&mut Feed) -> T) -> T {
        look(&mut self.feed.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// The runs that were looked at last.
#[derive(Default)]
pub struct RunCache {
    known: Mutex<VecDeque<(PathBuf, Instant, Arc<Known>)>>,
    /// One is read at a time: reading takes a processor and a disk.
    reading: Mutex<()>,
}

impl RunCache {
    /// A run's folder, read now or a while ago.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn get(&self, directory: &Path) -> Result<Arc<Known>, RecordError> {
        let _one = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        let find = |known: &VecDeque<(PathBuf, Instant, Arc<Known>)>| {
            let found = known.iter().find(|(path, _, _)| path == directory)?;
            let (_, at, run) = found;
            let whole = run.run.state != RunState::Running;
            (whole || at.elapsed() < FRESH).then(|| run.clone())
        };
        if let Some(run) = find(&self.known.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(run);
        }
        let run = Arc::new(Known::read(directory)?);
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(path, _, _)| path != directory);
        if known.len() == MOST {
            known.pop_front();
        }
        known.push_back((directory.into(), Instant::now(), run.clone()));
        Ok(run)
    }
}

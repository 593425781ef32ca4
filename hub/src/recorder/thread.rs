//! The hub's handle on the thread that writes a record. The hub never waits for a disk: what does not fit into the queue is
//! lost, counted and complained of.

use super::budget::Limits;
use super::run_file::RunFile;
use super::writer::{Writer, say_deleted};
use super::{Entry, RecordError, kept};
use crate::config::Config;
use crate::switchboard::Kept;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Instant;
use xpuck_wire::Status;

/// Entries that may wait for the disk: seconds of the largest swarm.
const QUEUE: usize = 16_384;

pub(super) enum Job {
    Entry(Entry),
    Keep(Box<Kept>),
}

/// What the recorder has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Nothing is recorded for now, and why.
    Stopped(String),
    /// The record goes on in a further file; what is missing.
    Again(PathBuf, String),
    /// Something else.
    Say(String),
}

/// A record that is being written. Dropped without [`Recorder::close`] it stays open, as after a crash.
pub struct Recorder {
    directory: PathBuf,
    /// None while recording is stopped.
    path: Option<PathBuf>,
    /// None once the record is to be closed.
    jobs: Option<SyncSender<Job>>,
    notes: Receiver<Note>,
    last_word: Arc<Mutex<Option<Status>>>,
    thread: Option<JoinHandle<()>>,
    lost: u64,
}

impl Recorder {
    /// Opens the record of a run that starts now, in a new directory below the configured one.
    ///
    /// # Errors
    /// There is no room, or the disk refuses.
    pub fn open(config: &Config, name: &str, text: &str, seed: u64, unix_ms: u64) -> Result<Recorder, RecordError> {
        let clean: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(40).collect();
        let directory = config.hub.record.directory.join(format!("{clean}-{unix_ms}-seed{seed}"));
        let fail = |message: String| RecordError::of(&directory, message);
        let limits = Limits::of(&config.hub.record);
        std::fs::create_dir_all(&config.hub.record.directory)
            .map_err(|e| fail(format!("{e}; is the place writable?")))?;
        limits.reserve(&config.hub.record.directory).map_err(fail)?;
        let deleted = limits.budget(&directory).map_err(fail)?;
        std::fs::create_dir_all(&directory).map_err(|e| fail(format!("{e}; is the place writable?")))?;
        RunFile::new(config, text, seed, unix_ms).map_err(fail)?.write(&directory)?;
        Recorder::start(directory, limits, deleted)
    }

    /// Goes on with the record of a run whose hub died, in a further file.
    ///
    /// # Errors
    /// There is no room, or the disk refuses.
    pub fn go_on(config: &Config, directory: &Path) -> Result<Recorder, RecordError> {
        let limits = Limits::of(&config.hub.record);
        limits.reserve(directory).map_err(|e| RecordError::of(directory, e))?;
        Recorder::start(directory.into(), limits, Vec::new())
    }

    fn start(directory: PathBuf, limits: Limits, deleted: Vec<String>) -> Result<Recorder, RecordError> {
        let (jobs, inbox) = sync_channel(QUEUE);
        let (outbox, notes) = channel();
        for name in deleted {
            say_deleted(&outbox, &name);
        }
        let last_word = Arc::new(Mutex::new(None));
        let writer = Writer::begin(directory.clone(), limits, outbox, last_word.clone(), Instant::now())?;
        let path = Some(writer.path().into());
        let builder = std::thread::Builder::new().name("recorder".into());
        let thread = builder.spawn(move || writer.run(&inbox)).map_err(|e| RecordError::of(&directory, e))?;
        Ok(Recorder { directory, path, jobs: Some(jobs), notes, last_word, thread: Some(thread), lost: 0 })
    }

    /// The run's directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file that is being written; none while recording is stopped.
    pub fn file(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Hands an entry to the recorder. If there is no room for it, it is lost: the total of those lost comes back at the
    /// 1st, 10th, 100th and so on.
    pub fn write(&mut self, entry: Entry) -> Option<u64> {
        let taken = self.jobs.as_ref().is_some_and(|jobs| jobs.try_send(Job::Entry(entry)).is_ok());
        self.lost += u64::from(!taken);
        (!taken && 10u64.pow(self.lost.ilog10()) == self.lost).then_some(self.lost)
    }

    /// Keeps how the run stands, for a hub that goes on with it. While the disk is busy an older state stays.
    pub fn keep(&self, kept: Kept) {
        if let Some(jobs) = &self.jobs {
            let _ = jobs.try_send(Job::Keep(Box::new(kept)));
        }
    }

    /// What the recorder has to say since the last call.
    pub fn note(&mut self) -> Option<Note> {
        let note = self.notes.try_recv().ok()?;
        match &note {
            Note::Stopped(_) => self.path = None,
            Note::Again(path, _) => self.path = Some(path.clone()),
            Note::Say(_) => {}
        }
        Some(note)
    }

    /// Ends the record: the rest is written, the files get their lasting names, and the final status lies beside them.
    /// From now on no hub takes the run up.
    pub fn close(mut self, status: Status) -> Closing {
        if let Ok(mut word) = self.last_word.lock() {
            *word = Some(status);
        }
        kept::remove(&self.directory);
        self.jobs = None;
        Closing { thread: self.thread.take(), directory: self.directory.clone() }
    }
}

/// A record that is being closed.
pub struct Closing {
    thread: Option<JoinHandle<()>>,
    directory: PathBuf,
}

impl Closing {
    /// The run's directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The record is closed.
    pub fn is_over(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Waits until the record is closed.
    pub fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

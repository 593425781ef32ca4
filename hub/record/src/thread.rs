//! The hub's handle on the thread that writes a record. The hub never waits for a disk: what does not fit into the queue is
//! lost, counted and reported.

use super::RecordError;
use super::budget::{Limits, Within};
use super::job::{Job, Note};
use super::run_file::{Beginning, RunFile};
use super::writer::{Writer, say_deleted};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use xpuck_hub_core::config::Config;
use xpuck_hub_core::entry::Entry;
use xpuck_hub_core::switchboard::Snapshot;
use xpuck_wire::Status;
use xpuck_wire::log::Line;

/// Entries that may wait for the disk: seconds of the largest swarm.
const QUEUE: usize = 16_384;
/// Interval between looks at a thread that is to end.
const LOOK: Duration = Duration::from_millis(10);
/// Pictures that may wait for it.
const PICTURES: usize = 8;

/// A record that is being written. Dropped without [`Recorder::close`] it stays open, as after a crash.
pub struct Recorder {
    directory: PathBuf,
    /// None while recording is stopped.
    path: Option<PathBuf>,
    /// None once the record is to be closed.
    jobs: Option<SyncSender<Job>>,
    notes: Receiver<Note>,
    last_word: Arc<Mutex<Option<Status>>>,
    /// The run is over.
    over: Arc<AtomicBool>,
    hurry: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
    lost: u64,
    /// Each picture that waits has one of these.
    pictures: Arc<()>,
}

impl Recorder {
    /// Opens the record of a run that starts now, in a new directory below the configured one.
    ///
    /// # Errors
    /// There is no room, or the disk refuses.
    pub fn open(config: &Config, begins: &Beginning) -> Result<Recorder, RecordError> {
        let Beginning { name, unix_ms, seed, .. } = begins;
        let clean: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(40).collect();
        // No command takes what begins with a dash for the name of a run.
        let clean = Some(clean.trim_start_matches('-')).filter(|clean| !clean.is_empty()).unwrap_or("run");
        let directory = config.hub.record.directory.join(format!("{clean}-{unix_ms}-seed{seed}"));
        let fail = |message: String| RecordError::of(&directory, message);
        let limits = Limits::of(&config.hub.record);
        std::fs::create_dir_all(&config.hub.record.directory)
            .map_err(|e| fail(format!("{e}; is the place writable?")))?;
        limits.reserve(&config.hub.record.directory).map_err(fail)?;
        let within = limits.budget(&directory).map_err(fail)?;
        std::fs::create_dir_all(&directory).map_err(|e| fail(format!("{e}; is the place writable?")))?;
        RunFile::new(config, begins).map_err(fail)?.write(&directory)?;
        Recorder::start(directory, limits, within)
    }

    /// Nothing if a hub can go on with the record of a run.
    ///
    /// # Errors
    /// There is no room.
    pub fn has_room(config: &Config, directory: &Path) -> Result<(), RecordError> {
        Limits::of(&config.hub.record).reserve(directory).map_err(|e| RecordError::of(directory, e))
    }

    /// Goes on with the record of a run whose hub died, in a further file.
    ///
    /// # Errors
    /// There is no room, or the disk refuses.
    pub fn go_on(config: &Config, directory: &Path) -> Result<Recorder, RecordError> {
        Recorder::has_room(config, directory)?;
        Recorder::start(directory.into(), Limits::of(&config.hub.record), Within::default())
    }

    fn start(directory: PathBuf, limits: Limits, within: Within) -> Result<Recorder, RecordError> {
        let (jobs, inbox) = sync_channel(QUEUE);
        let (outbox, notes) = channel();
        within.deleted.iter().for_each(|name| say_deleted(&outbox, name));
        // What is wrong with counting is said by the writer, which counts again soon.
        let last_word = Arc::new(Mutex::new(None));
        let writer = Writer::begin(directory.clone(), limits, outbox, last_word.clone(), Instant::now())?;
        let path = Some(writer.path().into());
        let builder = std::thread::Builder::new().name("recorder".into());
        let hurry = Arc::new(AtomicBool::new(false));
        let hurried = hurry.clone();
        let over = writer.over();
        let thread = builder.spawn(move || writer.run(&inbox, &hurried)).map_err(|e| RecordError::of(&directory, e))?;
        Ok(Recorder {
            directory,
            path,
            jobs: Some(jobs),
            notes,
            last_word,
            over,
            hurry,
            thread: Some(thread),
            lost: 0,
            pictures: Arc::default(),
        })
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

    /// Hands a picture of the camera above the arena to the recorder, taken at `time`, s of arena time. Pictures are large: where
    /// a few wait for the disk already, it is lost.
    pub fn overhead(&self, time: f64, jpeg: Arc<dyn AsRef<[u8]> + Send + Sync>) {
        if let Some(jobs) = self.jobs.as_ref().filter(|_| Arc::strong_count(&self.pictures) <= PICTURES) {
            let _ = jobs.try_send(Job::Overhead(time, jpeg, self.pictures.clone()));
        }
    }

    /// Keeps how the run stands, for a hub that goes on with it. While the disk is busy an older state stays.
    pub fn keep(&self, kept: Snapshot) {
        if kept.is_over() {
            // States that were handed over before it are not written any more.
            self.over.store(true, Ordering::Relaxed);
        }
        if let Some(jobs) = &self.jobs {
            let _ = jobs.try_send(Job::Snapshot(Box::new(kept)));
        }
    }

    /// What the recorder has to say since the last call.
    pub fn note(&mut self) -> Option<Note> {
        let note = self.notes.try_recv().ok()?;
        match &note {
            Note::Stopped(_) => self.path = None,
            Note::Again(path, _) | Note::Next(path) => self.path = Some(path.clone()),
            Note::Say(_) | Note::State(_) => {}
        }
        Some(note)
    }

    /// Deletes the record of a run that never began.
    ///
    /// # Errors
    /// The disk refuses.
    pub fn discard(mut self) -> Result<(), RecordError> {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        std::fs::remove_dir_all(&self.directory).map_err(|error| RecordError::of(&self.directory, error))
    }

    /// Ends the record: the rest is written, every file of the run is made whole, and the final status lies beside them.
    /// The state goes when the result is there: should the hub die before, the next one closes the run by it.
    pub fn close(mut self, status: Status) -> Closing {
        if let Ok(mut word) = self.last_word.lock() {
            *word = Some(status);
        }
        self.jobs = None;
        let Recorder { thread, directory, notes, hurry, .. } = self;
        Closing { thread, directory, notes, hurry }
    }
}

/// A record that is being closed.
pub struct Closing {
    thread: Option<JoinHandle<()>>,
    directory: PathBuf,
    notes: Receiver<Note>,
    hurry: Arc<AtomicBool>,
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

    /// What the recorder has to say since the last call.
    pub fn note(&self) -> Option<Line> {
        let line = match self.notes.try_recv().ok()? {
            Note::Stopped(text) => Line::error(text),
            Note::Again(_, text) => Line::info(text),
            Note::Say(line) => line,
            Note::Next(_) | Note::State(_) => return None,
        };
        Some(Line { text: format!("{}: {}", self.directory.display(), line.text), ..line })
    }

    /// Waits until the record is closed, or cannot be now; for a disk that hangs, at most for `timeout`. Returns the lines
    /// that remain to be logged.
    pub fn wait(self, timeout: Duration) -> Vec<Line> {
        self.hurry.store(true, Ordering::Relaxed);
        let until = Instant::now() + timeout;
        while !self.is_over() && Instant::now() < until {
            std::thread::sleep(LOOK);
        }
        let mut lines: Vec<Line> = std::iter::from_fn(|| self.note()).collect();
        if !self.is_over() {
            let (name, seconds) = (self.directory.display(), timeout.as_secs());
            let text = format!("{name}: the disk has not answered for {seconds} s; the next hub closes the run");
            lines.push(Line::error(text));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn discarded_record_leaves_no_folder() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("x-1-seed1");
        std::fs::create_dir(&directory).unwrap();
        let limits = Limits::of(&xpuck_hub_core::config::Record::at(root.path()));
        let mut recorder = Recorder::start(directory.clone(), limits, Within::default()).unwrap();
        recorder.write(Entry::event(0.0, "x"));
        assert!(directory.join("run.mcap.open").exists());
        recorder.discard().unwrap();
        assert!(!directory.exists());
    }

    #[test]
    fn few_pictures_wait_for_a_disk() {
        let (jobs, inbox) = sync_channel(QUEUE);
        let recorder = Recorder {
            directory: PathBuf::new(),
            path: None,
            jobs: Some(jobs),
            notes: channel().1,
            last_word: Arc::default(),
            over: Arc::default(),
            hurry: Arc::default(),
            thread: None,
            lost: 0,
            pictures: Arc::default(),
        };
        for n in 0..100 {
            recorder.overhead(n.into(), Arc::new(vec![0xff, 0xd8]));
        }
        assert_eq!(inbox.try_iter().count(), PICTURES);
        // Those are written, and there is room again.
        recorder.overhead(7.0, Arc::new(vec![0xff, 0xd8]));
        let Ok(Job::Overhead(time, jpeg, _)) = inbox.try_recv() else { panic!("a picture waits") };
        assert!(time == 7.0 && (*jpeg).as_ref() == [0xff, 0xd8]);
    }
}

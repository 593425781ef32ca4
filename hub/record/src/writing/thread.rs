//! The hub's handle to the recording thread. The hub never waits for a disk. Entries that do not fit into the queue
//! are lost; the losses are counted and reported.

use super::budget::{Limits, Within};
use super::job::{Job, Note, Orders};
use super::writer::{Writer, say_deleted};
use crate::RecordError;
use crate::run_file::{Beginning, RunFile};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SendError, Sender, SyncSender, channel, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use xpuck_hub_core::config::Config;
use xpuck_hub_core::entry::Entry;
use xpuck_hub_core::switchboard::Snapshot;
use xpuck_wire::log::Line;
use xpuck_wire::{Status, priority};

/// Capacity of the entry queue. It holds the entries of the largest swarm for a few seconds.
const QUEUE: usize = 16_384;
/// Maximum time that the hub waits for a disk to begin a record (wall time). It must be shorter than 1 s, because
/// robots stop if they receive nothing from the hub for 1 s.
const BEGIN_TIMEOUT: Duration = Duration::from_millis(800);
/// Interval for checking whether the recording thread has ended.
const LOOK: Duration = Duration::from_millis(10);
/// Maximum number of images that wait for the disk.
const PICTURES: usize = 8;

/// Record that is being written. If it is dropped without [`Recorder::close`], the record stays open, as after a
/// crash.
pub struct Recorder {
    directory: PathBuf,
    /// File that is being written; `None` while recording is stopped.
    path: Option<PathBuf>,
    /// Queue to the recording thread; `None` once the record is to be closed.
    jobs: Option<SyncSender<Job>>,
    notes: Receiver<Note>,
    orders: Orders,
    thread: Option<JoinHandle<()>>,
    lost: u64,
    /// Token that counts the waiting images: each of them holds a clone.
    pictures: Arc<()>,
}

impl Recorder {
    /// Opens the record of a run that starts now, in a new directory below the configured one. Waits at most 0.8 s
    /// for a slow disk; after that, entries wait in the queue until the record is open. A disk error after these 0.8
    /// s is reported as a [`Note::Stopped`].
    ///
    /// # Errors
    /// If there is not enough space, or on an I/O error.
    pub fn open(config: &Config, begins: &Beginning) -> Result<Recorder, RecordError> {
        let Beginning { name, unix_ms, seed, .. } = begins;
        let clean: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).take(40).collect();
        // Commands do not accept run names that begin with a dash.
        let clean = Some(clean.trim_start_matches('-')).filter(|clean| !clean.is_empty()).unwrap_or("run");
        let root = config.hub.record.directory.clone();
        let directory = root.join(format!("{clean}-{unix_ms}-seed{seed}"));
        let limits = Limits::from_config(&config.hub.record);
        let run = RunFile::new(config, begins).map_err(|message| RecordError::new(&directory, message))?;
        let (place, watched) = (directory.clone(), limits.clone());
        let prepare = move || {
            let fail = |message: String| RecordError::new(&place, message);
            std::fs::create_dir_all(&root).map_err(|e| fail(format!("{e}; check that the folder is writable")))?;
            watched.reserve(&root).map_err(fail)?;
            let within = watched.budget(&place).map_err(fail)?;
            std::fs::create_dir_all(&place).map_err(|e| fail(format!("{e}; check that the folder is writable")))?;
            run.write(&place)?;
            Ok(within)
        };
        Recorder::start(directory, limits, prepare)
    }

    /// Checks that there is enough space to resume the record of a run.
    ///
    /// # Errors
    /// If there is not enough space.
    pub fn has_room(config: &Config, directory: &Path) -> Result<(), RecordError> {
        Limits::from_config(&config.hub.record).reserve(directory).map_err(|e| RecordError::new(directory, e))
    }

    /// Resumes the record of a run whose hub was killed, in a further file. Waits at most 0.8 s for a slow disk, as
    /// [`Recorder::open`] does.
    ///
    /// # Errors
    /// If there is not enough space, or on an I/O error.
    pub fn go_on(config: &Config, directory: &Path) -> Result<Recorder, RecordError> {
        let limits = Limits::from_config(&config.hub.record);
        let (place, watched) = (directory.to_path_buf(), limits.clone());
        let prepare = move || match watched.reserve(&place) {
            Ok(()) => Ok(Within::default()),
            Err(why) => Err(RecordError::new(&place, why)),
        };
        Recorder::start(directory.into(), limits, prepare)
    }

    fn start(
        directory: PathBuf,
        limits: Limits,
        prepare: impl FnOnce() -> Result<Within, RecordError> + Send + 'static,
    ) -> Result<Recorder, RecordError> {
        let (jobs, inbox) = sync_channel(QUEUE);
        let (outbox, notes) = channel();
        let orders = Orders::default();
        let writes = (directory.clone(), outbox.clone(), orders.clone());
        // This channel has no buffer, so sending fails if the hub no longer waits. The thread then reports the result
        // in a note.
        let (done, begun) = sync_channel(0);
        let work = move || {
            let (directory, notes, orders) = writes;
            reset_priority();
            let begin = || {
                let within = prepare()?;
                within.deleted.iter().for_each(|name| say_deleted(&notes, name));
                // An error in computing the size of all runs is ignored here, because the writer repeats the
                // computation soon and reports the error.
                Writer::begin(directory, limits, notes.clone(), orders, Instant::now())
            };
            match begin() {
                Ok(writer) => {
                    if done.send(Ok(writer.path().to_path_buf())).is_err() {
                        let _ = notes.send(Note::Next(writer.path().into()));
                        let _ = notes.send(Note::Say(Line::info("the disk writes the record again")));
                    }
                    writer.run(&inbox);
                }
                Err(why) => {
                    if let Err(SendError(Err(why))) = done.send(Err(why)) {
                        refuse_late(&why, &notes, &inbox);
                    }
                }
            }
        };
        let builder = std::thread::Builder::new().name("recorder".into());
        let thread = builder.spawn(work).map_err(|e| RecordError::new(&directory, e))?;
        let path = match begun.recv_timeout(BEGIN_TIMEOUT) {
            Ok(begun) => Some(begun?),
            Err(_) => {
                let text = "the disk is slow to start the record; messages are kept in memory";
                let _ = outbox.send(Note::Say(Line::warn(text)));
                None
            }
        };
        let (jobs, thread) = (Some(jobs), Some(thread));
        Ok(Recorder { directory, path, jobs, notes, orders, thread, lost: 0, pictures: Arc::default() })
    }

    /// Returns the directory of the run.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns the path of the file that is being written; `None` while recording is stopped.
    pub fn file(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Passes an entry to the recording thread. If the queue is full, the entry is lost. Returns the total number of
    /// lost entries when it reaches 1, 10, 100 and so on; otherwise `None`.
    pub fn write(&mut self, entry: Entry) -> Option<u64> {
        let taken = self.jobs.as_ref().is_some_and(|jobs| jobs.try_send(Job::Entry(entry)).is_ok());
        self.lost += u64::from(!taken);
        (!taken && 10u64.pow(self.lost.ilog10()) == self.lost).then_some(self.lost)
    }

    /// Passes an image of the overhead camera to the recording thread; `time` is the time of capture (s of arena
    /// time). Images are large, so the new image is lost if eight are already waiting.
    pub fn overhead(&self, time: f64, jpeg: Arc<dyn AsRef<[u8]> + Send + Sync>) {
        if let Some(jobs) = self.jobs.as_ref().filter(|_| Arc::strong_count(&self.pictures) <= PICTURES) {
            let _ = jobs.try_send(Job::Overhead(time, jpeg, self.pictures.clone()));
        }
    }

    /// Passes the state of the run to the recording thread, which stores it. A hub can resume the run with the stored
    /// state. If the queue is full, the previous state is kept.
    pub fn keep(&self, kept: Snapshot) {
        if kept.is_over() {
            // The thread no longer writes states that were passed earlier.
            self.orders.over.store(true, Ordering::Relaxed);
        }
        if let Some(jobs) = &self.jobs {
            let _ = jobs.try_send(Job::Snapshot(Box::new(kept)));
        }
    }

    /// Returns the next report of the recording thread; `None` if there is no new report.
    pub fn note(&mut self) -> Option<Note> {
        let note = self.notes.try_recv().ok()?;
        match &note {
            Note::Stopped(_) => self.path = None,
            Note::Again(path, _) | Note::Next(path) => self.path = Some(path.clone()),
            Note::Say(_) | Note::State(_) => {}
        }
        Some(note)
    }

    /// Ends the record: writes the remaining entries, completes every file of the run, and writes the final status.
    /// The stored state is removed last. If the hub is killed before that, the next hub closes the run with that
    /// state.
    pub fn close(mut self, status: Status) -> Closing {
        if let Ok(mut word) = self.orders.last_word.lock() {
            *word = Some(status);
        }
        self.jobs = None;
        let Recorder { thread, directory, notes, orders, .. } = self;
        Closing { thread, directory, notes, hurry: orders.hurry }
    }
}

/// Resets the priority of the recording thread to the default. Otherwise, the thread would have the high priority of
/// the hub's loop, which starts the thread.
fn reset_priority() {
    if priority::runs_first() {
        let _ = priority::run_as_others();
    }
}

/// Reports an error in beginning a record that occurs when the hub no longer waits for the disk. Drops all entries
/// that are in the queue.
fn refuse_late(why: &RecordError, notes: &Sender<Note>, inbox: &Receiver<Job>) {
    let _ = notes.send(Note::Stopped(why.to_string()));
    let _ = notes.send(Note::State(Ok(u64::MAX)));
    inbox.iter().for_each(drop);
}

/// Record that is being closed.
pub struct Closing {
    thread: Option<JoinHandle<()>>,
    directory: PathBuf,
    notes: Receiver<Note>,
    hurry: Arc<AtomicBool>,
}

impl Closing {
    /// Returns the directory of the run.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Returns whether closing has ended, with or without an error.
    pub fn is_over(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Returns the next report of the recording thread as a log line; `None` if there is no new report, or the report
    /// needs no line.
    pub fn note(&self) -> Option<Line> {
        let line = match self.notes.try_recv().ok()? {
            Note::Stopped(text) => Line::error(text),
            Note::Again(_, text) => Line::info(text),
            Note::Say(line) => line,
            Note::Next(_) | Note::State(_) => return None,
        };
        Some(Line { text: format!("{}: {}", self.directory.display(), line.text), ..line })
    }

    /// Waits until closing has ended, but at most for `timeout`, because the disk may hang. Returns the lines that
    /// remain to be logged.
    pub fn wait(self, timeout: Duration) -> Vec<Line> {
        self.hurry.store(true, Ordering::Relaxed);
        let until = Instant::now() + timeout;
        while !self.is_over() && Instant::now() < until {
            std::thread::sleep(LOOK);
        }
        let mut lines: Vec<Line> = std::iter::from_fn(|| self.note()).collect();
        if !self.is_over() {
            let (name, seconds) = (self.directory.display(), timeout.as_secs());
            let text = format!("{name}: the disk has not responded for {seconds} s; the next hub closes the run");
            lines.push(Line::error(text));
        }
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(time: f64) -> Entry {
        Entry::event(time, "x")
    }

    /// Returns a recorder that writes below `root`. Its disk does not respond until `gate` receives a result.
    fn slow(root: &Path, gate: Receiver<Result<(), &'static str>>) -> Recorder {
        let directory = root.join("x-1-seed1");
        std::fs::create_dir(&directory).unwrap();
        let place = directory.clone();
        let answers = move || match gate.recv().unwrap() {
            Ok(()) => Ok(Within::default()),
            Err(why) => Err(RecordError::new(&place, why)),
        };
        Recorder::start(directory, Limits::from_config(&xpuck_hub_core::config::Record::at(root)), answers).unwrap()
    }

    fn next_note(recorder: &mut Recorder) -> Note {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            if let Some(note) = recorder.note() {
                return note;
            }
            assert!(Instant::now() < until, "a note comes");
            std::thread::sleep(LOOK);
        }
    }

    #[test]
    fn entries_awaiting_slow_disk_are_recorded_from_first() {
        let root = tempfile::tempdir().unwrap();
        let (answer, gate) = channel();
        let mut recorder = slow(root.path(), gate);
        assert!(matches!(recorder.note(), Some(Note::Say(line)) if line.text.contains("kept in memory")));
        assert!(recorder.file().is_none());
        for n in 0..1000 {
            assert_eq!(recorder.write(event(n.into())), None);
        }
        answer.send(Ok(())).unwrap();
        let Note::Next(path) = next_note(&mut recorder) else { panic!("the record begins") };
        assert_eq!(recorder.file(), Some(path.as_path()));
        drop(recorder.jobs.take());
        recorder.thread.take().unwrap().join().unwrap();
        let entries: Vec<_> = crate::read::entries(&path).unwrap().map(Result::unwrap).collect();
        assert_eq!(entries, (0..1000).map(|n| event(n.into())).collect::<Vec<_>>());
    }

    #[test]
    fn late_disk_error_is_reported_once() {
        let root = tempfile::tempdir().unwrap();
        let (answer, gate) = channel();
        let mut recorder = slow(root.path(), gate);
        recorder.note();
        answer.send(Err("no room")).unwrap();
        assert!(matches!(next_note(&mut recorder), Note::Stopped(why) if why.ends_with("no room")));
        assert_eq!(next_note(&mut recorder), Note::State(Ok(u64::MAX)));
        assert!((0..100).all(|n| recorder.write(event(n.into())).is_none()) && recorder.note().is_none());
    }

    #[test]
    fn few_pictures_wait_for_a_disk() {
        let (jobs, inbox) = sync_channel(QUEUE);
        let recorder = Recorder {
            directory: PathBuf::new(),
            path: None,
            jobs: Some(jobs),
            notes: channel().1,
            orders: Orders::default(),
            thread: None,
            lost: 0,
            pictures: Arc::default(),
        };
        for n in 0..100 {
            recorder.overhead(n.into(), Arc::new(vec![0xff, 0xd8]));
        }
        assert_eq!(inbox.try_iter().count(), PICTURES);
        // The waiting images were taken from the queue, so a new image is accepted.
        recorder.overhead(7.0, Arc::new(vec![0xff, 0xd8]));
        let Ok(Job::Overhead(time, jpeg, _)) = inbox.try_recv() else { panic!("a picture waits") };
        assert!(time == 7.0 && (*jpeg).as_ref() == [0xff, 0xd8]);
    }
}

//! The thread that writes a record, and the hub's handle on it. The hub never waits for a disk: what does not fit into the
//! queue is lost, counted and complained of.

use super::budget::Limits;
use super::kept::{self, unix_ms};
use super::run_file::{RunFile, RunState};
use super::{Entry, MAX_PARTS, McapFile, OPEN, RecordError, part_name, recover};
use crate::config::Config;
use crate::swarm::atomic;
use crate::switchboard::Kept;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use xpuck_wire::Status;
use xpuck_wire::precedence;

/// Records are flushed to the file so often: what is older than this outlives the hub.
const FLUSH: Duration = Duration::from_millis(500);
/// And brought to the disk so often: what is older than this outlives the machine.
const SYNC: Duration = Duration::from_secs(4);
/// The disk's room is looked at so often, and what all runs take.
const LOOK: Duration = Duration::from_secs(1);
/// See [`LOOK`].
const COUNT: Duration = Duration::from_secs(10);
/// Entries that may wait for the disk: seconds of the largest swarm.
const QUEUE: usize = 16_384;

enum Job {
    Entry(Entry),
    Keep(Box<Kept>),
}

/// What the recorder has to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note {
    /// Nothing is recorded any more, and why.
    Stopped(String),
    /// Something else.
    Say(String),
}

/// A record that is being written. Dropped without [`Recorder::close`] it stays open, as after a crash.
pub struct Recorder {
    directory: PathBuf,
    path: PathBuf,
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
        let path = free_part(&directory)?;
        let fail = |error: &dyn std::fmt::Display| RecordError::of(&path, error);
        let file = File::create_new(&path).map_err(|e| fail(&e))?;
        // Held until the file is closed: who recovers files leaves those that are locked alone.
        file.lock().map_err(|e| fail(&e))?;
        let disk = file.try_clone().map_err(|e| fail(&e))?;
        let mut mcap = McapFile::begin(BufWriter::new(file)).map_err(|e| fail(&e))?;
        mcap.flush().map_err(|e| fail(&e))?;
        let (jobs, inbox) = sync_channel(QUEUE);
        let (outbox, notes) = channel();
        for name in deleted {
            say_deleted(&outbox, &name);
        }
        let last_word = Arc::new(Mutex::new(None));
        let now = Instant::now();
        let writer = Writer {
            directory: directory.clone(),
            path: path.clone(),
            limits,
            file: Some((mcap, disk)),
            notes: outbox,
            last_word: last_word.clone(),
            due: [now + FLUSH, now + SYNC, now + LOOK, now + COUNT],
        };
        let builder = std::thread::Builder::new().name("recorder".into());
        let thread = builder.spawn(move || writer.run(&inbox)).map_err(|e| RecordError::of(&directory, e))?;
        Ok(Recorder { directory, path, jobs: Some(jobs), notes, last_word, thread: Some(thread), lost: 0 })
    }

    /// The run's directory.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// The file that is being written.
    pub fn file(&self) -> &Path {
        &self.path
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
    pub fn note(&self) -> Option<Note> {
        self.notes.try_recv().ok()
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

/// The first name of a run's files that is free.
fn free_part(directory: &Path) -> Result<PathBuf, RecordError> {
    for n in 1..=MAX_PARTS {
        let name = part_name(n);
        let open = directory.join(format!("{name}{OPEN}"));
        if !directory.join(&name).exists() && !open.exists() {
            return Ok(open);
        }
    }
    Err(RecordError::of(directory, format!("has {MAX_PARTS} files already")))
}

fn say_deleted(notes: &Sender<Note>, name: &str) {
    let _ = notes.send(Note::Say(format!("run {name} is deleted: the oldest beyond budget_gib")));
}

/// The thread's side.
struct Writer {
    directory: PathBuf,
    path: PathBuf,
    limits: Limits,
    /// The file, and a handle on it to bring it to the disk; none once recording has stopped.
    file: Option<(McapFile<BufWriter<File>>, File)>,
    notes: Sender<Note>,
    last_word: Arc<Mutex<Option<Status>>>,
    /// When to flush, sync, look and count next.
    due: [Instant; 4],
}

impl Writer {
    fn run(mut self, inbox: &Receiver<Job>) {
        // The hub's loop, which made this thread, runs before all others; a disk can wait.
        if precedence::runs_first() {
            let _ = precedence::run_as_others();
        }
        loop {
            let next = self.due.iter().min().copied().unwrap_or_else(Instant::now);
            match inbox.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok(Job::Entry(entry)) => self.attempt(|mcap, _| mcap.write(&entry)),
                Ok(Job::Keep(kept)) => self.keep(&kept),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.on_time(Instant::now());
        }
        let word = self.last_word.lock().ok().and_then(|mut word| word.take());
        match word {
            Some(status) => self.close(&status),
            None => self.attempt(|mcap, _| mcap.flush()),
        }
    }

    fn on_time(&mut self, now: Instant) {
        let periods = [FLUSH, SYNC, LOOK, COUNT];
        let due: Vec<usize> = (0..4).filter(|i| now >= self.due[*i]).collect();
        for which in due {
            self.due[which] = now + periods[which];
            match which {
                0 => self.attempt(|mcap, _| mcap.flush()),
                1 => self.attempt(|mcap, disk| mcap.flush().and_then(|()| disk.sync_data())),
                2 if self.file.is_some() => {
                    if let Err(why) = self.limits.reserve(&self.directory) {
                        self.stop(&why);
                    }
                }
                3 if self.file.is_some() => match self.limits.budget(&self.directory) {
                    Ok(deleted) => deleted.iter().for_each(|name| say_deleted(&self.notes, name)),
                    Err(why) => self.stop(&why),
                },
                _ => {}
            }
        }
    }

    /// Does something with the file; an error ends the recording.
    fn attempt(&mut self, what: impl FnOnce(&mut McapFile<BufWriter<File>>, &File) -> std::io::Result<()>) {
        let Some((mcap, disk)) = &mut self.file else { return };
        if let Err(error) = what(mcap, disk) {
            let why = RecordError::of(&self.path, error).to_string();
            // What is half written is made whole when the hub starts next.
            self.file = None;
            let _ = self.notes.send(Note::Stopped(why));
        }
    }

    /// Ends the recording while there is still room to complete the file.
    fn stop(&mut self, why: &str) {
        self.complete();
        let _ = self.notes.send(Note::Stopped(RecordError::of(&self.directory, why).to_string()));
    }

    fn keep(&mut self, kept: &Kept) {
        let closing = self.last_word.lock().is_ok_and(|word| word.is_some());
        if closing || self.file.is_none() {
            return;
        }
        // What was told before the state is in the record when the state is.
        self.attempt(|mcap, _| mcap.flush());
        if let Err(error) = kept::write(&self.directory, kept, unix_ms()) {
            let _ = self.notes.send(Note::Stopped(error.to_string()));
            self.file = None;
        }
    }

    /// Completes the file and gives it its lasting name.
    fn complete(&mut self) {
        let Some((mut mcap, disk)) = self.file.take() else { return };
        let finished = mcap.finish().and_then(|()| mcap.into_inner().flush()).and_then(|()| disk.sync_all());
        if let Err(error) = finished {
            // What is half written is made whole when the hub starts next.
            let _ = self.notes.send(Note::Stopped(RecordError::of(&self.path, error).to_string()));
            return;
        }
        let whole = PathBuf::from(self.path.to_string_lossy().trim_end_matches(OPEN));
        if let Err(error) = std::fs::rename(&self.path, &whole) {
            let _ = self.notes.send(Note::Say(RecordError::of(&self.path, error).to_string()));
        }
        recover::sync_folder(&whole);
    }

    fn close(&mut self, status: &Status) {
        self.complete();
        kept::remove(&self.directory);
        let ended = end(&self.directory, status, RunState::Finished);
        if let Err(error) = ended {
            let _ = self.notes.send(Note::Say(format!("the record was not closed: {error}")));
        }
        recover::sync_folder(&self.path);
    }
}

/// Writes the result of a run and the state that it ends in.
///
/// # Errors
/// What the disk says.
pub(crate) fn end(directory: &Path, status: &Status, state: RunState) -> Result<(), RecordError> {
    let fail = |error: String| RecordError::of(directory, error);
    let json = serde_json::to_vec_pretty(status).map_err(|error| fail(error.to_string()))?;
    atomic::write(&directory.join("result.json"), &json).map_err(|error| fail(error.to_string()))?;
    RunFile::change(directory, |run| run.state = state)
}

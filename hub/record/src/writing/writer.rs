//! Writer of the recording thread: writes entries to a file and respects the disk limits. If the disk is full, the
//! writer stops, and continues in a further file when there is space again. To close a run, all of its files are
//! completed ([`crate::close`]).

use super::budget::{Limits, Within};
use super::job::{Job, Note, Orders};
use crate::close::Close;
use crate::foxglove::image;
use crate::replace::{rename_new, sync_folder, whole_name};
use crate::run_file::RunFile;
use crate::snapshot::{self, Reach};
use crate::{MAX_PARTS, McapFile, OPEN, RecordError, part_name, part_number};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};
use xpuck_hub_core::entry::Entry;
use xpuck_hub_core::switchboard::Snapshot;
use xpuck_wire::Status;
use xpuck_wire::atomic;
use xpuck_wire::clock::unix_ms;
use xpuck_wire::log::Line;

/// Flush interval for runs without stored states. In other runs, a state is stored once per second, which also flushes
/// the file. Flushed data survives the end of the hub. Every flush ends a chunk, so a shorter interval would make the
/// compression worse.
const FLUSH: Duration = Duration::from_millis(1500);
/// Interval for syncing flushed data to the disk. Synced data survives a crash of the machine.
const SYNC: Duration = Duration::from_secs(4);
/// Interval for checking the free space on the disk.
const LOOK: Duration = Duration::from_secs(1);
/// Interval for computing the size of all runs.
const COUNT: Duration = Duration::from_secs(10);
/// Interval for checking the free space again after the disk was full.
const RETRY: Duration = Duration::from_secs(5);
/// Maximum delay before a further file is begun. The delay doubles after each stop. Otherwise, a disk with little
/// space would split a run into a thousand files.
const LONGEST_RETRY: Duration = Duration::from_secs(320);

/// Maximum number of flushes per file, which corresponds to about 80 minutes of wall time. The summary of a file
/// takes about 500 bytes of memory for each flush.
const LONGEST_PART: u32 = 5_000;

/// Open file of the record, and a second handle of the file for syncing it.
type Open = (McapFile<BufWriter<File>>, File);

/// State while recording is stopped.
struct Stoppage {
    why: String,
    /// Number of entries lost since the stop.
    lost: u64,
    /// Time of the next check whether recording can continue.
    look: Instant,
}

/// Writer of a run's record.
pub(crate) struct Writer {
    directory: PathBuf,
    path: PathBuf,
    limits: Limits,
    /// Open file; `None` while recording is stopped.
    file: Option<Open>,
    stopped: Option<Stoppage>,
    /// Delay before the first check after the next stop.
    retry: Duration,
    notes: Sender<Note>,
    orders: Orders,
    /// Last error in computing the size of all runs, which was already reported; `None` if the size is known.
    uncounted: Option<String>,
    /// Number of robots in `run.toml` after the last stored state; 0 until the first state is stored.
    robots: usize,
    /// Schema of images, created when the first image is written.
    image_schema: Option<String>,
    /// Times of the next flush, sync, space check and size computation.
    due: [Instant; 4],
}

impl Writer {
    /// Begins a new file in the run's directory.
    pub fn begin(
        directory: PathBuf,
        limits: Limits,
        notes: Sender<Note>,
        orders: Orders,
        now: Instant,
    ) -> Result<Writer, RecordError> {
        let (path, file) = begin_part(&directory)?;
        let due = [now + FLUSH, now + SYNC, now + LOOK, now + COUNT];
        let (file, retry) = (Some(file), RETRY);
        let (stopped, uncounted, image_schema) = Default::default();
        Ok(Writer {
            directory,
            path,
            limits,
            file,
            stopped,
            retry,
            notes,
            orders,
            uncounted,
            robots: 0,
            image_schema,
            due,
        })
    }

    /// Returns the path of the current file, or of the last file while recording is stopped.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Processes jobs until all senders are dropped. Then closes the run if the hub has set a final status, or else
    /// flushes the file.
    pub fn run(mut self, inbox: &Receiver<Job>) {
        loop {
            let next = self.due.iter().min().copied().unwrap_or_else(Instant::now);
            match inbox.recv_timeout(next.saturating_duration_since(Instant::now())) {
                Ok(Job::Entry(entry)) => self.entry(&entry, Instant::now()),
                Ok(Job::Overhead(time, jpeg, _waits)) => self.overhead(time, (*jpeg).as_ref()),
                Ok(Job::Snapshot(kept)) => self.keep(&kept),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => break,
            }
            self.on_time(Instant::now());
        }
        let word = self.orders.last_word.lock().ok().and_then(|mut word| word.take());
        match word {
            Some(status) => self.close(&status),
            None => self.attempt(|mcap, _| mcap.flush()),
        }
    }

    fn entry(&mut self, entry: &Entry, now: Instant) {
        if self.file.is_none() && !self.again(entry.time(), now) {
            if let Some(stopped) = &mut self.stopped {
                stopped.lost += 1;
            }
            return;
        }
        self.attempt(|mcap, _| mcap.write(entry));
    }

    /// Writes an image, if a file is open. Otherwise, the image is lost. Lost images are not counted, because the
    /// report of lost entries already shows that there is a gap.
    fn overhead(&mut self, time: f64, jpeg: &[u8]) {
        let stamp = McapFile::<BufWriter<File>>::stamp(time);
        let schema = self.image_schema.get_or_insert_with(image::schema).clone();
        self.attempt(|mcap, _| {
            mcap.write_as(image::OVERHEAD, (image::SCHEMA, &schema), stamp, &image::message(jpeg, stamp))
        });
    }

    /// Resumes recording in a further file if the free space is at least twice the reserve. Returns whether recording
    /// was resumed. `time` is the time of the event that reports the gap (s of arena time).
    fn again(&mut self, time: f64, now: Instant) -> bool {
        let Some(stopped) = self.stopped.as_mut().filter(|stopped| now >= stopped.look) else { return false };
        stopped.look = now + RETRY;
        let room = self.limits.room_again(&self.directory).and_then(|()| self.limits.budget(&self.directory));
        let Ok(within) = room else { return false };
        self.told_of_budget(within);
        let Some(stopped) = self.stopped.as_mut() else { return false };
        self.retry = (2 * self.retry).min(LONGEST_RETRY);
        stopped.look = now + self.retry;
        let Ok((path, file)) = begin_part(&self.directory) else { return false };
        let text = format!("RECORDING AGAIN: {} messages are missing; cause: {}", stopped.lost, stopped.why);
        self.path = path;
        self.file = Some(file);
        self.stopped = None;
        self.attempt(|mcap, _| mcap.write(&Entry::event(time, text.clone())).and_then(|()| mcap.flush()));
        if self.file.is_some() {
            let _ = self.notes.send(Note::Again(self.path.clone(), text));
        }
        self.file.is_some()
    }

    fn on_time(&mut self, now: Instant) {
        let periods = [FLUSH, SYNC, LOOK, COUNT];
        let due: Vec<usize> = (0..4).filter(|i| now >= self.due[*i]).collect();
        for which in due {
            self.due[which] = now + periods[which];
            match which {
                0 => self.attempt(|mcap, _| mcap.flush()),
                1 => {
                    self.attempt(|_, disk| disk.sync_data());
                    if self.file.as_ref().is_some_and(|(mcap, _)| mcap.flushes() >= LONGEST_PART) {
                        self.next_part();
                    }
                }
                2 if self.file.is_some() => {
                    if let Err(why) = self.limits.reserve(&self.directory) {
                        self.stop(&why);
                    }
                }
                3 if self.file.is_some() => match self.limits.budget(&self.directory) {
                    Ok(within) => self.told_of_budget(within),
                    Err(why) => self.stop(&why),
                },
                _ => {}
            }
        }
    }

    /// Reports the deleted runs. Also reports an error in computing the size of all runs, unless the error is
    /// unchanged.
    fn told_of_budget(&mut self, within: Within) {
        within.deleted.iter().for_each(|name| say_deleted(&self.notes, name));
        if within.uncounted != self.uncounted
            && let Some(why) = &within.uncounted
        {
            let _ = self.notes.send(Note::Say(Line::warn(format!("budget_gib is not enforced: {why}"))));
        }
        self.uncounted = within.uncounted;
    }

    /// Calls a function with the open file, if there is one. An error stops the recording.
    fn attempt(&mut self, what: impl FnOnce(&mut McapFile<BufWriter<File>>, &File) -> std::io::Result<()>) {
        let Some((mcap, disk)) = &mut self.file else { return };
        if let Err(error) = what(mcap, disk) {
            // The file is incomplete; it is completed when the run is closed.
            self.file = None;
            self.report_stop(RecordError::new(&self.path, error));
        }
    }

    /// Reports that recording has stopped, and removes the stored state.
    fn report_stop(&mut self, why: RecordError) {
        let why = why.to_string();
        let _ = self.notes.send(Note::Stopped(why.clone()));
        // The run continues without a record. Therefore, no hub may resume the run from the end of the record.
        let removed = snapshot::remove(&self.directory).map(|()| u64::MAX);
        self.tell_state(removed.map_err(|error| error.to_string()));
        self.stopped = Some(Stoppage { why, lost: 0, look: Instant::now() + self.retry });
    }

    /// Stops the recording while there is still enough space to complete the file.
    fn stop(&mut self, why: &str) {
        self.complete();
        if self.stopped.is_none() {
            self.report_stop(RecordError::new(&self.directory, why));
        }
    }

    fn keep(&mut self, kept: &Snapshot) {
        let closing = self.orders.last_word.lock().is_ok_and(|word| word.is_some());
        let stale = self.orders.over.load(Ordering::Relaxed) && !kept.is_over();
        if (closing && !kept.is_over()) || stale || self.file.is_none() {
            return;
        }
        // The file must contain all entries from before the state, so the file is flushed before the state is stored.
        let mut bytes = 0;
        self.attempt(|mcap, disk| {
            mcap.flush()?;
            bytes = disk.metadata()?.len();
            Ok(())
        });
        self.due[0] = Instant::now() + FLUSH;
        if self.file.is_none() {
            return;
        }
        self.name_robots(kept);
        let part = self.path.file_name().and_then(|name| part_number(&name.to_string_lossy())).map_or(1, |(n, _)| n);
        let written = snapshot::write(&self.directory, kept, unix_ms(), Reach { part, bytes });
        // If the state of a run in progress cannot be written, the previous state is kept. The robots have the newer
        // data, and the next state is written after a second.
        let removed = written.is_err() && kept.is_over() && snapshot::remove(&self.directory).is_ok();
        let written = written.map(|()| kept.told.2).map_err(|error| error.to_string());
        self.tell_state(if removed { Ok(u64::MAX) } else { written });
    }

    /// Reports the result of storing the state, even if the state has not changed. The report shows the hub that the
    /// disk does not hang.
    fn tell_state(&self, state: Result<u64, String>) {
        let _ = self.notes.send(Note::State(state));
    }

    /// Adds robots that joined during the run to `run.toml`, in the order of their islands.
    fn name_robots(&mut self, kept: &Snapshot) {
        let known = self.robots.max(kept.planned);
        self.robots = kept.robots.len();
        if known == self.robots {
            return;
        }
        if let Err(error) = RunFile::change(&self.directory, |run| run.robots.clone_from(&kept.robots)) {
            let text = format!("robots that joined during the run could not be added to run.toml: {error}");
            let _ = self.notes.send(Note::Say(Line::warn(text)));
        }
    }

    /// Continues in a further file, to limit the memory for the file's summary.
    fn next_part(&mut self) {
        self.complete();
        if self.stopped.is_some() {
            return;
        }
        match begin_part(&self.directory) {
            Ok((path, file)) => {
                let _ = self.notes.send(Note::Next(path.clone()));
                (self.path, self.file) = (path, Some(file));
            }
            Err(error) => self.report_stop(error),
        }
    }

    /// Completes the file and renames it to its final name. Recording stops if this fails.
    fn complete(&mut self) {
        let Some((mut mcap, disk)) = self.file.take() else { return };
        let finished = mcap.finish().and_then(|()| mcap.into_inner().flush()).and_then(|()| disk.sync_all());
        let whole = whole_name(&self.path);
        if let Err(error) = finished.and_then(|()| rename_new(&self.path, &whole)) {
            // A file that is incomplete or not renamed is completed when the run is closed.
            self.report_stop(RecordError::new(&self.path, error));
            return;
        }
        sync_folder(&whole);
    }

    fn close(&mut self, status: &Status) {
        self.complete();
        let notes = self.notes.clone();
        let say = move |line: Line| {
            let _ = notes.send(Note::Say(line));
        };
        Close { directory: &self.directory, status }.until_done(&self.orders.hurry, say);
    }
}

/// Begins the next file of a run. Returns its path and the open file.
fn begin_part(directory: &Path) -> Result<(PathBuf, Open), RecordError> {
    let path = free_part(directory)?;
    let begin = || {
        let file = File::create_new(&path)?;
        // The lock is held until the file is closed. Recovery skips locked files.
        file.lock()?;
        let disk = file.try_clone()?;
        let mut mcap = McapFile::begin(BufWriter::new(file))?;
        mcap.flush()?;
        Ok((mcap, disk))
    };
    begin().map(|open| (path.clone(), open)).map_err(|error: std::io::Error| {
        // Removes the incomplete file, if it was created.
        let _ = atomic::remove(&path);
        RecordError::new(&path, error)
    })
}

/// Returns the first unused path for a file of the run, with the ending of an open file.
fn free_part(directory: &Path) -> Result<PathBuf, RecordError> {
    let is_there = |path: &Path| path.try_exists().map_err(|error| RecordError::new(path, error));
    for n in 1..=MAX_PARTS {
        let name = part_name(n);
        let open = directory.join(format!("{name}{OPEN}"));
        if !is_there(&directory.join(&name))? && !is_there(&open)? {
            return Ok(open);
        }
    }
    Err(RecordError::new(directory, format!("already has {MAX_PARTS} files")))
}

pub(crate) fn say_deleted(notes: &Sender<Note>, name: &str) {
    let text = format!("run {name} is deleted: it is the oldest run, and budget_gib is exceeded");
    let _ = notes.send(Note::Say(Line::info(text)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read::entries;
    use std::sync::mpsc::channel;
    use xpuck_hub_core::config::Record;

    #[test]
    fn recording_resumes_in_new_file_with_gap_event() {
        let dir = tempfile::tempdir().unwrap();
        let (notes, said) = channel();
        let limits = |reserve_mib| Limits::from_config(&Record { reserve_mib, ..Record::at(dir.path()) });
        let (room, full) = (limits(1), limits(1 << 40));
        let start = Instant::now();
        let after = |seconds| start + Duration::from_secs(seconds);
        let event = |n: u32| Entry::event(n.into(), n.to_string());
        let mut writer = Writer::begin(dir.path().into(), room.clone(), notes, Orders::default(), start).unwrap();
        writer.entry(&event(0), start);
        let state = dir.path().join(snapshot::STATE_FILE);
        std::fs::write(&state, "how the run stood").unwrap();
        writer.limits = full.clone();
        writer.on_time(after(1));
        assert!(matches!(said.try_recv(), Ok(Note::Stopped(why)) if why.contains("reserve_mib")));
        assert!(!state.exists(), "a hub would go on from where the record ended");
        assert_eq!(said.try_recv(), Ok(Note::State(Ok(u64::MAX))));
        // At 60 s there is not enough space. At 61 s there is enough, but the last check was less than 5 s ago.
        writer.entry(&event(1), after(60));
        writer.limits = room.clone();
        writer.entry(&event(2), after(61));
        assert!(said.try_recv().is_err() && writer.file.is_none());
        writer.entry(&event(3), after(66));
        let Ok(Note::Again(path, text)) = said.try_recv() else { panic!("it goes on") };
        assert!(path == writer.path() && text.contains(" 2 messages are missing"), "{text}");
        // After the second stop, the delay before the next check is longer.
        writer.limits = full;
        writer.on_time(after(70));
        assert!(matches!(said.try_recv(), Ok(Note::Stopped(_))));
        assert_eq!(said.try_recv(), Ok(Note::State(Ok(u64::MAX))));
        writer.limits = room;
        writer.entry(&event(4), after(9));
        assert!(said.try_recv().is_err() && writer.file.is_none());
        let read = |name: &str| entries(&dir.path().join(name)).unwrap().map(Result::unwrap).collect::<Vec<_>>();
        assert_eq!(read("run.mcap"), [event(0)]);
        assert_eq!(read("run-2.mcap"), [Entry::event(3.0, text), event(3)]);
    }

    /// Checks that the run continues in a new file after the maximum number of flushes, without a gap.
    #[test]
    fn long_run_spans_several_files_without_gaps() {
        let dir = tempfile::tempdir().unwrap();
        let (notes, said) = channel();
        let limits = Limits::from_config(&Record { reserve_mib: 1, ..Record::at(dir.path()) });
        let start = Instant::now();
        let mut writer = Writer::begin(dir.path().into(), limits, notes, Orders::default(), start).unwrap();
        let event = |n: u32| Entry::event(n.into(), n.to_string());
        for n in 0..2 * LONGEST_PART + 100 {
            writer.entry(&event(n), start);
            writer.attempt(|mcap, _| mcap.flush());
            if n % 100 == 99 {
                writer.on_time(start + Duration::from_secs(n.into()));
            }
        }
        let parts: Vec<PathBuf> =
            said.try_iter().map(|note| matches!(note, Note::Next(_)).then(|| writer.path().into()).unwrap()).collect();
        assert_eq!(parts.len(), 2);
        writer.complete();
        let times: Vec<f64> = entries(dir.path()).unwrap().map(|entry| entry.unwrap().time()).collect();
        assert_eq!(times, (0..2 * LONGEST_PART + 100).map(f64::from).collect::<Vec<_>>());
    }
}

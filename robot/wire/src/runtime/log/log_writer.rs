//! Queue of lines, and the thread that writes the lines. If the queue is full or writing fails, lines are dropped and
//! counted.

use super::form::LineFormat;
use crate::{clock, output, priority};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::{Duration, Instant};
use tracing::Level;

/// Capacity of the queue (lines).
const QUEUE: usize = 512;
/// Interval between attempts to report lost lines while no new line arrives.
const RETRY: Duration = Duration::from_secs(1);

#[derive(Default)]
struct Counts {
    taken: AtomicU64,
    done: AtomicU64,
    lost: AtomicU64,
}

/// Queue of lines and its writer thread.
pub(super) struct LogWriter {
    lines: SyncSender<String>,
    counts: Arc<Counts>,
}

impl LogWriter {
    /// Starts a writer thread with the given name. If `tells` is given, a line in this format reports the number of
    /// lost lines as soon as writing succeeds again.
    pub fn new(name: &str, to: impl AsFd + Send + 'static, tells: Option<LineFormat>) -> LogWriter {
        let (sender, lines) = sync_channel(QUEUE);
        let counts = Arc::new(Counts::default());
        let theirs = counts.clone();
        let run = move || {
            // The creating thread may have real-time or idle priority; the writer must not inherit it.
            let _ = priority::run_as_others();
            write(&lines, &theirs, to, tells);
        };
        // If no thread can be created, every line counts as lost.
        let _ = std::thread::Builder::new().name(name.into()).spawn(run);
        LogWriter { lines: sender, counts }
    }

    /// Queues a line, which is given without its line end. Does not block.
    pub fn line(&self, text: &str) {
        let count =
            if self.lines.try_send(format!("{text}\n")).is_ok() { &self.counts.taken } else { &self.counts.lost };
        count.fetch_add(1, Relaxed);
    }

    /// Returns the number of lines lost so far.
    pub fn lost(&self) -> u64 {
        self.counts.lost.load(Relaxed)
    }

    /// Waits until all lines queued so far are written or lost, or until the time `until`.
    pub fn flush(&self, until: Instant) {
        let taken = self.counts.taken.load(Relaxed);
        while self.counts.done.load(Relaxed) < taken && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn write(lines: &Receiver<String>, counts: &Counts, to: impl AsFd, tells: Option<LineFormat>) {
    let mut told = 0;
    // Whether the last line was written only partly.
    let mut torn = false;
    let mut put = |text: String| {
        let text = if torn { format!("\n{text}") } else { text };
        let mut rest = text.as_bytes();
        let result = output::write_all(&to, &mut rest);
        torn = if rest.len() < text.len() { result.is_err() } else { torn };
        result.is_ok()
    };
    loop {
        let untold = tells.is_some() && counts.lost.load(Relaxed) > told;
        let wait = if untold { RETRY } else { Duration::MAX };
        let line = match lines.recv_timeout(wait) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let lost = counts.lost.load(Relaxed);
        if let Some(form) = tells.filter(|_| lost > told) {
            let text = format!("log: {} lines were lost", lost - told);
            if put(form.line(clock::unix_ms(), Level::WARN, &text) + "\n") {
                told = lost;
            }
        }
        if let Some(line) = line {
            if !put(line) {
                counts.lost.fetch_add(1, Relaxed);
            }
            counts.done.fetch_add(1, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{BufRead, BufReader, Read, pipe};

    const PATIENCE: Duration = Duration::from_secs(60);
    const TELLS: Option<LineFormat> = Some(LineFormat::Journal);

    fn flush(pen: &LogWriter) {
        pen.flush(Instant::now() + PATIENCE);
        assert_eq!(pen.counts.done.load(Relaxed), pen.counts.taken.load(Relaxed));
    }

    #[test]
    fn lines_lost_to_full_or_closed_log_are_counted() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (reader, closed) = pipe().unwrap();
        drop(reader);
        for pen in [LogWriter::new("test", full, TELLS), LogWriter::new("test", closed, TELLS)] {
            (0..20).for_each(|i| pen.line(&format!("line {i}")));
            flush(&pen);
            assert_eq!(pen.counts.lost.load(Relaxed), 20);
        }
    }

    #[test]
    fn stalled_reader_blocks_nobody_and_sees_loss_count() {
        let (reader, writer) = pipe().unwrap();
        let pen = LogWriter::new("test", writer, TELLS);
        // The lines exceed the total capacity of the pipe (64 KiB) and the queue.
        let text = "x".repeat(999);
        let said = 2000;
        (0..said).for_each(|_| pen.line(&text));
        let lost = pen.counts.lost.load(Relaxed);
        assert!(lost > 0 && pen.counts.taken.load(Relaxed) + lost == said, "{lost}");
        let (mut heard, mut told) = (0, 0);
        for line in BufReader::new(reader).lines().map(Result::unwrap) {
            match line.strip_prefix("<4>log: ").and_then(|rest| rest.split(' ').next()) {
                Some(count) => told += count.parse::<u64>().unwrap(),
                None => heard += u64::from(line == text),
            }
            if (heard, told) == (said - lost, lost) {
                return;
            }
        }
        panic!("{heard} lines were heard and {told} told of as lost, of {said} of which {lost} were");
    }

    #[test]
    fn lost_line_count_is_logged_when_log_is_writable() {
        let (mut reader, writer) = pipe().unwrap();
        let counts = Arc::new(Counts::default());
        counts.lost.store(7, Relaxed);
        let (sender, lines) = sync_channel(QUEUE);
        let theirs = counts.clone();
        let thread = std::thread::spawn(move || write(&lines, &theirs, writer, TELLS));
        // The report of lost lines is written even if no new line arrives.
        let mut notice = [0; 26];
        reader.read_exact(&mut notice).unwrap();
        assert_eq!(&notice, b"<4>log: 7 lines were lost\n");
        sender.send("again\n".into()).unwrap();
        drop(sender);
        thread.join().unwrap();
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "again\n");
    }
}

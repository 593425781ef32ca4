//! The log of a service: lines for standard error that a thread writes, so that no loop waits for a disk or a reader.
//!
//! A full, closed or stalled log costs lines, which are counted, and nothing else.

use crate::output;
use crate::precedence;
use std::fmt::Display;
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Lines that wait to be written, at most.
const QUEUE: usize = 512;
/// Longest line of a log, bytes; the rest is cut off.
const LINE: usize = 8192;
/// After lines were lost the log is tried again so often, even if nobody has anything to say.
const RETRY: Duration = Duration::from_secs(1);
/// How long the end of a process waits for lines that are still to be written.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// The same for a panic, after which wheels may have to stop.
const PANIC: Duration = Duration::from_millis(300);

static LOG: OnceLock<Pen> = OnceLock::new();
static REPORTS: OnceLock<Pen> = OnceLock::new();

#[derive(Default)]
struct Counts {
    taken: AtomicU64,
    done: AtomicU64,
    lost: AtomicU64,
}

/// A queue of lines and the thread behind it.
struct Pen {
    lines: SyncSender<String>,
    counts: Arc<Counts>,
}

impl Pen {
    /// With `tells` it writes how many lines were lost as soon as it can write again.
    fn new(name: &str, to: impl AsFd + Send + 'static, tells: bool) -> Pen {
        let (sender, lines) = sync_channel(QUEUE);
        let counts = Arc::new(Counts::default());
        let theirs = counts.clone();
        let run = move || {
            // Whoever spoke first may be a thread that goes before all others, or after them.
            let _ = precedence::run_as_others();
            write(&lines, &theirs, to, tells);
        };
        // Without a thread the queue has no reader, and every line counts as lost.
        let _ = std::thread::Builder::new().name(name.into()).spawn(run);
        Pen { lines: sender, counts }
    }

    fn line(&self, text: &str) {
        let count =
            if self.lines.try_send(format!("{text}\n")).is_ok() { &self.counts.taken } else { &self.counts.lost };
        count.fetch_add(1, Relaxed);
    }

    /// Waits until all lines taken so far are written or lost.
    fn flush(&self, until: Instant) {
        let taken = self.counts.taken.load(Relaxed);
        while self.counts.done.load(Relaxed) < taken && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

fn write(lines: &Receiver<String>, counts: &Counts, to: impl AsFd, tells: bool) {
    let mut told = 0;
    // The last line broke off in its middle.
    let mut torn = false;
    let mut put = |text: String| {
        let text = if torn { format!("\n{text}") } else { text };
        let mut rest = text.as_bytes();
        let result = output::write_all(&to, &mut rest);
        torn = if rest.len() < text.len() { result.is_err() } else { torn };
        result.is_ok()
    };
    loop {
        let untold = tells && counts.lost.load(Relaxed) > told;
        let wait = if untold { RETRY } else { Duration::MAX };
        let line = match lines.recv_timeout(wait) {
            Ok(line) => Some(line),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => return,
        };
        let lost = counts.lost.load(Relaxed);
        if tells && lost > told && put(format!("log: {} lines were lost\n", lost - told)) {
            told = lost;
        }
        if let Some(line) = line {
            if !put(line) {
                counts.lost.fetch_add(1, Relaxed);
            }
            counts.done.fetch_add(1, Relaxed);
        }
    }
}

fn log() -> &'static Pen {
    LOG.get_or_init(|| Pen::new("log", output::stderr(), true))
}

/// Begins the log, and lets panics speak through it; after the message of a panic comes `then`. For the start of a
/// program.
pub fn begin(then: fn()) {
    log();
    std::panic::set_hook(Box::new(move |info| {
        let thread = std::thread::current();
        line(format_args!("thread `{}` {info}", thread.name().unwrap_or("without a name")));
        let trace = std::backtrace::Backtrace::capture();
        if trace.status() == std::backtrace::BacktraceStatus::Captured {
            line(trace);
        }
        flush_within(PANIC);
        then();
    }));
}

fn cut(text: &str) -> &str {
    &text[..text.floor_char_boundary(LINE)]
}

/// Puts text in the log, as one line or several. Returns at once.
pub fn line(text: impl Display) {
    text.to_string().lines().for_each(|text| log().line(cut(text)));
}

/// Puts a line on standard output in the same way, for what a service tells of itself while it runs.
pub fn report(text: impl Display) {
    REPORTS.get_or_init(|| Pen::new("reports", output::stdout(), false)).line(&text.to_string());
}

/// Lines of the log that were lost since the program started.
pub fn lost() -> u64 {
    LOG.get().map_or(0, |log| log.counts.lost.load(Relaxed))
}

/// Lets lines out that still wait, within a second. For the end of a program, and before a command's result.
pub fn flush() {
    flush_within(LAST_WORDS);
}

fn flush_within(limit: Duration) {
    let until = Instant::now() + limit;
    [&LOG, &REPORTS].into_iter().filter_map(OnceLock::get).for_each(|pen| pen.flush(until));
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{BufRead, BufReader, Read, pipe};

    const PATIENCE: Duration = Duration::from_secs(60);

    fn flush(pen: &Pen) {
        pen.flush(Instant::now() + PATIENCE);
        assert_eq!(pen.counts.done.load(Relaxed), pen.counts.taken.load(Relaxed));
    }

    #[test]
    fn a_full_or_closed_log_costs_lines_that_are_counted() {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let (reader, closed) = pipe().unwrap();
        drop(reader);
        for pen in [Pen::new("test", full, true), Pen::new("test", closed, true)] {
            (0..20).for_each(|i| pen.line(&format!("line {i}")));
            flush(&pen);
            assert_eq!(pen.counts.lost.load(Relaxed), 20);
        }
    }

    #[test]
    fn a_reader_that_stalls_holds_nobody_up_and_learns_what_it_missed() {
        let (reader, writer) = pipe().unwrap();
        let pen = Pen::new("test", writer, true);
        // More than pipe and queue hold: a pipe has 64 KiB.
        let text = "x".repeat(999);
        let said = 2000;
        (0..said).for_each(|_| pen.line(&text));
        let lost = pen.counts.lost.load(Relaxed);
        assert!(lost > 0 && pen.counts.taken.load(Relaxed) + lost == said, "{lost}");
        let (mut heard, mut told) = (0, 0);
        for line in BufReader::new(reader).lines().map(Result::unwrap) {
            match line.strip_prefix("log: ").and_then(|rest| rest.split(' ').next()) {
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
    fn what_was_lost_is_told_when_there_is_room_again() {
        let (mut reader, writer) = pipe().unwrap();
        let counts = Arc::new(Counts::default());
        counts.lost.store(7, Relaxed);
        let (sender, lines) = sync_channel(QUEUE);
        let theirs = counts.clone();
        let thread = std::thread::spawn(move || write(&lines, &theirs, writer, true));
        // Nobody says anything, and it is told all the same.
        let mut notice = [0; 23];
        reader.read_exact(&mut notice).unwrap();
        assert_eq!(&notice, b"log: 7 lines were lost\n");
        sender.send("again\n".into()).unwrap();
        drop(sender);
        thread.join().unwrap();
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "again\n");
    }

    #[test]
    fn a_line_has_a_bound() {
        assert_eq!(cut(&format!("x{}", "ä".repeat(LINE))).len(), LINE - 1);
        assert_eq!(cut("ä"), "ä");
    }
}

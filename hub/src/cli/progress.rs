//! Progress of work that takes longer than a moment: a bar on a terminal, elsewhere a line now and then, both with the time
//! that is left.

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use xpuck_wire::{log, output};

/// What is done sooner shows no bar.
const MOMENT: Duration = Duration::from_millis(500);
/// The first line comes after so long; each next one after half as long again.
const FIRST: Duration = Duration::from_secs(5);
/// But at least so often.
const LONGEST: Duration = Duration::from_secs(60);
/// So often it is looked whether a line is due, and the bar's clock goes on.
const LOOK: Duration = Duration::from_millis(200);

/// Progress that is shown until it is dropped.
pub struct Progress {
    bar: ProgressBar,
    shared: Arc<Shared>,
    lines: Option<std::thread::JoinHandle<()>>,
}

struct Shared {
    /// What is counted, such as "generation"; what is done, where nothing is.
    what: &'static str,
    bytes: bool,
    begun: Mutex<(Instant, u64)>,
    done: AtomicU64,
    /// 0 if it is not known.
    total: AtomicU64,
    note: Mutex<String>,
    over: AtomicBool,
}

impl Progress {
    /// Of `total` steps, each of which is a `what`.
    pub fn of(what: &'static str, total: u64, quiet: bool) -> Progress {
        Progress::new(what, false, total, quiet)
    }

    /// Of so many bytes, which [`Progress::set`] tells; `what` is what is done with them.
    pub fn bytes(what: &'static str, quiet: bool) -> Progress {
        Progress::new(what, true, 0, quiet)
    }

    /// Of something that nobody knows the length of.
    pub fn waiting(what: &'static str, quiet: bool) -> Progress {
        Progress::new(what, false, 0, quiet)
    }

    fn new(what: &'static str, bytes: bool, total: u64, quiet: bool) -> Progress {
        let shared = Arc::new(Shared {
            what,
            bytes,
            begun: Mutex::new((Instant::now(), 0)),
            done: AtomicU64::new(0),
            total: AtomicU64::new(total),
            note: Mutex::default(),
            over: AtomicBool::new(false),
        });
        // It is drawn when the work turns out to take its time.
        let bar = ProgressBar::with_draw_target(Some(total.max(1)), ProgressDrawTarget::hidden());
        // A narrow terminal has the words alone.
        let wide = output::columns().is_none_or(|columns| columns > 60);
        let template = match (total > 0 || bytes, wide) {
            (true, true) => "{bar:30.cyan} {wide_msg}",
            (false, true) => "{spinner} {wide_msg}",
            (_, false) => "{wide_msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        if quiet {
            return Progress { bar, shared, lines: None };
        }
        let plain = !is_drawn();
        let (show, theirs) = (bar.clone(), shared.clone());
        // Without a thread there is no progress, and the work is done all the same.
        let lines = std::thread::Builder::new().name("progress".into()).spawn(move || theirs.tell(&show, plain)).ok();
        Progress { bar, shared, lines }
    }

    /// One step more.
    pub fn inc(&self) {
        let done = self.shared.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.bar.set_position(done);
    }

    /// So many steps were done before: they say nothing of how long the rest takes.
    pub fn begin_at(&self, done: u64) {
        self.shared.done.store(done, Ordering::Relaxed);
        *lock(&self.shared.begun) = (Instant::now(), done);
        self.bar.set_position(done);
    }

    /// So many steps of so many are done.
    pub fn set(&self, done: u64, total: u64) {
        self.shared.done.store(done, Ordering::Relaxed);
        self.shared.total.store(total, Ordering::Relaxed);
        self.bar.set_length(total.max(1));
        self.bar.set_position(done);
    }

    /// Something to say beside the count.
    pub fn note(&self, text: impl Into<String>) {
        *lock(&self.shared.note) = text.into();
    }

    /// Prints something meanwhile.
    pub fn suspend<T>(&self, print: impl FnOnce() -> T) -> T {
        self.bar.suspend(print)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Relaxed);
        if let Some(lines) = self.lines.take() {
            lines.thread().unpark();
            let _ = lines.join();
        }
        self.bar.finish_and_clear();
    }
}

/// True if standard error is a terminal, on which bars can be drawn.
pub fn is_drawn() -> bool {
    !ProgressDrawTarget::stderr().is_hidden()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Keeps the bar's text, or says a line when one is due, until it is over.
    fn tell(&self, bar: &ProgressBar, plain: bool) {
        let (mut wait, mut next, show) = (FIRST, Instant::now() + FIRST, Instant::now() + MOMENT);
        while !self.over.load(Ordering::Relaxed) {
            let now = Instant::now();
            if !plain && now >= show && bar.is_hidden() {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            if !plain {
                bar.set_message(self.words(now));
                bar.tick();
            } else if now >= next {
                log::line(format_args!("xpuck: {}", self.words(now)));
                wait = (wait + wait / 2).min(LONGEST);
                next = now + wait;
            }
            std::thread::park_timeout(LOOK);
        }
    }

    /// How far it is.
    fn words(&self, now: Instant) -> String {
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        let (begun, before) = *lock(&self.begun);
        let note = lock(&self.note).clone();
        words(self.what, self.bytes, (done, total), left((done, total), before, now - begun), now - begun, &note)
    }
}

/// How long the rest takes if it goes on as so far; none before the first step.
fn left((done, total): (u64, u64), before: u64, passed: Duration) -> Option<Duration> {
    let steps = done.checked_sub(before).filter(|steps| *steps > 0)?;
    let rest = total.checked_sub(done)?;
    Some(passed.mul_f64(rest as f64 / steps as f64))
}

fn words(
    what: &str,
    bytes: bool,
    (done, total): (u64, u64),
    left: Option<Duration>,
    passed: Duration,
    note: &str,
) -> String {
    let count = match (bytes, total) {
        (_, 0) => what.to_string(),
        (true, _) => format!("{what}: {} % of {}", 100 * done / total, indicatif::HumanBytes(total)),
        (false, _) => format!("{what} {done} of {total}"),
    };
    let note = if note.is_empty() { String::new() } else { format!(", {note}") };
    match left.filter(|_| total > 0) {
        Some(left) => format!("{count}{note}, {} left", HumanDuration(left)),
        None if passed < LOOK => format!("{count}{note}"),
        None => format!("{count}{note}, {} so far", HumanDuration(passed)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_done_before_says_nothing_of_how_long_the_rest_takes() {
        let minute = Duration::from_secs(60);
        assert_eq!(left((0, 10), 0, minute), None);
        assert_eq!(left((5, 10), 0, minute), Some(minute));
        assert_eq!(left((9, 10), 8, minute), Some(minute));
        assert_eq!(left((8, 10), 8, minute), None);
        assert_eq!(left((11, 10), 0, minute), None);
    }

    #[test]
    fn words_say_what_how_far_and_how_long() {
        let minute = Duration::from_secs(60);
        assert_eq!(words("run", false, (3, 20), Some(2 * minute), minute, ""), "run 3 of 20, 2 minutes left");
        assert_eq!(words("run", false, (0, 20), None, minute, "best 0.1"), "run 0 of 20, best 0.1, 60 seconds so far");
        assert_eq!(words("fitting", false, (0, 0), None, minute, ""), "fitting, 60 seconds so far");
        assert_eq!(
            words("reading", true, (1 << 20, 4 << 20), Some(minute), minute, ""),
            "reading: 25 % of 4.00 MiB, 60 seconds left"
        );
    }

    #[test]
    fn nothing_is_left_running_and_no_line_comes_of_short_work() {
        let progress = Progress::of("step", 3, false);
        (0..3).for_each(|_| progress.inc());
        let shared = Arc::downgrade(&progress.shared);
        drop(progress);
        assert!(shared.upgrade().is_none());
    }
}

//! Progress of long work with the estimated remaining time. A terminal shows a bar. If standard error is not a
//! terminal, lines are printed at growing intervals.

use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use xpuck_wire::{log, output};

/// Minimum duration of work for which a bar is shown.
const SHOW_DELAY: Duration = Duration::from_millis(500);
/// Delay of the first line. Each further delay is 1.5 times the previous one.
const FIRST_DELAY: Duration = Duration::from_secs(5);
/// Maximum delay between two lines.
const MAX_DELAY: Duration = Duration::from_secs(60);
/// Minimum number of steps for which a trend of the step duration is estimated.
const MIN_TREND_STEPS: u64 = 8;
/// Maximum number of stored marks. A mark is a pair of a step count and an elapsed time.
const MARKS: usize = 256;
/// Interval between two updates of the bar. Without a bar, interval between two checks whether a line is due.
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Display of the progress, which is shown until this value is dropped.
pub struct Progress {
    bar: ProgressBar,
    shared: Arc<Shared>,
    lines: Option<std::thread::JoinHandle<()>>,
}

/// Unit of a count.
#[derive(Clone, Copy, PartialEq)]
enum Unit {
    Steps,
    Bytes,
    Thousandths,
}

struct Shared {
    /// Name of the counted unit, such as "generation", or a description of work without a count.
    what: &'static str,
    unit: Unit,
    begun: Mutex<Instant>,
    /// Marks for the estimate of the remaining time: number of completed steps, and elapsed time since the start.
    marks: Mutex<Vec<(u64, Duration)>>,
    done: AtomicU64,
    /// Total number of steps, bytes or thousandths; 0 if unknown.
    total: AtomicU64,
    note: Mutex<String>,
    over: AtomicBool,
}

/// Disables progress output for all displays that are created later.
pub fn silence() {
    SILENT.store(true, Ordering::Relaxed);
}

/// Whether progress output is disabled.
static SILENT: AtomicBool = AtomicBool::new(false);

impl Progress {
    /// Creates a display that counts `total` steps of the unit `what`. `quiet` suppresses all output.
    pub fn steps(what: &'static str, total: u64, quiet: bool) -> Progress {
        Progress::new(what, Unit::Steps, total, quiet)
    }

    /// Creates a display in percent, for work without named steps. [`Progress::set`] then takes thousandths.
    pub fn percent(what: &'static str, quiet: bool) -> Progress {
        Progress::new(what, Unit::Thousandths, 1000, quiet)
    }

    /// Creates a display in bytes. [`Progress::set`] sets the number of bytes. `what` describes the work.
    pub fn bytes(what: &'static str, quiet: bool) -> Progress {
        Progress::new(what, Unit::Bytes, 0, quiet)
    }

    /// Creates a display for work of unknown length.
    pub fn waiting(what: &'static str, quiet: bool) -> Progress {
        Progress::new(what, Unit::Steps, 0, quiet)
    }

    fn new(what: &'static str, unit: Unit, total: u64, quiet: bool) -> Progress {
        let shared = Arc::new(Shared {
            what,
            unit,
            begun: Mutex::new(Instant::now()),
            marks: Mutex::new(vec![(0, Duration::ZERO)]),
            done: AtomicU64::new(0),
            total: AtomicU64::new(total),
            note: Mutex::default(),
            over: AtomicBool::new(false),
        });
        // The bar is hidden until the work has lasted for `SHOW_DELAY`.
        let bar = ProgressBar::with_draw_target(Some(total.max(1)), ProgressDrawTarget::hidden());
        // On a narrow terminal, only the text is shown.
        let wide = output::columns().is_none_or(|columns| columns > 60);
        let template = match (total > 0 || unit == Unit::Bytes, wide) {
            (true, true) => "{bar:30.cyan} {wide_msg}",
            (false, true) => "{spinner} {wide_msg}",
            (_, false) => "{wide_msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        if quiet || SILENT.load(Ordering::Relaxed) {
            return Progress { bar, shared, lines: None };
        }
        let plain = !is_drawn();
        let (show, theirs) = (bar.clone(), shared.clone());
        // If the thread cannot start, the work continues without progress.
        let lines = std::thread::Builder::new().name("progress".into()).spawn(move || theirs.run(&show, plain)).ok();
        Progress { bar, shared, lines }
    }

    /// Counts one more step.
    pub fn inc(&self) {
        let done = self.shared.done.fetch_add(1, Ordering::Relaxed) + 1;
        self.shared.mark(done);
        self.bar.set_position(done);
    }

    /// Sets the number of steps that were completed earlier. The estimate of the remaining time ignores these steps.
    pub fn begin_at(&self, done: u64) {
        self.shared.done.store(done, Ordering::Relaxed);
        *lock(&self.shared.begun) = Instant::now();
        *lock(&self.shared.marks) = vec![(done, Duration::ZERO)];
        self.bar.set_position(done);
    }

    /// Sets the number of completed steps and the total.
    pub fn set(&self, done: u64, total: u64) {
        self.shared.done.store(done, Ordering::Relaxed);
        self.shared.total.store(total, Ordering::Relaxed);
        self.shared.mark(done);
        self.bar.set_length(total.max(1));
        self.bar.set_position(done);
    }

    /// Sets a text that is shown after the count.
    pub fn note(&self, text: impl Into<String>) {
        *lock(&self.shared.note) = text.into();
    }

    /// Hides the bar while `print` writes to the terminal.
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

/// Returns whether standard error is a terminal, so that bars can be drawn.
pub fn is_drawn() -> bool {
    !ProgressDrawTarget::stderr().is_hidden()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Shared {
    /// Redraws the bar until the work ends. If `plain` is true, prints lines at growing intervals instead.
    fn run(&self, bar: &ProgressBar, plain: bool) {
        let (mut wait, mut next, show) = (FIRST_DELAY, Instant::now() + FIRST_DELAY, Instant::now() + SHOW_DELAY);
        while !self.over.load(Ordering::Relaxed) {
            let now = Instant::now();
            if !plain && now >= show && bar.is_hidden() {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            if !plain {
                bar.set_message(self.words(now));
                bar.tick();
            } else if now >= next {
                log::write_raw(format_args!("xpuck: {}", self.words(now)));
                wait = (wait + wait / 2).min(MAX_DELAY);
                next = now + wait;
            }
            std::thread::park_timeout(POLL_INTERVAL);
        }
    }

    /// Stores a mark with the number of completed steps `done` and the elapsed time.
    fn mark(&self, done: u64) {
        let passed = lock(&self.begun).elapsed();
        let mut marks = lock(&self.marks);
        if marks.last().is_none_or(|(last, _)| done > *last) {
            marks.push((done, passed));
        }
        if marks.len() > MARKS {
            *marks = marks.iter().copied().step_by(2).collect();
        }
    }

    /// Formats the current progress.
    fn words(&self, now: Instant) -> String {
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        let passed = now - *lock(&self.begun);
        let left = remaining(self.unit, &lock(&self.marks), (done, total), passed);
        let note = lock(&self.note).clone();
        words(self.what, self.unit, (done, total), left, passed, &note)
    }
}

/// Estimates the remaining time. `None` before the first step, or if `done` exceeds `total`. Work in thousandths,
/// such as evolution, slows down as trees grow. For such work, the change of the step duration from the first to the
/// second half of the completed steps is extrapolated. For other work, the mean step duration is used.
fn remaining(unit: Unit, marks: &[(u64, Duration)], (done, total): (u64, u64), passed: Duration) -> Option<Duration> {
    let (before, _) = *marks.first()?;
    let steps = done.checked_sub(before).filter(|steps| *steps > 0)?;
    let rest = total.checked_sub(done)? as f64;
    let passed = passed.as_secs_f64();
    let even = passed / steps as f64;
    let middle =
        marks.iter().find(|(at, _)| *at >= before + steps / 2).filter(|(at, _)| steps >= MIN_TREND_STEPS && *at < done);
    let middle = middle.filter(|_| unit == Unit::Thousandths);
    let pace = middle.map_or(even, |(at, then)| {
        let (first, second, then) = ((at - before) as f64, (done - at) as f64, then.as_secs_f64());
        let (early, late) = (then / first, (passed - then) / second);
        let growth = (late - early) / (steps as f64 / 2.0);
        (late + growth * (second + rest) / 2.0).clamp(late / 2.0, 6.0 * late)
    });
    Duration::try_from_secs_f64(pace * rest).ok()
}

fn words(
    what: &str,
    unit: Unit,
    (done, total): (u64, u64),
    left: Option<Duration>,
    passed: Duration,
    note: &str,
) -> String {
    let count = match (unit, total) {
        (_, 0) => what.to_string(),
        (Unit::Bytes, _) => format!("{what}: {} % of {}", 100 * done / total, indicatif::HumanBytes(total)),
        (Unit::Thousandths, _) => format!("{what}: {:.1} %", done as f64 / 10.0),
        (Unit::Steps, _) => format!("{what} {done} of {total}"),
    };
    let note = if note.is_empty() { String::new() } else { format!(", {note}") };
    match left.filter(|_| total > 0) {
        Some(left) => format!("{count}{note}, {} left", HumanDuration(left)),
        None if passed < POLL_INTERVAL => format!("{count}{note}"),
        None => format!("{count}{note}, {} so far", HumanDuration(passed)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn earlier_steps_do_not_affect_estimate() {
        let minute = Duration::from_secs(60);
        let from = |before| [(before, Duration::ZERO)];
        assert_eq!(remaining(Unit::Steps, &from(0), (0, 10), minute), None);
        assert_eq!(remaining(Unit::Steps, &from(0), (5, 10), minute), Some(minute));
        assert_eq!(remaining(Unit::Steps, &from(8), (9, 10), minute), Some(minute));
        assert_eq!(remaining(Unit::Steps, &from(8), (8, 10), minute), None);
        assert_eq!(remaining(Unit::Steps, &from(0), (11, 10), minute), None);
    }

    #[test]
    fn steps_that_grow_longer_are_foreseen() {
        // Step n lasts n seconds.
        let at = |done: u64| Duration::from_secs(done * (done + 1) / 2);
        let marks: Vec<(u64, Duration)> = (0..=100).map(|done| (done, at(done))).collect();
        for done in [20, 40, 60, 90] {
            let truth = (at(100) - at(done)).as_secs_f64();
            let told =
                remaining(Unit::Thousandths, &marks[..=done as usize], (done, 100), at(done)).unwrap().as_secs_f64();
            assert!((0.6..1.1).contains(&(told / truth)), "{told} s after {done}; {truth} s are left");
        }
    }

    #[test]
    fn progress_text_has_count_and_time() {
        let minute = Duration::from_secs(60);
        assert_eq!(words("run", Unit::Steps, (3, 20), Some(2 * minute), minute, ""), "run 3 of 20, 2 minutes left");
        assert_eq!(
            words("run", Unit::Steps, (0, 20), None, minute, "best 0.1"),
            "run 0 of 20, best 0.1, 60 seconds so far"
        );
        assert_eq!(words("fitting", Unit::Steps, (0, 0), None, minute, ""), "fitting, 60 seconds so far");
        assert_eq!(
            words("reading", Unit::Bytes, (1 << 20, 4 << 20), Some(minute), minute, ""),
            "reading: 25 % of 4.00 MiB, 60 seconds left"
        );
        assert_eq!(words("evolution", Unit::Thousandths, (155, 1000), None, Duration::ZERO, ""), "evolution: 15.5 %");
    }

    #[test]
    fn dropped_progress_ends_its_thread() {
        let progress = Progress::steps("step", 3, false);
        (0..3).for_each(|_| progress.inc());
        let shared = Arc::downgrade(&progress.shared);
        drop(progress);
        assert!(shared.upgrade().is_none());
    }
}

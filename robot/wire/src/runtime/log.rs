//! Log of a service. A thread writes the lines to standard error, so that other threads do not wait for a disk or a
//! reader.
//!
//! If the queue of lines is full, or if standard error cannot be written, lines are dropped and counted. Services log
//! through the macros of [`tracing`]. The argument `target:` names the source of an event, and the fields identify the
//! instance. After [`start`], events are written as lines.

mod events;
mod form;
mod log_writer;
mod tap;

pub use form::{first_line, text_of, time};
pub use tap::{Tap, tap};
pub use tracing::Level;

use crate::{clock, output};
use events::Events;
use form::LineFormat;
use log_writer::LogWriter;
use std::fmt::Display;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tracing::warn;

/// Environment variable with the minimum severity that is written: error, warn, info or debug.
const LEVEL: &str = "XPUCK_LOG";
/// Environment variable of systemd. It identifies the file of standard error, if this file is a connection to journald.
const JOURNAL: &str = "JOURNAL_STREAM";
/// Maximum time for which [`flush`] waits until the queued lines are written.
const FLUSH_LIMIT: Duration = Duration::from_secs(1);
/// Maximum waiting time after a panic until the queued lines are written. The time is short, because the program may
/// have to stop the robot's wheels afterwards.
const PANIC: Duration = Duration::from_millis(300);

static FORM: OnceLock<LineFormat> = OnceLock::new();
static LOG: OnceLock<LogWriter> = OnceLock::new();
static REPORTS: OnceLock<LogWriter> = OnceLock::new();

/// Emits an event whose level is known only at run time. The arguments after the level are those of the `tracing`
/// macros.
#[macro_export]
macro_rules! event_at {
    ($level:expr, $($event:tt)+) => {
        match $level {
            $crate::log::Level::ERROR => ::tracing::error!($($event)+),
            $crate::log::Level::WARN => ::tracing::warn!($($event)+),
            $crate::log::Level::INFO => ::tracing::info!($($event)+),
            _ => ::tracing::debug!($($event)+),
        }
    };
}

/// Log line that a function returns to its caller, because the function does not log by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Severity of the line.
    pub level: Level,
    /// Text of the line, without the name of the source.
    pub text: String,
}

impl From<String> for Line {
    fn from(text: String) -> Line {
        Line::info(text)
    }
}

impl Line {
    /// Creates a line about normal operation.
    pub fn info(text: impl Into<String>) -> Line {
        Line { level: Level::INFO, text: text.into() }
    }

    /// Creates a line about a problem that needs attention while operation continues.
    pub fn warn(text: impl Into<String>) -> Line {
        Line { level: Level::WARN, text: text.into() }
    }

    /// Creates a line about a loss of data or function.
    pub fn error(text: impl Into<String>) -> Line {
        Line { level: Level::ERROR, text: text.into() }
    }
}

fn form() -> LineFormat {
    *FORM.get_or_init(|| LineFormat::detect(output::stderr(), std::env::var(JOURNAL).ok().as_deref()))
}

fn log() -> &'static LogWriter {
    LOG.get_or_init(|| LogWriter::new("log", output::stderr(), Some(form())))
}

fn write_stamped(level: Level, text: &str) {
    log().line(&form().line(clock::unix_ms(), level, text));
    tap::forward(level, text);
}

/// Starts the log. Events and panics are then written to the log. `then` is called after a panic was logged. Call this
/// function at the start of the program.
pub fn start(then: fn()) {
    log();
    let wanted = std::env::var_os(LEVEL).unwrap_or_default();
    let level = events::level(&wanted.to_string_lossy());
    // The result is ignored. Tests may start the log twice; the first subscriber then remains.
    let _ =
        tracing::subscriber::set_global_default(Events { most: level.unwrap_or(Level::INFO), write: write_stamped });
    if level.is_none() {
        warn!(target: "log", "{LEVEL}={} is not error, warn, info or debug; using info", wanted.display());
    }
    std::panic::set_hook(Box::new(move |info| {
        let thread = std::thread::current();
        let say = |text: String| text.lines().for_each(|text| write_stamped(Level::ERROR, text));
        say(format!("thread `{}` {info}", thread.name().unwrap_or("without a name")));
        let trace = std::backtrace::Backtrace::capture();
        if trace.status() == std::backtrace::BacktraceStatus::Captured {
            say(trace.to_string());
        }
        flush_within(PANIC);
        then();
    }));
}

/// Queues one or more lines of text for the log without a prefix, for example the error of a command. Does not block.
pub fn write_raw(text: impl Display) {
    text.to_string().lines().for_each(|text| log().line(form::cut(text)));
}

/// Queues a line for standard output, for example a report of a running service. Does not block.
pub fn print(text: impl Display) {
    REPORTS.get_or_init(|| LogWriter::new("reports", output::stdout(), None)).line(&text.to_string());
}

/// Returns the number of log lines that were lost since the start of the program.
pub fn lost() -> u64 {
    LOG.get().map_or(0, LogWriter::lost)
}

/// Waits up to a second until the queued lines are written. Call this function at the end of the program, and before a
/// command prints its result.
pub fn flush() {
    flush_within(FLUSH_LIMIT);
}

fn flush_within(limit: Duration) {
    let until = Instant::now() + limit;
    [&LOG, &REPORTS].into_iter().filter_map(OnceLock::get).for_each(|pen| pen.flush(until));
}

//! The log of a service: lines for standard error that a thread writes, so that no loop waits for a disk or a reader.
//!
//! A full, closed or stalled log costs lines, which are counted, and nothing else. Services say what happens by the macros
//! of [`tracing`], with `target:` for who speaks and fields for which one of them; [`begin`] makes lines of these events.

mod events;
mod form;
mod pen;
mod tap;

pub use form::{text_of, time};
pub use tap::{Tap, tap};
pub use tracing::Level;

use crate::{clock, output};
use events::Events;
use form::Form;
use pen::Pen;
use std::fmt::Display;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use tracing::warn;

/// The environment variable with the least important level that is written: error, warn, info or debug.
const LEVEL: &str = "XPUCK_LOG";
/// By which systemd tells what standard error is that goes to journald.
const JOURNAL: &str = "JOURNAL_STREAM";
/// How long the end of a process waits for lines that are still to be written.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// The same for a panic, after which wheels may have to stop.
const PANIC: Duration = Duration::from_millis(300);

static FORM: OnceLock<Form> = OnceLock::new();
static LOG: OnceLock<Pen> = OnceLock::new();
static REPORTS: OnceLock<Pen> = OnceLock::new();

/// An event of a level that is known only when it happens; the rest is as for the macros of `tracing`.
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

/// What is to be said by somebody else than who finds it out, such as a shell for its core.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// How much it matters.
    pub level: Level,
    /// The words, without who speaks.
    pub text: String,
}

impl From<String> for Line {
    fn from(text: String) -> Line {
        Line::info(text)
    }
}

impl Line {
    /// That things go as they should.
    pub fn info(text: impl Into<String>) -> Line {
        Line { level: Level::INFO, text: text.into() }
    }

    /// Something that somebody should look at; the rest goes on.
    pub fn warn(text: impl Into<String>) -> Line {
        Line { level: Level::WARN, text: text.into() }
    }

    /// Something is lost that was promised.
    pub fn error(text: impl Into<String>) -> Line {
        Line { level: Level::ERROR, text: text.into() }
    }
}

fn form() -> Form {
    *FORM.get_or_init(|| Form::of(output::stderr(), std::env::var(JOURNAL).ok().as_deref()))
}

fn log() -> &'static Pen {
    LOG.get_or_init(|| Pen::new("log", output::stderr(), Some(form())))
}

fn stamped(level: Level, text: &str) {
    log().line(&form().line(clock::unix_ms(), level, text));
    tap::tell(level, text);
}

/// Begins the log, and lets events and panics speak through it; after the message of a panic comes `then`. For the start of
/// a program.
pub fn begin(then: fn()) {
    log();
    let wanted = std::env::var_os(LEVEL).unwrap_or_default();
    let level = events::level(&wanted.to_string_lossy());
    // In a test a program may begin twice; the first log stays.
    let _ = tracing::subscriber::set_global_default(Events { most: level.unwrap_or(Level::INFO), write: stamped });
    if level.is_none() {
        warn!(target: "log", "{LEVEL}={} is none of error, warn, info and debug: it is info", wanted.display());
    }
    std::panic::set_hook(Box::new(move |info| {
        let thread = std::thread::current();
        let say = |text: String| text.lines().for_each(|text| stamped(Level::ERROR, text));
        say(format!("thread `{}` {info}", thread.name().unwrap_or("without a name")));
        let trace = std::backtrace::Backtrace::capture();
        if trace.status() == std::backtrace::BacktraceStatus::Captured {
            say(trace.to_string());
        }
        flush_within(PANIC);
        then();
    }));
}

/// Puts text in the log as it is, as one line or several: what a command says, an error most of all. Returns at once.
pub fn line(text: impl Display) {
    text.to_string().lines().for_each(|text| log().line(form::cut(text)));
}

/// Puts a line on standard output in the same way, for what a service tells of itself while it runs.
pub fn report(text: impl Display) {
    REPORTS.get_or_init(|| Pen::new("reports", output::stdout(), None)).line(&text.to_string());
}

/// Lines of the log that were lost since the program started.
pub fn lost() -> u64 {
    LOG.get().map_or(0, Pen::lost)
}

/// Lets lines out that still wait, within a second. For the end of a program, and before a command's result.
pub fn flush() {
    flush_within(LAST_WORDS);
}

fn flush_within(limit: Duration) {
    let until = Instant::now() + limit;
    [&LOG, &REPORTS].into_iter().filter_map(OnceLock::get).for_each(|pen| pen.flush(until));
}

//! Helpers for the tests of all crates.

pub mod page;
pub mod patience;
pub mod simavr;

pub use patience::patience;

use std::fmt::Display;
use std::io::Write;

/// Reports that the test on the current thread skips a check, and the reason: `skipped: <test>: <reason>`.
///
/// The line goes directly to standard error, because the test runner hides the output of a test that passes. `.ci/run`
/// counts these lines. A test that needs a program which every machine has fails without that program instead.
///
/// # Panics
/// If standard error rejects the line: an invisible skip would look like a passed check.
pub fn skipped(why: impl Display) {
    let thread = std::thread::current();
    let line = format!("skipped: {}: {why}\n", thread.name().unwrap_or("a thread without a name"));
    #[expect(clippy::disallowed_methods, reason = "tests have neither a log nor an output of their own")]
    let mut stderr = std::io::stderr();
    stderr.write_all(line.as_bytes()).expect("standard error takes a line");
}

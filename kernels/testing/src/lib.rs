//! Helpers for the tests of all crates.

pub mod page;
pub mod patience;
pub mod simavr;

pub use patience::patience;

use std::fmt::Display;
use std::io::Write;

/// Reports that the calling test skips checks, in a line `skipped: <test>: <why>`.
///
/// The line is written to standard error. The test runner hides the output of passing tests, so the line is also
/// appended to the file that the environment variable `XPUCK_SKIPPED` names. `make test` counts the lines. Tests must
/// fail, and not call this function, if a requirement that every machine must satisfy is missing.
///
/// # Panics
/// If the line cannot be written. Without the line, the skip would go unnoticed.
pub fn skipped(why: impl Display) {
    let thread = std::thread::current();
    let line = format!("skipped: {}: {why}\n", thread.name().unwrap_or("a thread without a name"));
    #[expect(clippy::disallowed_methods, reason = "tests have neither a log nor an output of their own")]
    let mut stderr = std::io::stderr();
    stderr.write_all(line.as_bytes()).expect("standard error takes a line");
    if let Some(path) = std::env::var_os("XPUCK_SKIPPED") {
        let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the list of skipped tests takes a line");
    }
}

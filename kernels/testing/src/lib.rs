//! Helpers for the tests of all crates.

pub mod page;
pub mod patience;
pub mod simavr;

pub use patience::patience;

use std::fmt::Display;
use std::io::Write;

/// Reports that the calling test leaves something out, and why: `skipped: <test>: <why>`.
///
/// The line goes to standard error, and to the file that `XPUCK_SKIPPED` names, because the test runner hides the output of
/// tests that pass. `make test` counts these lines. A test fails instead if every machine has what it needs.
///
/// # Panics
/// If the line cannot be written: nobody would see that something was left out.
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

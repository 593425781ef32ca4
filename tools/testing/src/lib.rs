//! What tests of all crates share.

pub mod page;
pub mod simavr;

use std::fmt::Display;
use std::io::Write;

/// Says that the test on whose thread this is called leaves something out, and why: `skipped: <test>: <why>`.
///
/// The line goes to standard error past the test runner, which keeps what a passing test prints to itself. `.ci/run`
/// counts these lines. A test that wants something which every machine has fails without it instead.
///
/// # Panics
/// If standard error takes nothing, because a skip that nobody can see is none.
pub fn skipped(why: impl Display) {
    let thread = std::thread::current();
    let line = format!("skipped: {}: {why}\n", thread.name().unwrap_or("a thread without a name"));
    #[expect(clippy::disallowed_methods, reason = "tests have neither a log nor an output of their own")]
    let mut stderr = std::io::stderr();
    stderr.write_all(line.as_bytes()).expect("standard error takes a line");
}

//! Standard output and standard error of commands. Failed writes do not cause a panic. If standard output is a pipe
//! and its reader (for example `head`) closes the pipe, the command ends normally without an error. Error messages for
//! other failures name standard output.
//!
//! Services use [`crate::log`] instead, which never waits for a reader.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use std::borrow::Cow;
use std::error::Error;
use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::time::Duration;

/// Interval between attempts to write to a descriptor that is currently full. Such attempts are needed only if another
/// process made the descriptor non-blocking.
const AGAIN: Duration = Duration::from_millis(10);

/// Error of a write to standard output, except for a closed pipe.
#[derive(Debug, thiserror::Error)]
#[error("standard output: {0}")]
pub struct OutputError(io::Error);

fn ignore_broken_pipe(result: io::Result<()>) -> Result<(), OutputError> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(OutputError(error)),
        _ => Ok(()),
    }
}

/// Writes a line to standard output. If standard output is a terminal, the line is escaped by [`escape_for_terminal`].
///
/// # Errors
/// Standard output cannot be written, for example because the disk is full.
pub fn line(text: impl Display) -> Result<(), OutputError> {
    self::text(format_args!("{text}\n"))
}

/// Writes text to standard output without adding a line end. If standard output is a terminal, the text is escaped by
/// [`escape_for_terminal`].
///
/// # Errors
/// The errors of [`line()`].
pub fn text(text: impl Display) -> Result<(), OutputError> {
    bytes(text.to_string().as_bytes())
}

/// Writes bytes to standard output. If standard output is a terminal and the bytes are UTF-8, they are escaped by
/// [`escape_for_terminal`].
///
/// # Errors
/// The errors of [`line()`].
pub fn bytes(bytes: &[u8]) -> Result<(), OutputError> {
    let text = is_terminal().then(|| std::str::from_utf8(bytes).ok().map(escape_for_terminal)).flatten();
    let mut bytes = text.as_ref().map_or(bytes, |text| text.as_bytes());
    ignore_broken_pipe(write_all(stdout(), &mut bytes))
}

/// Replaces the terminal's current line by `text`. This also works in raw mode.
///
/// # Errors
/// The errors of [`line()`].
pub fn overwrite_line(text: impl Display) -> Result<(), OutputError> {
    let text = format!("\r\x1b[K{}", escape_for_terminal(&text.to_string()));
    ignore_broken_pipe(write_all(stdout(), &mut text.as_bytes()))
}

/// Returns whether standard output is a pipe that its reader has closed. A command that would otherwise run
/// indefinitely must then exit.
pub fn reader_closed() -> bool {
    let output = stdout();
    let mut watched = [PollFd::new(&output, PollFlags::empty())];
    let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
    matches!(poll(&mut watched, Some(&at_once)), Ok(1..)) && watched[0].revents().contains(PollFlags::ERR)
}

/// Writes a line to standard error, escaped by [`escape_for_terminal`]. A failure cannot be reported and is ignored.
pub fn print_error(text: impl Display) {
    let _ = write_all(stderr(), &mut escape_for_terminal(&format!("{text}\n")).as_bytes());
}

/// Escapes all control characters except line ends, tabs and colour sequences. Names from files may contain control
/// characters, which would move the terminal's cursor or change the terminal's settings.
pub fn escape_for_terminal(text: &str) -> Cow<'_, str> {
    let harmless = |c: char| !c.is_control() || c == '\n' || c == '\t';
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let length = colour(rest).unwrap_or(c.len_utf8());
        match harmless(c) || length > 1 && c == '\u{1b}' {
            true => escaped.push_str(&rest[..length]),
            false => escaped.extend(c.escape_default()),
        }
        rest = &rest[length..];
    }
    Cow::Owned(escaped)
}

/// Returns the length of the colour sequence (ECMA-48, SGR) at the beginning of `text` (bytes). `None` if `text` does
/// not begin with a colour sequence.
fn colour(text: &str) -> Option<usize> {
    let numbers = text.strip_prefix("\u{1b}[")?;
    let length = numbers.find(|c: char| !c.is_ascii_digit() && c != ';')?;
    numbers[length..].starts_with('m').then_some(length + 3)
}

/// Formats the result of a check of files, such as "the file is wrong" or "1 of 3 files is wrong".
pub fn wrong_files(wrong: usize, all: usize) -> String {
    match (wrong, all) {
        (1, 1) => "the file is wrong".into(),
        (1, _) => format!("1 of {all} files is wrong"),
        _ => format!("{wrong} of {all} files are wrong"),
    }
}

/// Formats a number with its noun in the singular or plural, such as "1 node" or "2 nodes".
pub fn count(number: usize, one: &str, more: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { more })
}

/// Formats a number with up to four significant digits, such as "25.2" or "-0.0613".
pub fn significant(number: f64) -> String {
    if !number.is_finite() {
        return number.to_string();
    }
    let magnitude = if number == 0.0 { 0.0 } else { number.abs().log10().floor() };
    let digits = (3.0 - magnitude).clamp(0.0, 9.0) as usize;
    let text = format!("{number:.digits$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    if text == "-0" { "0".into() } else { text.into() }
}

/// Formats the raw value of an objective for display after its fitness: " (value 25.2)". Empty for tasks without a raw
/// value.
pub fn value_note(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| format!(" (value {})", significant(value)))
}

/// Returns the width of the terminal on standard error (columns). `None` if standard error is not a terminal, or if the
/// terminal's width is unknown.
pub fn columns() -> Option<u16> {
    rustix::termios::tcgetwinsize(stderr()).ok().map(|size| size.ws_col).filter(|columns| *columns > 0)
}

/// Returns whether standard output is a terminal.
pub fn is_terminal() -> bool {
    stdout().is_terminal()
}

/// Returns whether standard output is a terminal and the environment variable `NO_COLOR` is not set.
pub fn has_colours() -> bool {
    shows_colours(&stdout())
}

/// Returns whether `to` is a terminal and the environment variable `NO_COLOR` is not set.
pub(crate) fn shows_colours(to: &impl IsTerminal) -> bool {
    to.is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Formats an error with its causes as one text. Causes that the text already contains are omitted.
pub fn error_chain(error: &(dyn Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let words = error.to_string();
        if !text.contains(&words) {
            text = format!("{text}: {words}");
        }
        cause = error.source();
    }
    text
}

/// Returns the program's exit code after the argument parser printed help or an error. `printed` is the result of
/// printing. `on_stderr` is true if the parser printed to standard error. `code` is the parser's exit code.
///
/// # Errors
/// The errors of [`line()`].
pub fn usage(printed: io::Result<()>, on_stderr: bool, code: i32) -> Result<ExitCode, OutputError> {
    if !on_stderr {
        // The parser writes through the buffer of the standard library, which must be flushed.
        ignore_broken_pipe(printed.and_then(|()| stdout().flush()))?;
    }
    Ok(ExitCode::from(code as u8))
}

/// Implementation of [`Write`] for standard output.
pub struct Standard;

impl Write for Standard {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        write_all(stdout(), &mut { bytes })?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that writes there")]
pub(crate) fn stdout() -> io::Stdout {
    io::stdout()
}

#[expect(clippy::disallowed_methods, reason = "the one place that writes there")]
pub(crate) fn stderr() -> io::Stderr {
    io::stderr()
}

/// Writes all bytes without the buffer and the lock of the standard library, because a blocked thread must not block
/// other threads. After an error, `bytes` contains the bytes that were not written.
pub(crate) fn write_all(to: impl AsFd, bytes: &mut &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match rustix::io::write(&to, bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => *bytes = &bytes[written..],
            Err(Errno::INTR) => {}
            Err(Errno::AGAIN) => std::thread::sleep(AGAIN),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colour_escapes_reach_terminal() {
        assert!(matches!(escape_for_terminal("xp01\tä\n"), Cow::Borrowed("xp01\tä\n")));
        for (text, expected) in [
            ("\u{1b}[1;31mhot\u{1b}[0m", "\u{1b}[1;31mhot\u{1b}[0m"),
            ("run\u{1b}[2J", "run\\u{1b}[2J"),
            ("\u{1b}]0;title\u{7}ä", "\\u{1b}]0;title\\u{7}ä"),
            ("a\rb\u{9b}2J\u{1b}", "a\\rb\\u{9b}2J\\u{1b}"),
            ("\u{1b}[1", "\\u{1b}[1"),
        ] {
            assert_eq!(escape_for_terminal(text), expected);
        }
    }

    #[test]
    fn one_is_singular() {
        let nodes = |number| count(number, "node", "nodes");
        assert_eq!([nodes(0), nodes(1), nodes(12)], ["0 nodes", "1 node", "12 nodes"]);
        let wrong = [(1, 1), (1, 3), (2, 2)].map(|(wrong, all)| wrong_files(wrong, all));
        assert_eq!(wrong, ["the file is wrong", "1 of 3 files is wrong", "2 of 2 files are wrong"]);
    }

    #[test]
    fn values_have_four_significant_digits_at_most() {
        let numbers = [25.2, 6.0, -0.061_312, 1_234_567.8, 99.996, 0.0, -0.0, 1e-12, -1e-12, f64::INFINITY];
        let texts = ["25.2", "6", "-0.06131", "1234568", "100", "0", "0", "0", "0", "inf"];
        assert_eq!(numbers.map(significant), texts);
        assert_eq!((value_note(Some(25.2)), value_note(None)), (" (value 25.2)".into(), String::new()));
    }

    #[test]
    fn error_cause_is_printed_once() {
        #[derive(Debug, thiserror::Error)]
        enum Outer {
            #[error("{0}")]
            Same(#[from] io::Error),
            #[error("the hub")]
            Other(#[source] io::Error),
        }
        assert_eq!(error_chain(&Outer::from(io::Error::other("no key"))), "no key");
        assert_eq!(error_chain(&Outer::Other(io::Error::other("no key"))), "the hub: no key");
    }

    #[test]
    fn closed_output_is_no_error_but_full_disk_is() {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let closed = write_all(&writer, &mut b"x".as_slice());
        assert!(closed.is_err() && ignore_broken_pipe(closed).is_ok());
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut rest = b"x".as_slice();
        let error = ignore_broken_pipe(write_all(&full, &mut rest)).unwrap_err();
        assert!(error.to_string().starts_with("standard output: No space left on device"), "{error}");
        assert_eq!(rest, b"x");
    }
}

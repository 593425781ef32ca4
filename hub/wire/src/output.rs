//! What a command writes to standard output and standard error. No failure here is a panic. A reader that has seen enough,
//! like `head`, is no failure at all: the command ends as it would have. Any other is an error that names standard output.
//!
//! Services do not use this but [`crate::log`], which never waits for a reader.

use rustix::io::Errno;
use std::error::Error;
use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::os::fd::AsFd;
use std::process::ExitCode;
use std::time::Duration;

/// A descriptor that somebody else made non-blocking is tried again after this.
const AGAIN: Duration = Duration::from_millis(10);

/// Standard output takes nothing more, for another reason than that nobody reads it.
#[derive(Debug, thiserror::Error)]
#[error("standard output: {0}")]
pub struct OutputError(io::Error);

fn but_closed(result: io::Result<()>) -> Result<(), OutputError> {
    match result {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(OutputError(error)),
        _ => Ok(()),
    }
}

/// Writes a line to standard output.
///
/// # Errors
/// Such as a full disk.
pub fn line(text: impl Display) -> Result<(), OutputError> {
    bytes(format!("{text}\n").as_bytes())
}

/// Writes text as it is to standard output.
///
/// # Errors
/// As [`line()`].
pub fn text(text: impl Display) -> Result<(), OutputError> {
    bytes(text.to_string().as_bytes())
}

/// Writes bytes to standard output.
///
/// # Errors
/// As [`line()`].
pub fn bytes(mut bytes: &[u8]) -> Result<(), OutputError> {
    but_closed(write_all(stdout(), &mut bytes))
}

/// Writes a line to standard error. If that is impossible there is nobody left to tell.
pub fn note(text: impl Display) {
    let _ = write_all(stderr(), &mut format!("{text}\n").as_bytes());
}

/// Standard output is a terminal.
pub fn is_terminal() -> bool {
    stdout().is_terminal()
}

/// Standard output is a terminal whose user has not said NO_COLOR.
pub fn has_colours() -> bool {
    shows_colours(&stdout())
}

/// A terminal whose user has not said NO_COLOR.
pub(crate) fn shows_colours(to: &impl IsTerminal) -> bool {
    to.is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// An error with its causes, in one line; a cause that an error names already is not told again.
pub fn sentence(error: &(dyn Error + 'static)) -> String {
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

/// What becomes of a program whose arguments were answered by the library that reads them, with help or an error:
/// `printed` is what became of its words, `code` the exit code that it wants.
///
/// # Errors
/// As [`line()`].
pub fn usage(printed: io::Result<()>, on_stderr: bool, code: i32) -> Result<ExitCode, OutputError> {
    if !on_stderr {
        // It writes through the standard library's buffer.
        but_closed(printed.and_then(|()| stdout().flush()))?;
    }
    Ok(ExitCode::from(code as u8))
}

/// Standard output for those who want a writer.
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

/// Writes all bytes past the standard library's buffer and lock, for a writer that waits must not hold up others.
/// `bytes` keeps what could not be written.
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
    fn a_cause_is_told_once() {
        #[derive(Debug, thiserror::Error)]
        enum Outer {
            #[error("{0}")]
            Same(#[from] io::Error),
            #[error("the hub")]
            Other(#[source] io::Error),
        }
        assert_eq!(sentence(&Outer::from(io::Error::other("no key"))), "no key");
        assert_eq!(sentence(&Outer::Other(io::Error::other("no key"))), "the hub: no key");
    }

    #[test]
    fn a_reader_that_left_is_no_failure_and_a_full_disk_is() {
        let (reader, writer) = io::pipe().unwrap();
        drop(reader);
        let closed = write_all(&writer, &mut b"x".as_slice());
        assert!(closed.is_err() && but_closed(closed).is_ok());
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let mut rest = b"x".as_slice();
        let error = but_closed(write_all(&full, &mut rest)).unwrap_err();
        assert!(error.to_string().starts_with("standard output: No space left on device"), "{error}");
        assert_eq!(rest, b"x");
    }
}

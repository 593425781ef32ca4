//! Retry of system calls that a signal interrupts (EINTR). The kernel restarts many calls, but not a wait on a socket
//! with a time-out. Such a wait is also interrupted if the program is stopped and continued.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Handles SIGXFSZ without ending the process. If a file has reached the size limit of the shell (`ulimit -f`), a write
/// then returns an error, in the same way as on a full disk.
pub fn survive_large_files() {
    // If registration fails, the default action (termination) remains.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Repeats a system call until it is not interrupted by a signal.
///
/// # Errors
/// Any error of the call except for an interruption.
pub fn retry_on_interrupt<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Repeats a libzmq call until it is not interrupted by a signal. Signals also interrupt calls that do not block.
pub(crate) fn retry_zmq<T>(mut call: impl FnMut() -> zmq::Result<T>) -> zmq::Result<T> {
    loop {
        match call() {
            Err(zmq::Error::EINTR) => {}
            result => return result,
        }
    }
}

/// Sends a multipart message without waiting. Interrupted calls are repeated, because otherwise the message would be
/// incomplete, and the peer would append the next message to it.
pub(crate) fn send_parts(socket: &zmq::Socket, parts: &[impl AsRef<[u8]>]) -> zmq::Result<()> {
    for (i, part) in parts.iter().enumerate() {
        let more = if i + 1 < parts.len() { zmq::SNDMORE } else { 0 };
        retry_zmq(|| socket.send(part.as_ref(), zmq::DONTWAIT | more))?;
    }
    Ok(())
}

/// Receives the next message, which has at least one part. `None` if no message is queued.
pub(crate) fn receive_parts(socket: &zmq::Socket) -> Option<Vec<zmq::Message>> {
    let mut parts = vec![retry_zmq(|| socket.recv_msg(zmq::DONTWAIT)).ok()?];
    while parts.last().is_some_and(zmq::Message::get_more) {
        parts.push(retry_zmq(|| socket.recv_msg(zmq::DONTWAIT)).ok()?);
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interrupted_calls_are_retried() {
        let mut interruptions = 3;
        let result = retry_on_interrupt(|| match interruptions {
            0 => Ok(7),
            _ => {
                interruptions -= 1;
                Err(ErrorKind::Interrupted.into())
            }
        });
        assert_eq!((result.unwrap(), interruptions), (7, 0));
        let error = retry_on_interrupt(|| Err::<(), _>(ErrorKind::TimedOut.into())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        let mut interruptions = 3;
        let result = retry_zmq(|| match interruptions {
            0 => Err::<(), _>(zmq::Error::EAGAIN),
            _ => {
                interruptions -= 1;
                Err(zmq::Error::EINTR)
            }
        });
        assert_eq!((result, interruptions), (Err(zmq::Error::EAGAIN), 0));
    }
}

//! Retry of system calls that a signal interrupts (EINTR). The kernel restarts many calls, but not a wait on a socket
//! with a time-out. Stopping and continuing a program interrupts such waits too.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Handles SIGXFSZ without ending the process: when a file reaches the size limit of the shell (`ulimit -f`), the
/// write fails, as with a full disk.
pub fn survive_large_files() {
    // If registration fails, the default action (termination) remains.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Repeats a system call while signals interrupt it.
///
/// # Errors
/// Any other error of the call.
pub fn retry_on_interrupt<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// Repeats a libzmq call while signals interrupt it. Signals interrupt even non-blocking calls.
pub(crate) fn retry_zmq<T>(mut call: impl FnMut() -> zmq::Result<T>) -> zmq::Result<T> {
    loop {
        match call() {
            Err(zmq::Error::EINTR) => {}
            result => return result,
        }
    }
}

/// Sends a multipart message without waiting, completely or not at all. The peer would treat a partial message as the
/// beginning of the next message.
pub(crate) fn send_parts(socket: &zmq::Socket, parts: &[impl AsRef<[u8]>]) -> zmq::Result<()> {
    for (i, part) in parts.iter().enumerate() {
        let more = if i + 1 < parts.len() { zmq::SNDMORE } else { 0 };
        retry_zmq(|| socket.send(part.as_ref(), zmq::DONTWAIT | more))?;
    }
    Ok(())
}

/// Receives the parts of the next message, at least one part; `None` if no message waits.
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

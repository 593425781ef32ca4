//! Calls that a signal breaks off (EINTR). The kernel makes many of them again by itself, but none that waits on a socket
//! with a time-out, also when a program is stopped and continued.

use std::io::{self, ErrorKind};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// A file that reaches the greatest size that the shell allows (`ulimit -f`) is an error of its write from now on, as a full
/// disk is, and not the program's end.
pub fn survive_large_files() {
    // Where it cannot be had the system's own way stays.
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, Arc::new(AtomicBool::new(false)));
}

/// Makes a call of the system again as long as signals break it off.
///
/// # Errors
/// Any other error of the call.
pub fn uninterrupted<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

/// The same for a call of libzmq, where a signal may break off even a call that does not wait.
pub(crate) fn again<T>(mut call: impl FnMut() -> zmq::Result<T>) -> zmq::Result<T> {
    loop {
        match call() {
            Err(zmq::Error::EINTR) => {}
            result => return result,
        }
    }
}

/// Sends a message of several parts, whole or not at all, without waiting. Half a message would be taken for the beginning
/// of the next one.
pub(crate) fn send_parts(socket: &zmq::Socket, parts: &[impl AsRef<[u8]>]) -> zmq::Result<()> {
    for (i, part) in parts.iter().enumerate() {
        let more = if i + 1 < parts.len() { zmq::SNDMORE } else { 0 };
        again(|| socket.send(part.as_ref(), zmq::DONTWAIT | more))?;
    }
    Ok(())
}

/// The parts of the next message, at least one; `None` if none waits.
pub(crate) fn receive_parts(socket: &zmq::Socket) -> Option<Vec<zmq::Message>> {
    let mut parts = vec![again(|| socket.recv_msg(zmq::DONTWAIT)).ok()?];
    while parts.last().is_some_and(zmq::Message::get_more) {
        parts.push(again(|| socket.recv_msg(zmq::DONTWAIT)).ok()?);
    }
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_made_again_until_no_signal_breaks_it_off() {
        let mut interruptions = 3;
        let result = uninterrupted(|| match interruptions {
            0 => Ok(7),
            _ => {
                interruptions -= 1;
                Err(ErrorKind::Interrupted.into())
            }
        });
        assert_eq!((result.unwrap(), interruptions), (7, 0));
        let error = uninterrupted(|| Err::<(), _>(ErrorKind::TimedOut.into())).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::TimedOut);
        let mut interruptions = 3;
        let result = again(|| match interruptions {
            0 => Err::<(), _>(zmq::Error::EAGAIN),
            _ => {
                interruptions -= 1;
                Err(zmq::Error::EINTR)
            }
        });
        assert_eq!((result, interruptions), (Err(zmq::Error::EAGAIN), 0));
    }
}

//! What all connections to an arena have in common: nobody waits for a peer longer than for the arena's end.

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// How long a thread waits for its peer before it looks whether the arena stops.
pub(crate) const POLL: Duration = Duration::from_millis(200);

/// Sets a new connection up; gives it twice, for the thread that reads and the one that writes.
pub(crate) fn prepare(stream: &TcpStream) -> std::io::Result<(TcpStream, TcpStream)> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(POLL))?;
    stream.set_write_timeout(Some(POLL))?;
    Ok((stream.try_clone()?, stream.try_clone()?))
}

/// True if a socket's time-out passed, which only means that its peer is quiet.
pub(crate) fn is_timeout(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// Writes all bytes to a socket with a time-out, however slowly its peer reads; gives up when the arena stops.
pub(crate) fn write_all(stream: &mut impl Write, mut bytes: &[u8], stop: &AtomicBool) -> std::io::Result<()> {
    while !bytes.is_empty() {
        match stream.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(n) => bytes = &bytes[n..],
            Err(error) if is_timeout(&error) && !stop.load(Relaxed) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

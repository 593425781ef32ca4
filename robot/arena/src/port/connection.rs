//! Functions for all connections to an arena. They ensure that no thread blocks on a peer after the arena has stopped.

use std::io::{ErrorKind, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;

/// Socket timeout, after which a thread checks whether the arena has stopped.
pub(crate) const POLL: Duration = Duration::from_millis(200);

/// Configures a new connection. Returns two handles: one for the reader thread, and one for the writer thread.
pub(crate) fn prepare(stream: &TcpStream) -> std::io::Result<(TcpStream, TcpStream)> {
    stream.set_nonblocking(false)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(POLL))?;
    stream.set_write_timeout(Some(POLL))?;
    Ok((stream.try_clone()?, stream.try_clone()?))
}

/// Returns whether an error is a socket timeout or an interruption. Such an error does not end the connection.
pub(crate) fn is_timeout(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// Writes all bytes to a socket that has a timeout. Retries after timeouts, because a peer may read slowly. Returns an
/// error if the connection fails, or if a timeout occurs after the arena has stopped.
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

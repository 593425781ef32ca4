//! The port of a server that polls: connections are taken when it is their turn, and nobody is waited for.

use std::io::Result;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};

/// The port.
pub(crate) struct Door(TcpListener);

impl Door {
    /// Listens; port 0 takes a free one.
    ///
    /// # Errors
    /// Those of the system.
    pub(crate) fn listen(at: SocketAddr) -> Result<Door> {
        let listener = TcpListener::bind(at)?;
        listener.set_nonblocking(true)?;
        Ok(Door(listener))
    }

    /// Where it listens.
    ///
    /// # Errors
    /// Those of the system.
    pub(crate) fn address(&self) -> Result<SocketAddr> {
        self.0.local_addr()
    }

    /// Connections that have come, at most so many. Their reads and writes never wait, and small messages leave at once.
    pub(crate) fn take(&self, most: usize) -> impl Iterator<Item = (TcpStream, SocketAddr)> + '_ {
        // One that cannot be set up is gone by now.
        (0..most).map_while(|_| self.0.accept().ok()).filter(|(stream, _)| never_waits(stream).is_ok())
    }
}

/// Has a connection's reads and writes never wait, and small messages leave at once: those that wait for more to come are late.
///
/// # Errors
/// Those of the system.
pub(crate) fn never_waits(stream: &TcpStream) -> Result<()> {
    stream.set_nonblocking(true)?;
    stream.set_nodelay(true)
}

impl AsFd for Door {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

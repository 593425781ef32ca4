//! Listening socket of a polling server. It accepts connections without blocking.

use std::io::Result;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, BorrowedFd};

/// Non-blocking listening socket.
pub(crate) struct PollingListener(TcpListener);

impl PollingListener {
    /// Binds the socket; port 0 selects a free port.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub(crate) fn listen(at: SocketAddr) -> Result<PollingListener> {
        let listener = TcpListener::bind(at)?;
        listener.set_nonblocking(true)?;
        Ok(PollingListener(listener))
    }

    /// Returns the address of the socket.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub(crate) fn address(&self) -> Result<SocketAddr> {
        self.0.local_addr()
    }

    /// Accepts at most `most` pending connections, and returns each connection with the address of the client. Reads
    /// and writes of these connections never block, and small messages are sent without delay.
    pub(crate) fn accept(&self, most: usize) -> impl Iterator<Item = (TcpStream, SocketAddr)> + '_ {
        // Skips connections whose configuration fails. Such a connection has already ended.
        (0..most).map_while(|_| self.0.accept().ok()).filter(|(stream, _)| set_nonblocking(stream).is_ok())
    }
}

/// Makes reads and writes of a connection non-blocking and disables Nagle's algorithm, which would delay small
/// messages.
///
/// # Errors
/// Errors of the operating system.
pub(crate) fn set_nonblocking(stream: &TcpStream) -> Result<()> {
    stream.set_nonblocking(true)?;
    stream.set_nodelay(true)
}

impl AsFd for PollingListener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

//! Sockets of those who watch: what the kernel holds for one is bounded, and who takes nothing is given up.

use socket2::SockRef;
use std::io;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};

/// Whoever watches and takes nothing for so long is disconnected.
pub const STUCK: Duration = Duration::from_secs(10);
/// Bytes that the kernel holds for one who watches: some seconds of status.
const SEND_BUFFER: usize = 128 * 1024;

/// A listener that does not block, whose connections have that buffer. To be called within a runtime.
///
/// # Errors
/// If the listener cannot be used.
pub fn listener(listener: std::net::TcpListener) -> io::Result<TcpListener> {
    SockRef::from(&listener).set_send_buffer_size(SEND_BUFFER)?;
    TcpListener::from_std(listener)
}

/// Sets up a connection: the kernel gives up on who takes nothing, however little there is to send, and nothing waits for
/// more to be sent.
pub fn set_up(socket: &TcpStream) {
    let _ = SockRef::from(socket).set_tcp_user_timeout(Some(STUCK));
    let _ = socket.set_nodelay(true);
}

//! Settings for the sockets of watchers. The kernel's send buffer is limited, and a connection that accepts no data
//! is closed.

use socket2::SockRef;
use std::io;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};

/// Time limit for a watcher that accepts no data. After that it is disconnected.
pub const STUCK: Duration = Duration::from_secs(10);
/// Size of the kernel's send buffer for a watcher (bytes). It holds status messages of a few seconds.
const SEND_BUFFER: usize = 128 * 1024;

/// Converts a listener for Tokio, and limits the send buffer of its connections. Must be called within a Tokio
/// runtime.
///
/// # Errors
/// If the listener cannot be used.
pub fn listener(listener: std::net::TcpListener) -> io::Result<TcpListener> {
    SockRef::from(&listener).set_send_buffer_size(SEND_BUFFER)?;
    TcpListener::from_std(listener)
}

/// Configures a connection. The kernel closes it if the peer accepts no data for [`STUCK`], and sends small messages
/// without delay.
pub fn set_up(socket: &TcpStream) {
    let _ = SockRef::from(socket).set_tcp_user_timeout(Some(STUCK));
    let _ = socket.set_nodelay(true);
}

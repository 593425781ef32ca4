//! Sockets of watchers: the kernel's send buffer is bounded, and connections that accept no data are dropped.

use socket2::SockRef;
use std::io;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};

/// Time limit for a watcher that accepts no data; it is then disconnected.
pub const STUCK: Duration = Duration::from_secs(10);
/// Size of the kernel's send buffer for a watcher (bytes); holds a few seconds of status.
const SEND_BUFFER: usize = 128 * 1024;

/// Makes the listener non-blocking; its connections get a send buffer of limited size. Call it within a runtime.
///
/// # Errors
/// The listener cannot be used.
pub fn listener(listener: std::net::TcpListener) -> io::Result<TcpListener> {
    SockRef::from(&listener).set_send_buffer_size(SEND_BUFFER)?;
    TcpListener::from_std(listener)
}

/// Configures a connection: the kernel drops it if the peer accepts no data, and small messages are sent without
/// delay.
pub fn set_up(socket: &TcpStream) {
    let _ = SockRef::from(socket).set_tcp_user_timeout(Some(STUCK));
    let _ = socket.set_nodelay(true);
}

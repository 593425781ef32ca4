//! ZeroMQ endpoints and their listening sockets.

use super::BACKLOG;
use std::io::{self, ErrorKind};
use std::net::{SocketAddr, ToSocketAddrs};

/// Listens at an endpoint such as `tcp://192.168.1.2:7601`, `tcp://*:7605` or `tcp://127.0.0.1:*`; in the last form,
/// the system chooses the port. `send_buffer` is the size of the kernel's send buffer (bytes), which limits the data
/// queued for a slow reader. Must be called within a Tokio runtime.
///
/// # Errors
/// If the endpoint is invalid, or the address is in use.
pub fn listen(endpoint: &str, send_buffer: u32) -> io::Result<tokio::net::TcpListener> {
    let address = address(endpoint)?;
    let socket = if address.is_ipv4() { tokio::net::TcpSocket::new_v4() } else { tokio::net::TcpSocket::new_v6() }?;
    socket.set_reuseaddr(true)?;
    socket.set_send_buffer_size(send_buffer)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Returns the socket address of an endpoint. The host `*` becomes the unspecified address, and the port `*` becomes
/// port 0.
///
/// # Errors
/// If the endpoint is invalid.
pub fn address(endpoint: &str) -> io::Result<SocketAddr> {
    let wrong = || io::Error::new(ErrorKind::InvalidInput, "must have the form tcp://*:7605 or tcp://127.0.0.1:7605");
    let (host, port) = endpoint.strip_prefix("tcp://").and_then(|rest| rest.rsplit_once(':')).ok_or_else(wrong)?;
    let host = if host == "*" { "0.0.0.0" } else { host.trim_start_matches('[').trim_end_matches(']') };
    let port = if port == "*" { 0 } else { port.parse().map_err(|_| wrong())? };
    (host, port).to_socket_addrs()?.next().ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endpoints_are_written_as_zeromq_writes_them() {
        let read = |text: &str| address(text).map(|a| a.to_string()).unwrap_or_else(|e| e.to_string());
        assert_eq!(read("tcp://*:7605"), "0.0.0.0:7605");
        assert_eq!(read("tcp://127.0.0.1:*"), "127.0.0.1:0");
        assert_eq!(read("tcp://[::1]:7605"), "[::1]:7605");
        for wrong in ["tcp://7605", "udp://127.0.0.1:1", "tcp://127.0.0.1:x", "tcp://127.0.0.1:99999"] {
            assert!(read(wrong).contains("must have the form"), "{wrong}");
        }
    }
}

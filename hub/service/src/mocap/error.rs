//! Errors of motion-capture systems and their connections.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Reason why a motion-capture system cannot be reached, or why its connection has to be closed.
#[derive(Debug, thiserror::Error)]
pub enum MocapError {
    /// Network or file error.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Invalid bytes, or an unsupported version of the protocol.
    #[error("{0}")]
    Bytes(Box<dyn std::error::Error + Send + Sync>),
    /// The server closed the connection.
    #[error("the server closed the connection")]
    Closed,
    /// The server was silent for this time (s).
    #[error("silent for {0} s")]
    Silent(u64),
    /// The server did not answer within this time (s).
    #[error("no answer for {0} s")]
    NoAnswer(f32),
    /// The server's name has no IPv4 address, but the protocol requires one.
    #[error("the name has no IPv4 address")]
    NoIpv4,
    /// The server's name has no address.
    #[error("the host name has no address")]
    NoAddress,
    /// Another host connected.
    #[error("{0} connected instead of the server")]
    AnotherPeer(IpAddr),
    /// The server did not connect to this program.
    #[error("the server did not connect to {0} after a UDP request; check the firewall")]
    NotCalledBack(SocketAddr),
    /// The multicast group cannot be joined.
    #[error("cannot join multicast group {group}, port {port}: {error}")]
    Multicast {
        /// Multicast group.
        group: Ipv4Addr,
        /// Port.
        port: u16,
        /// Error of the operating system.
        error: io::Error,
    },
    /// The record cannot be replayed. The text contains the file, the position in the file and the reason.
    #[error("{0}")]
    Record(String),
}

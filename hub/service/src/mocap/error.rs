//! Why a motion-capture system is of no use, or of no more.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Why a system cannot be reached, or its connection must be dropped; in a few words.
#[derive(Debug, thiserror::Error)]
pub enum MocapError {
    /// The network or a file.
    #[error("{0}")]
    Io(#[from] io::Error),
    /// Bytes that the protocol does not have, or a version of it that cannot be read.
    #[error("{0}")]
    Bytes(Box<dyn std::error::Error + Send + Sync>),
    /// The server hung up.
    #[error("the server closed the connection")]
    Closed,
    /// Nothing came for so long, s.
    #[error("silent for {0} s")]
    Silent(u64),
    /// Nobody answered for so long, s.
    #[error("no answer for {0} s")]
    NoAnswer(f32),
    /// The server's name leads to no address that its protocol can use.
    #[error("it has no IPv4 address")]
    NoIpv4,
    /// The server's name leads to no address.
    #[error("no such address")]
    NoAddress,
    /// Somebody else connected.
    #[error("{0} connected in its place")]
    AnotherPeer(IpAddr),
    /// The server did not connect to us.
    #[error("asked by UDP to connect to {0}, it does not; is the port open to it?")]
    NotCalledBack(SocketAddr),
    /// The group cannot be joined.
    #[error("multicast group {group}, port {port}: {error}")]
    Multicast {
        /// The group.
        group: Ipv4Addr,
        /// Its port.
        port: u16,
        /// What the system says.
        error: io::Error,
    },
    /// A record that cannot be replayed: the file, the place in it, and why.
    #[error("{0}")]
    Record(String),
}

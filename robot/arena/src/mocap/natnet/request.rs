//! Parses requests of NatNet clients, without access to sockets.

use super::encode::{HEADER, id};

/// Request of a NatNet client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Send the server description, and frames from now on.
    Connect,
    /// Send the names of the bodies.
    Models,
    /// The client is still connected.
    KeepAlive,
    /// The client disconnects.
    Disconnect,
    /// A request that this server does not support.
    Unknown,
}

/// Parses the request in a datagram; `None` if the datagram is shorter than a header. The contents after the header are
/// ignored, because they contain only the client's name or uninitialised bytes.
pub fn parse(datagram: &[u8]) -> Option<Request> {
    let [low, high, ..] = *datagram.first_chunk::<HEADER>()?;
    Some(match u16::from_le_bytes([low, high]) {
        id::CONNECT => Request::Connect,
        id::REQUEST_MODELS => Request::Models,
        id::KEEP_ALIVE => Request::KeepAlive,
        id::DISCONNECT => Request::Disconnect,
        _ => Request::Unknown,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_known_by_their_identifiers() {
        // The vendor's Python sample sends this request, with a text that has no function.
        assert_eq!(parse(b"\0\0\x05\0Ping\0"), Some(Request::Connect));
        assert_eq!(parse(&[4, 0, 0, 0]), Some(Request::Models));
        assert_eq!(parse(&[10, 0, 0, 0]), Some(Request::KeepAlive));
        assert_eq!(parse(&[9, 0, 0, 0]), Some(Request::Disconnect));
        assert_eq!(parse(&[4, 1, 0, 0]), Some(Request::Unknown));
        assert_eq!(parse(&[4, 0, 0]), None);
    }
}

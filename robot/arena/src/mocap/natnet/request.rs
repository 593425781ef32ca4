//! What a NatNet client asks for. Plain bytes, no socket.

use super::encode::{HEADER, id};

/// A client's request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Request {
    /// Tell who you are, and send frames from now on.
    Connect,
    /// Tell the names of the bodies.
    Models,
    /// The client is still there.
    KeepAlive,
    /// The client leaves.
    Disconnect,
    /// Something that this server cannot do.
    Unknown,
}

/// The request in a datagram; what is shorter than a header is none. What follows a header is not needed: clients
/// introduce themselves there, and some fill it with leftovers.
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
        // As the vendor's Python sample sends it, with a text that nobody needs.
        assert_eq!(parse(b"\0\0\x05\0Ping\0"), Some(Request::Connect));
        assert_eq!(parse(&[4, 0, 0, 0]), Some(Request::Models));
        assert_eq!(parse(&[10, 0, 0, 0]), Some(Request::KeepAlive));
        assert_eq!(parse(&[9, 0, 0, 0]), Some(Request::Disconnect));
        assert_eq!(parse(&[4, 1, 0, 0]), Some(Request::Unknown));
        assert_eq!(parse(&[4, 0, 0]), None);
    }
}

//! Parses requests of DataStream clients.

use super::encode::id;
use std::collections::BTreeSet;

/// Maximum length of a client's packet after the header (bytes). Real packets have fewer than 100 bytes.
pub const MAX_PACKET: usize = 4096;

/// Request of a DataStream client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// Send these object types from now on.
    Objects(BTreeSet<u32>),
    /// Send every frame.
    AllFrames,
    /// Send one frame now, and then no further frames.
    OneFrame,
    /// Send the next new frame.
    NextFrame,
    /// Echo this number.
    Ping(u64),
}

/// Reason for rejecting a client's packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestError {
    /// The packet does not start with the protocol's magic word.
    #[error("a packet starts with {0:#010x} instead of the DataStream's magic word")]
    Magic(u32),
    /// The packet is longer than any real request.
    #[error("a packet announces {0} bytes; at most {MAX_PACKET} are allowed")]
    TooLong(u32),
    /// An object is too short for its fields, or extends past the end of the packet.
    #[error("object {0} is truncated")]
    Truncated(u32),
}

/// Parses the requests in the objects of a packet, in order. Skips unknown objects and trailing fields, as the protocol
/// requires.
pub fn parse(mut objects: &[u8]) -> Result<Vec<Request>, RequestError> {
    let mut requests = Vec::new();
    while !objects.is_empty() {
        let (kind, length) = read_u32(&mut objects).zip(read_u32(&mut objects)).ok_or(RequestError::Truncated(0))?;
        let cut = RequestError::Truncated(kind);
        let (body, rest) = objects.split_at_checked(length as usize).ok_or(cut)?;
        objects = rest;
        requests.extend(request(kind, body).ok_or(cut)?);
    }
    Ok(requests)
}

/// Parses the request in an object. Returns `Some(None)` if the type of the object is unknown, and `None` if the object
/// is truncated.
fn request(kind: u32, mut body: &[u8]) -> Option<Option<Request>> {
    Some(match kind {
        id::OBJECT_ENUMS => {
            let count = read_u32(&mut body)?;
            // If `count` is too large, `read_u32` fails at the end of the body and ends the loop.
            Some(Request::Objects((0..count).map(|_| read_u32(&mut body)).collect::<Option<_>>()?))
        }
        id::REQUEST_FRAME => Some(if *body.first()? != 0 { Request::AllFrames } else { Request::OneFrame }),
        id::REQUEST_NEXT_FRAME => Some(Request::NextFrame),
        id::PING => Some(Request::Ping(u64::from_le_bytes(*body.first_chunk()?))),
        _ => None,
    })
}

fn read_u32(bytes: &mut &[u8]) -> Option<u32> {
    let (word, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(u32::from_le_bytes(*word))
}

#[cfg(test)]
mod tests {
    use super::super::encode::HEADER;
    use super::*;

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
    }

    #[test]
    fn packets_of_the_vendors_client_are_understood() {
        let parsed = |hex: &str| parse(&bytes(hex)[HEADER..]).unwrap();
        let objects = |ids: &[u32]| Request::Objects(ids.iter().copied().collect());
        assert_eq!(
            parsed("01002b1a1c000000a18601001400000004000000010000000200000005000000a4860100"),
            [objects(&[1, 2, 5, 100_004])]
        );
        assert_eq!(parsed("01002b1a09000000a28601000100000001"), [Request::AllFrames]);
        assert_eq!(parsed("01002b1a09000000a28601000100000000"), [Request::OneFrame]);
        let both = "01002b1a30000000a1860100180000000500000001000000020000000500000009000000a4860100\
                    2a000000080000000100000000000000";
        assert_eq!(parsed(both), [objects(&[1, 2, 5, 9, 100_004]), Request::Ping(1)]);
    }

    #[test]
    fn unknown_objects_are_skipped_and_cut_ones_refused() {
        let mut unknown = bytes("a7860100040000000000000034");
        unknown.pop();
        unknown.extend(bytes("a88601000400000001000000"));
        assert_eq!(parse(&unknown), Ok(vec![Request::NextFrame]));
        assert_eq!(parse(&bytes("2a0000000800000001")), Err(RequestError::Truncated(42)));
        assert_eq!(parse(&bytes("2a00000004000000010000002a")), Err(RequestError::Truncated(42)));
        assert_eq!(parse(&bytes("a186010004000000ffffffff")), Err(RequestError::Truncated(100_001)));
    }
}

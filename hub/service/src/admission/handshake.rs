//! Progress of a ZeroMQ handshake, determined from the bytes that the server sends (ZMTP 3.1, RFC 37; CURVE, RFC 26).

use super::greeting::Frame;

/// Maximum number of bytes between a server's greeting and its READY. A server that sends more is not in a handshake.
/// For comparison, CURVE's WELCOME has 170 bytes.
const LONGEST: usize = 1024;

/// Bytes that a server has sent after its greeting and before its READY.
#[derive(Debug, Default)]
pub struct Server {
    sent: Vec<u8>,
}

impl Server {
    /// Returns whether the server has sent anything after its greeting.
    pub fn has_answered(&self) -> bool {
        !self.sent.is_empty()
    }

    /// Adds the server's next bytes. Returns true if they complete its READY, with which it accepts the peer. Must
    /// not be called after that, because later bytes are not part of the handshake.
    pub fn sends(&mut self, bytes: &[u8]) -> bool {
        if self.sent.len() > LONGEST {
            return false;
        }
        self.sent.extend_from_slice(bytes);
        let ready = is_ready(&self.sent);
        if ready {
            self.sent = Vec::new();
        }
        ready
    }
}

fn is_ready(mut sent: &[u8]) -> bool {
    while let Some(frame) = Frame::read(sent) {
        if frame.is_command && frame.rest.starts_with(b"\x05READY") {
            return true;
        }
        let Some(next) = usize::try_from(frame.length).ok().and_then(|length| frame.rest.get(length..)) else {
            return false;
        };
        sent = next;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMAND: u8 = 4;
    const LONG: u8 = 2;

    #[test]
    fn server_readiness_is_detected_in_split_bytes() {
        let welcome = [&[COMMAND, 168][..], b"\x07WELCOME", &[0; 160]].concat();
        let ready = [&[COMMAND, 30][..], b"\x05READY", &[7; 24]].concat();
        let long = [&[COMMAND | LONG][..], &300u64.to_be_bytes(), b"\x05READY", &[7; 294]].concat();
        let error = [&[COMMAND, 7][..], b"\x05ERROR\0"].concat();
        for (frames, expected) in
            [(vec![&welcome, &ready], true), (vec![&ready], true), (vec![&welcome, &long], true), (vec![&error], false)]
        {
            let sent: Vec<u8> = frames.into_iter().flatten().copied().collect();
            for piece in [1, 7, 64, 1000] {
                let mut server = Server::default();
                let ready = sent.chunks(piece).any(|bytes| server.sends(bytes));
                assert_eq!(ready, expected, "in pieces of {piece}");
            }
        }
        // A message that contains the word READY does not complete the handshake, because it is not a command. The
        // number of stored bytes is limited, even if the handshake never ends.
        let mut server = Server::default();
        assert!(!server.sends(b"\x00\x06\x05READY"));
        (0..100).for_each(|_| assert!(!server.sends(&[COMMAND; 100])));
        assert!(server.sent.len() <= LONGEST + 100);
    }
}

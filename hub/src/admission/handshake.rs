//! How far a ZeroMQ handshake is, read from its bytes (ZMTP 3.1, RFC 37; CURVE, RFC 26).

/// A peer begins with a signature of so many bytes, before it has heard anything.
pub const SIGNATURE: usize = 10;
/// The greeting, which ends before the first frame.
const GREETING: usize = 64;
/// What a server sends before READY: the greeting, and CURVE's WELCOME of 170 bytes. More than this is no handshake.
const LONGEST: usize = 1024;
/// Flags of a frame: its length takes 8 bytes; it is a command.
const LONG: u8 = 2;
const COMMAND: u8 = 4;

/// True for the signature of a peer that speaks ZMTP.
pub fn is_signature(bytes: &[u8; SIGNATURE]) -> bool {
    bytes[0] == 0xff && bytes[SIGNATURE - 1] & 1 == 1
}

/// What a server has sent so far, until it is ready.
#[derive(Debug, Default)]
pub struct Server {
    sent: Vec<u8>,
    ready: bool,
}

impl Server {
    /// Takes what the server sends next; true when that holds its READY, with which it accepts the peer.
    pub fn sends(&mut self, bytes: &[u8]) -> bool {
        if self.ready || self.sent.len() > LONGEST {
            return false;
        }
        self.sent.extend_from_slice(bytes);
        self.ready = is_ready(&self.sent);
        if self.ready {
            self.sent = Vec::new();
        }
        self.ready
    }
}

fn is_ready(sent: &[u8]) -> bool {
    let mut rest = sent.get(GREETING..).unwrap_or_default();
    while let Some((&flags, tail)) = rest.split_first() {
        let (length, body) = if flags & LONG != 0 {
            let Some((length, body)) = tail.split_first_chunk::<8>() else { return false };
            (u64::from_be_bytes(*length), body)
        } else {
            let Some((length, body)) = tail.split_first() else { return false };
            (u64::from(*length), body)
        };
        if flags & COMMAND != 0 && body.starts_with(b"\x05READY") {
            return true;
        }
        let Some(next) = usize::try_from(length).ok().and_then(|length| body.get(length..)) else { return false };
        rest = next;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_ready_when_it_says_so_however_its_bytes_are_cut() {
        let welcome = [&[COMMAND, 168][..], b"\x07WELCOME", &[0; 160]].concat();
        let ready = [&[COMMAND, 30][..], b"\x05READY", &[7; 24]].concat();
        let long = [&[COMMAND | LONG][..], &300u64.to_be_bytes(), b"\x05READY", &[7; 294]].concat();
        let error = [&[COMMAND, 7][..], b"\x05ERROR\0"].concat();
        for (frames, expected) in
            [(vec![&welcome, &ready], true), (vec![&ready], true), (vec![&welcome, &long], true), (vec![&error], false)]
        {
            let sent = [&[0; GREETING][..], &frames.into_iter().flatten().copied().collect::<Vec<u8>>()].concat();
            for piece in [1, 7, 64, 1000] {
                let mut server = Server::default();
                let told = sent.chunks(piece).filter(|bytes| server.sends(bytes)).count();
                assert_eq!(told == 1, expected, "in pieces of {piece}");
            }
        }
        // A message that happens to hold the word is no command, and what never gets ready is not kept for ever.
        let mut server = Server::default();
        assert!(!server.sends(&[&[0; GREETING][..], &[0, 6], b"\x05READY"].concat()));
        (0..100).for_each(|_| assert!(!server.sends(&[COMMAND; 100])));
        assert!(server.sent.len() <= LONGEST + 100);
    }

    #[test]
    fn a_signature_is_told_from_other_protocols() {
        assert!(is_signature(&[0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f]));
        assert!(!is_signature(b"GET / HTTP"));
    }
}

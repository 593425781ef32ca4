//! Start of a ZeroMQ connection, before libzmq has to answer (ZMTP 3.1, RFC 37; CURVE, RFC 26).
//!
//! Both sides send a greeting of 64 bytes. The peer then sends a command: HELLO with CURVE, or READY without keys.
//! The port's greeting is the same for all peers, so the port sends it without libzmq. A peer that stops before its
//! command costs a descriptor and a few hundred bytes, but no resources of libzmq.

use super::{Stage, Ticket};
use std::io::{self, ErrorKind};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use xpuck_wire::socket::{GREETING, Sockets};

/// Length of the signature, which a peer sends before it has received anything (bytes).
const SIGNATURE: usize = 10;
/// Positions in a greeting: offset of the version, and byte range of the security mechanism's name.
const VERSION: usize = 10;
const MECHANISM: std::ops::Range<usize> = 12..32;
/// Lowest supported major version of ZMTP.
const OLDEST: u8 = 3;
/// Maximum total length of the greeting and the first command (bytes). HELLO has 202 bytes; READY contains a socket's
/// name of up to 255 bytes.
const LONGEST: usize = 1024;
/// Time limit for a peer's first bytes after it has connected.
pub(super) const SILENT: Duration = Duration::from_secs(5);
/// Time limit for a peer's greeting and first command, after its first bytes.
const SLOW: Duration = Duration::from_secs(10);

/// Greeting that a port sends to all peers.
#[derive(Clone, Copy, Debug)]
pub struct Greeting([u8; GREETING]);

impl Greeting {
    /// Returns the greeting of `sockets`. If `plain`, the greeting specifies no security mechanism.
    ///
    /// # Errors
    /// If the system cannot create a socket.
    pub fn from_sockets(sockets: &Sockets, plain: bool) -> io::Result<Greeting> {
        sockets.greeting(plain).map(Greeting)
    }

    /// Returns whether a peer's greeting specifies the same security mechanism as this greeting.
    pub(crate) fn is_alike(&self, heard: &[u8]) -> bool {
        heard.get(MECHANISM) == Some(&self.0[MECHANISM])
    }

    /// Returns whether the port requires a key.
    pub(crate) fn asks_for_key(&self) -> bool {
        self.0[MECHANISM].starts_with(b"CURVE")
    }

    /// Sends the greeting to a connected peer. Returns all bytes that the peer sends before libzmq has to answer,
    /// which are its greeting and its first command.
    ///
    /// # Errors
    /// If the peer is silent, sends other data or is too slow, or if the connection was evicted.
    pub(crate) async fn exchange(&self, outside: &mut TcpStream, ticket: &Ticket) -> io::Result<Vec<u8>> {
        let refused = || io::Error::from(ErrorKind::ConnectionRefused);
        let mut heard = vec![0; SIGNATURE];
        timeout(SILENT, outside.read_exact(&mut heard)).await??;
        if !is_signature(&heard) || !ticket.advance(Stage::Greeting) {
            return Err(refused());
        }
        // The port sends the rest of its greeting only after it has received the peer's whole greeting. A peer with
        // another mechanism disconnects as soon as it receives the rest. The port must know the peer's mechanism before
        // that, to count the rejected peer.
        let (beginning, rest) = self.0.split_at(VERSION + 1);
        let go_on = async {
            outside.write_all(beginning).await?;
            let mut piece = [0; LONGEST];
            let mut greeted = false;
            loop {
                if !greeted && heard.len() >= GREETING {
                    outside.write_all(rest).await?;
                    greeted = true;
                }
                match self.ends(&heard) {
                    Some(true) => return Ok(()),
                    Some(false) => return Err(refused()),
                    None => {}
                }
                match outside.read(&mut piece[..LONGEST.saturating_sub(heard.len())]).await? {
                    0 => return Err(refused()),
                    count => heard.extend_from_slice(&piece[..count]),
                }
            }
        };
        timeout(SLOW, go_on).await??;
        if ticket.advance(Stage::Handshake) { Ok(heard) } else { Err(refused()) }
    }

    /// Checks a peer's greeting and first command. Returns `Some(true)` if libzmq can take over, `None` if more bytes
    /// are needed, and `Some(false)` if the data is invalid.
    fn ends(&self, heard: &[u8]) -> Option<bool> {
        if heard.get(VERSION).is_some_and(|version| *version < OLDEST) {
            return Some(false);
        }
        let (greeting, command) = heard.split_at_checked(GREETING)?;
        // A peer with another mechanism is passed to libzmq without waiting for a command. libzmq closes the
        // connection.
        if greeting[MECHANISM] != self.0[MECHANISM] {
            return Some(true);
        }
        match Frame::read(command) {
            Some(frame) if !frame.is_command => Some(false),
            Some(frame) if frame.length > (LONGEST - GREETING) as u64 => Some(false),
            Some(frame) if frame.is_whole() => Some(true),
            _ if heard.len() >= LONGEST => Some(false),
            _ => None,
        }
    }
}

/// Returns whether the bytes are the signature of a ZMTP peer. `bytes` has at least 10 bytes.
fn is_signature(bytes: &[u8]) -> bool {
    bytes[0] == 0xff && bytes[SIGNATURE - 1] & 1 == 1
}

/// Frame of ZMTP, of which at least the header has arrived.
pub(super) struct Frame<'a> {
    /// Whether the frame is a command rather than a part of a message.
    pub is_command: bool,
    /// Length of the body, from the frame's header (bytes).
    pub length: u64,
    /// Received bytes after the header: the body, and any following frames.
    pub rest: &'a [u8],
}

impl Frame<'_> {
    /// Reads the header of a frame. Returns `None` if the header is incomplete.
    pub fn read(bytes: &[u8]) -> Option<Frame<'_>> {
        const LONG: u8 = 2;
        const COMMAND: u8 = 4;
        let (&flags, tail) = bytes.split_first()?;
        let (length, rest) = if flags & LONG != 0 {
            let (length, rest) = tail.split_first_chunk::<8>()?;
            (u64::from_be_bytes(*length), rest)
        } else {
            let (&length, rest) = tail.split_first()?;
            (length.into(), rest)
        };
        Some(Frame { is_command: flags & COMMAND != 0, length, rest })
    }

    fn is_whole(&self) -> bool {
        self.rest.len() as u64 >= self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn greeting(mechanism: &[u8]) -> [u8; GREETING] {
        let mut greeting = [0; GREETING];
        greeting[..SIGNATURE].copy_from_slice(&[0xff, 0, 0, 0, 0, 0, 0, 0, 1, 0x7f]);
        greeting[VERSION] = 3;
        greeting[MECHANISM.start..][..mechanism.len()].copy_from_slice(mechanism);
        greeting
    }

    #[test]
    fn greeting_ends_with_first_command_and_not_before() {
        let ours = Greeting(greeting(b"CURVE"));
        let hello = [&greeting(b"CURVE")[..], &[4, 200], b"\x05HELLO", &[7; 194]].concat();
        for length in SIGNATURE..hello.len() {
            assert_eq!(ours.ends(&hello[..length]), None, "{length} bytes");
        }
        assert_eq!(ours.ends(&hello), Some(true));
        let long = [&greeting(b"CURVE")[..], &[6], &300u64.to_be_bytes(), &[7; 300]].concat();
        assert_eq!((ours.ends(&long[..300]), ours.ends(&long)), (None, Some(true)));
        // A peer with another mechanism is passed to libzmq, which rejects it.
        assert_eq!(ours.ends(&greeting(b"NULL")), Some(true));
    }

    #[test]
    fn invalid_greeting_is_rejected_early() {
        let ours = Greeting(greeting(b"NULL"));
        let after = |bytes: &[u8]| ours.ends(&[&greeting(b"NULL")[..], bytes].concat());
        assert_eq!(after(&[0, 5, 1, 2]), Some(false), "a message");
        assert_eq!(after(&[6, 0xff, 0, 0, 0, 0, 0, 0, 0]), Some(false), "a command without end");
        let mut old = greeting(b"NULL");
        old[VERSION] = 1;
        assert_eq!(ours.ends(&old[..VERSION + 1]), Some(false), "version 1");
        assert!(!is_signature(b"GET / HTTP"));
    }
}

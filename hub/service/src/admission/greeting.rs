//! The beginning of a ZeroMQ connection, until libzmq has to be asked (ZMTP 3.1, RFC 37; CURVE, RFC 26).
//!
//! Both sides greet with 64 bytes, and the peer goes on with a command: HELLO of CURVE, or READY without keys. All of that
//! is the same for everybody, so that the port says its part itself: whoever does not get so far costs a descriptor and
//! a few hundred bytes, and nothing inside libzmq.

use super::{Stage, Ticket};
use std::io::{self, ErrorKind};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;
use xpuck_wire::socket::{GREETING, Sockets};

/// A peer begins with a signature of so many bytes, before it has heard anything.
const SIGNATURE: usize = 10;
/// In a greeting: the version, and the name of the security mechanism.
const VERSION: usize = 10;
const MECHANISM: std::ops::Range<usize> = 12..32;
/// The lowest version that is spoken here.
const OLDEST: u8 = 3;
/// Longest greeting and first command: HELLO has 202 bytes; READY holds a socket's name of up to 255.
const LONGEST: usize = 1024;
/// A peer says something within this time of connecting.
pub(super) const SILENT: Duration = Duration::from_secs(5);
/// And has ended its first command within this time from then.
const SLOW: Duration = Duration::from_secs(10);

/// What a port says to everybody.
#[derive(Clone, Copy, Debug)]
pub struct Greeting([u8; GREETING]);

impl Greeting {
    /// What the sockets of these keys say; plain ones if `plain`.
    ///
    /// # Errors
    /// If the system lets no socket be made.
    pub fn of(sockets: &Sockets, plain: bool) -> io::Result<Greeting> {
        sockets.greeting(plain).map(Greeting)
    }

    /// Whether a peer that has greeted speaks the same security mechanism.
    pub(crate) fn is_alike(&self, heard: &[u8]) -> bool {
        heard.get(MECHANISM) == Some(&self.0[MECHANISM])
    }

    /// Whether the port asks for a key.
    pub(crate) fn asks_for_key(&self) -> bool {
        self.0[MECHANISM].starts_with(b"CURVE")
    }

    /// Greets a peer that has connected, and gives what it says until libzmq has to answer: its greeting and its first
    /// command.
    ///
    /// # Errors
    /// It says nothing, or something else, or is too slow, or there is no room for one more handshake.
    pub(crate) async fn exchange(&self, outside: &mut TcpStream, ticket: &Ticket) -> io::Result<Vec<u8>> {
        let refused = || io::Error::from(ErrorKind::ConnectionRefused);
        let mut heard = vec![0; SIGNATURE];
        timeout(SILENT, outside.read_exact(&mut heard)).await??;
        if !is_signature(&heard) || !ticket.advance(Stage::Greeting) {
            return Err(refused());
        }
        // The rest follows when the peer has greeted whole: a peer of another mechanism hangs up as soon as it hears of ours,
        // and would not be counted.
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

    /// True if a peer's greeting and first command are complete; none if more has to come; false if they are neither.
    fn ends(&self, heard: &[u8]) -> Option<bool> {
        if heard.get(VERSION).is_some_and(|version| *version < OLDEST) {
            return Some(false);
        }
        let (greeting, command) = heard.split_at_checked(GREETING)?;
        // Who speaks another mechanism is not answered; libzmq counts it and closes.
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

/// True for the signature of a peer that speaks ZMTP.
fn is_signature(bytes: &[u8]) -> bool {
    bytes[0] == 0xff && bytes[SIGNATURE - 1] & 1 == 1
}

/// A frame, of which the end may be missing.
pub(super) struct Frame<'a> {
    /// It is a command, not a part of a message.
    pub is_command: bool,
    /// Its length, as its head says.
    pub length: u64,
    /// What there is of it, and of what comes after it.
    pub rest: &'a [u8],
}

impl Frame<'_> {
    /// Reads a frame's head; none if it is not whole.
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
    fn a_beginning_ends_with_the_first_command_and_not_before() {
        let ours = Greeting(greeting(b"CURVE"));
        let hello = [&greeting(b"CURVE")[..], &[4, 200], b"\x05HELLO", &[7; 194]].concat();
        for length in SIGNATURE..hello.len() {
            assert_eq!(ours.ends(&hello[..length]), None, "{length} bytes");
        }
        assert_eq!(ours.ends(&hello), Some(true));
        let long = [&greeting(b"CURVE")[..], &[6], &300u64.to_be_bytes(), &[7; 300]].concat();
        assert_eq!((ours.ends(&long[..300]), ours.ends(&long)), (None, Some(true)));
        // Another mechanism is libzmq's to refuse.
        assert_eq!(ours.ends(&greeting(b"NULL")), Some(true));
    }

    #[test]
    fn what_can_be_no_beginning_is_refused_soon() {
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

//! Parses the cookie and the messages of a VRPN client, without access to sockets.

use super::encode::{COOKIE, HEADER, PING, SENDER_DESCRIPTION, TYPE_DESCRIPTION};
use std::collections::BTreeMap;

/// Maximum length of a client's message (bytes). Real messages have fewer than 300 bytes.
pub const MAX_MESSAGE: usize = 4096;
/// Maximum number of sender and type names that a client may describe. It equals VRPN's own limit.
const MAX_NAMES: usize = 2000;
/// Number of cookie bytes that must match. They end with the dot after the major version.
const MAJOR: usize = 13;

/// Action that the server must perform for a client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Describe all trackers and types, and then send poses, because the client's cookie is valid.
    Welcome,
    /// Answer a ping of the tracker with this name.
    Pong(String),
}

/// Reason for rejecting a client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SessionError {
    /// The client does not use a compatible version of VRPN.
    #[error("the client's first bytes are {0:?}; expected the first bytes of VRPN 07")]
    Cookie(String),
    /// The length in a message header is outside the valid range.
    #[error("a message announces {0} bytes; {HEADER} to {MAX_MESSAGE} are allowed")]
    Length(u32),
    /// A description of a name is truncated.
    #[error("a description is truncated")]
    Description,
    /// The client describes too many names.
    #[error("the client describes more than {MAX_NAMES} names")]
    Names,
}

/// State of the connection to one client, including the numbers that the client assigns to names.
#[derive(Debug, Default)]
pub struct Session {
    received: Vec<u8>,
    welcome: bool,
    names: BTreeMap<(i32, i32), String>,
}

impl Session {
    /// Processes bytes from the client, and returns the resulting actions.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<Vec<Answer>, SessionError> {
        self.received.extend_from_slice(bytes);
        let mut answers = Vec::new();
        if !self.welcome {
            let Some(cookie) = self.received.get(..COOKIE.len()) else { return Ok(answers) };
            if cookie[..MAJOR] != COOKIE[..MAJOR] {
                return Err(SessionError::Cookie(String::from_utf8_lossy(cookie).into_owned()));
            }
            self.received.drain(..COOKIE.len());
            self.welcome = true;
            answers.push(Answer::Welcome);
        }
        while let Some(length) = self.received.first_chunk() {
            let length = u32::from_be_bytes(*length);
            if !(HEADER..=MAX_MESSAGE).contains(&(length as usize)) {
                return Err(SessionError::Length(length));
            }
            let padded = (length as usize).next_multiple_of(8);
            if self.received.len() < padded {
                break;
            }
            let message: Vec<u8> = self.received.drain(..padded).take(length as usize).collect();
            answers.extend(self.message(&message)?);
        }
        Ok(answers)
    }

    fn message(&mut self, message: &[u8]) -> Result<Option<Answer>, SessionError> {
        let number = |at: usize| i32::from_be_bytes([0, 1, 2, 3].map(|i| message[at + i]));
        let (sender, kind) = (number(12), number(16));
        if kind == SENDER_DESCRIPTION || kind == TYPE_DESCRIPTION {
            let name = name(&message[HEADER..]).ok_or(SessionError::Description)?;
            if self.names.len() == MAX_NAMES {
                return Err(SessionError::Names);
            }
            self.names.insert((kind, sender), name);
        } else if self.names.get(&(TYPE_DESCRIPTION, kind)).is_some_and(|name| name == PING) {
            return Ok(self.names.get(&(SENDER_DESCRIPTION, sender)).cloned().map(Answer::Pong));
        }
        // Messages of other types are ignored.
        Ok(None)
    }
}

/// Parses the name in the payload of a description. The payload contains a length and the zero-terminated name. The
/// length includes the terminating zero.
fn name(payload: &[u8]) -> Option<String> {
    let (length, text) = payload.split_first_chunk()?;
    let text = text.get(..u32::from_be_bytes(*length) as usize)?.strip_suffix(&[0])?;
    Some(String::from_utf8_lossy(text).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes recorded from a third-party VRPN 07.38 client: its cookie, the description of tracker `xp01` (sender 1),
    /// the description of the ping (type 5), and a ping. The padding contains uninitialised bytes of the client's
    /// buffer.
    const RECORDED: &str = "7672706e3a207665722e2030372e33382020300000000000\
        000000216b01fb4c000f32d000000001ffffffff00000005000000057870303100436f6e74726f6c\
        000000336b01fb4c000f32d800000005fffffffe00000007000000177672706e5f426173652070696e675f6d657373616765001f5652504e\
        000000186b01fb4c000f41d7000000010000000500000014";

    fn bytes(hex: &str) -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
    }

    #[test]
    fn recorded_client_is_parsed_in_any_chunk_size() {
        let expected = [Answer::Welcome, Answer::Pong("xp01".into())];
        for piece in [1, 7, 1000] {
            let mut session = Session::default();
            let answers: Vec<Answer> =
                bytes(RECORDED).chunks(piece).flat_map(|part| session.feed(part).unwrap()).collect();
            assert_eq!(answers, expected);
        }
    }

    #[test]
    fn invalid_vrpn_input_is_rejected() {
        let error = Session::default().feed(b"GET / HTTP/1.1\r\nHost: vicon\r\n").unwrap_err();
        assert!(error.to_string().contains("GET / HTTP"), "{error}");
        let feed = |message: &str| {
            let mut session = Session::default();
            session.feed(&COOKIE).unwrap();
            session.feed(&bytes(message))
        };
        assert_eq!(feed("00000017"), Err(SessionError::Length(23)));
        assert_eq!(feed("7fffffff"), Err(SessionError::Length(0x7fff_ffff)));
        let cut = "000000216b01fb4c000f32d000000001ffffffff00000005000000067870303100436f6e74726f6c";
        assert_eq!(feed(cut), Err(SessionError::Description));
        assert_eq!(feed("000000186b01fb4c000f41d7000000010000000500000014"), Ok(vec![]), "an unknown type");
    }
}

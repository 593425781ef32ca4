//! Binary format of VRPN 07, big-endian. Each side first sends a cookie, and then messages. A message has a header of
//! 24 bytes and a payload padded to a multiple of 8 bytes; its length field excludes the padding. Each side defines
//! its own numbers for senders and types.

use xpuck_hub_core::mocap::MAX_NAME;

/// First bytes that the client sends: protocol version 07.38, without remote logging.
pub const COOKIE: &[u8; 24] = b"vrpn: ver. 07.38  0\0\0\0\0\0";
/// Part of the cookie that both sides must have in common; a server may have another minor version.
const MAJOR: &[u8] = b"vrpn: ver. 07.";
const HEADER: usize = 24;
/// Maximum length of a message (bytes); a pose has 88 bytes.
const MAX_MESSAGE: usize = 1 << 16;
/// Type of a message that describes a sender: its number and name.
pub const SENDER_IS: i32 = -1;
/// Type of a message that describes a message type: its name, and its number in the sender field.
pub const TYPE_IS: i32 = -2;

/// Error of the data stream, after which the connection has to be closed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum VrpnError {
    /// The server's first bytes are not those of VRPN 07.
    #[error("the server's first bytes are {0:?}, not \"vrpn: ver. 07.\"; check that this is a VRPN server")]
    Cookie(String),
    /// The length is outside the accepted range.
    #[error("a message has {0} bytes; {HEADER} to {MAX_MESSAGE} are allowed")]
    Length(usize),
    /// The message ends before the end of its fields. The text contains the kind of message.
    #[error("a {0} is truncated")]
    Truncated(&'static str),
    /// The name exceeds the maximum length.
    #[error("a name has {0} bytes; at most {MAX_NAME} are allowed")]
    Name(usize),
    /// The server describes more names than the stored maximum.
    #[error("the server describes more than {0} names")]
    Names(usize),
}

/// Message of the stream.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Sender's clock (s since 1970).
    pub time_s: f64,
    /// Sender number.
    pub sender: i32,
    /// Type number.
    pub kind: i32,
    /// Payload.
    pub payload: Vec<u8>,
}

/// Splits a byte stream into messages.
#[derive(Debug, Default)]
pub struct Reader {
    pending: Vec<u8>,
    greeted: bool,
}

impl Reader {
    /// Appends received bytes.
    pub fn push(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
    }

    /// Removes and returns the next message; `None` if the message is incomplete.
    pub fn next(&mut self) -> Result<Option<Message>, VrpnError> {
        if !self.greeted {
            let Some(cookie) = self.pending.get(..COOKIE.len()) else { return Ok(None) };
            if !cookie.starts_with(MAJOR) {
                return Err(VrpnError::Cookie(String::from_utf8_lossy(cookie).into_owned()));
            }
            self.pending.drain(..COOKIE.len());
            self.greeted = true;
        }
        let Some(length) = self.pending.first_chunk().map(|b| u32::from_be_bytes(*b) as usize) else {
            return Ok(None);
        };
        if !(HEADER..=MAX_MESSAGE).contains(&length) {
            return Err(VrpnError::Length(length));
        }
        if self.pending.len() < length.next_multiple_of(8) {
            return Ok(None);
        }
        let bytes: Vec<u8> = self.pending.drain(..length.next_multiple_of(8)).collect();
        let word = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
        Ok(Some(Message {
            time_s: f64::from(word(4)) + f64::from(word(8)) * 1e-6,
            sender: word(12) as i32,
            kind: word(16) as i32,
            payload: bytes[HEADER..length].to_vec(),
        }))
    }
}

/// Appends a message with time stamp zero to `out`. `number` is the sequence number of the message.
pub fn write(out: &mut Vec<u8>, number: u32, sender: i32, kind: i32, payload: &[u8]) {
    for word in [(HEADER + payload.len()) as u32, 0, 0, sender as u32, kind as u32, number] {
        out.extend(word.to_be_bytes());
    }
    out.extend(payload);
    out.resize(out.len().next_multiple_of(8), 0);
}

/// Returns the payload of a description: the length of the name with its final zero, and the name.
pub fn describe(name: &str) -> Vec<u8> {
    [&(name.len() as u32 + 1).to_be_bytes(), name.as_bytes(), &[0]].concat()
}

/// Returns the name in the payload of a description.
pub fn described(payload: &[u8]) -> Result<String, VrpnError> {
    let name = || {
        let (length, text) = payload.split_first_chunk()?;
        text.get(..u32::from_be_bytes(*length) as usize)?.strip_suffix(&[0])
    };
    let name = name().ok_or(VrpnError::Truncated("description"))?;
    if name.len() > MAX_NAME {
        return Err(VrpnError::Name(name.len()));
    }
    Ok(String::from_utf8_lossy(name).into_owned())
}

//! Encoding of messages: a version byte, followed by MessagePack with named fields, which programs in other languages
//! can read.
//!
//! A hub and robots whose versions differ by one are compatible, so that the robots of a swarm can be updated one by
//! one. Messages to and from robots may therefore only be extended. A new field has a default, and older programs
//! ignore the field. Older programs drop a message with a new variant and log one line. A release with extended
//! messages increases [`VERSION`] by one. An incompatible change increases it by two, and both sides then report the
//! mismatch.

use crate::message::{Reply, Request, RobotMessage, ToRobot, ToWorker, WorkerMessage};
use crate::peer::PeerMessage;
use crate::seal::Sealed;
use crate::signed::Signed;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// First byte of every message.
pub const VERSION: u8 = 7;
/// Oldest version from which the current version differs only by extensions.
const FIRST: u8 = 7;
/// Supported versions: the current version, the next version, and the previous version if it is compatible.
pub const UNDERSTOOD: RangeInclusive<u8> = if VERSION > FIRST { VERSION - 1 } else { FIRST }..=VERSION + 1;
/// Maximum length of a message (bytes).
pub const MAX_BYTES: usize = 1 << 20;
/// Maximum length of an unknown name in an error (characters).
const MAX_NAME: usize = 32;
/// Maximum number of unknown names that are reported.
const MAX_NAMES: usize = 16;
/// Maximum nesting depth of a message. Messages of this crate use fewer than ten levels.
const MAX_DEPTH: usize = 32;

thread_local! {
    /// Encoding buffer of the thread, which is reused because a new buffer per message would take as much time as the
    /// encoding.
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Decoding error.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// The length is outside 2..=[`MAX_BYTES`] (bytes).
    #[error("the message has {0} bytes; 2 to {MAX_BYTES} are allowed")]
    Size(usize),
    /// The version is not supported.
    #[error("message version {0} is not supported; expected version {VERSION}; use the same release on hub and robots")]
    Version(u8),
    /// The message or a value in it has an unknown variant, with this name.
    #[error("unknown name `{0}`; use the same release on hub and robots")]
    Unknown(String),
    /// The contents are invalid; the text is the decoder's error.
    #[error("malformed message: {0}")]
    Malformed(String),
}

impl From<erased_serde::Error> for CodecError {
    /// Converts a decoder's error. An unknown variant is recognised by the error's text, because the error has no type
    /// for it.
    fn from(error: erased_serde::Error) -> CodecError {
        let text = error.to_string();
        match text.strip_prefix("unknown variant `") {
            Some(rest) => {
                let name = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || "-_".contains(*c));
                CodecError::Unknown(name.take(MAX_NAME).collect())
            }
            None => CodecError::Malformed(text),
        }
    }
}

/// Unknown names in received messages, so that each name is reported only once.
#[derive(Clone, Debug, Default)]
pub struct UnknownNames(BTreeSet<String>);

impl UnknownNames {
    /// Returns a log line about a dropped message with this unknown name, or `None` if the name was reported before.
    /// At most 16 names are reported, because no release is expected to add more names.
    pub fn line(&mut self, name: &str) -> Option<String> {
        let new = self.0.len() < MAX_NAMES && self.0.insert(name.into());
        new.then(|| format!("ignored a message with unknown name `{name}`; the sender runs another release"))
    }
}

/// Message that can be encoded and decoded. Encoders and decoders are compiled in this crate, so that they are not
/// compiled again in each calling crate.
pub trait Message: Sized {
    #[doc(hidden)]
    fn write(&self, bytes: &mut Vec<u8>);
    #[doc(hidden)]
    fn read(bytes: &[u8]) -> Result<Self, erased_serde::Error>;
}

macro_rules! messages {
    ($($kind:ty),+) => { $(
        impl Message for $kind {
            fn write(&self, bytes: &mut Vec<u8>) {
                rmp_serde::encode::write_named(bytes, self).expect("our messages can be encoded");
            }

            // Without type erasure, the decoder of `rmp_serde` would be compiled for each type, and would make up a
            // third of this crate's machine code.
            fn read(bytes: &[u8]) -> Result<Self, erased_serde::Error> {
                let mut reader = rmp_serde::Deserializer::from_read_ref(bytes);
                reader.set_max_depth(MAX_DEPTH);
                erased_serde::deserialize(&mut <dyn erased_serde::Deserializer>::erase(&mut reader))
            }
        }
    )+ };
}

messages!(RobotMessage, ToRobot, Request, Reply, WorkerMessage, ToWorker, Sealed, Signed, PeerMessage);

/// Encodes a message.
///
/// # Panics
/// If the message cannot be encoded. All messages of this crate can be encoded.
pub fn encode<T: Message>(message: &T) -> Vec<u8> {
    SCRATCH.with_borrow_mut(|scratch| {
        scratch.clear();
        scratch.push(VERSION);
        message.write(scratch);
        scratch.as_slice().into()
    })
}

/// Decodes a message, with its version byte.
///
/// # Errors
/// The length is wrong, the version is not supported, or the contents are invalid.
pub fn decode<T: Message>(bytes: &[u8]) -> Result<T, CodecError> {
    if bytes.len() < 2 || bytes.len() > MAX_BYTES {
        return Err(CodecError::Size(bytes.len()));
    }
    if !UNDERSTOOD.contains(&bytes[0]) {
        return Err(CodecError::Version(bytes[0]));
    }
    Ok(T::read(&bytes[1..])?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{RobotMessage, ToRobot};

    #[test]
    fn messages_survive_the_wire() {
        let message = ToRobot::Ping { stamp: 7.5 };
        assert_eq!(decode::<ToRobot>(&encode(&message)).unwrap(), message);
    }

    #[test]
    fn newer_peer_is_decoded_and_unknown_messages_are_skipped() {
        let newer = |value: serde_json::Value| {
            let mut bytes = vec![VERSION + 1];
            rmp_serde::encode::write_named(&mut bytes, &value).unwrap();
            bytes
        };
        let hello = serde_json::json!({"Hello": {"version": "9", "session": 7, "seen": [0, 0], "mood": {"good": 1.0}}});
        assert!(matches!(decode::<RobotMessage>(&newer(hello)).unwrap(), RobotMessage::Hello { session: 7, .. }));
        let telemetry = crate::telemetry::Telemetry { session: 7, ..Default::default() };
        let mut value = serde_json::to_value(RobotMessage::Telemetry(Box::new(telemetry.clone()))).unwrap();
        value["Telemetry"]["mood"] = 1.into();
        value["Telemetry"]["devices"]["smell"] = 1.into();
        assert_eq!(decode::<RobotMessage>(&newer(value)).unwrap(), RobotMessage::Telemetry(Box::new(telemetry)));
        let ping = serde_json::json!({"Ping": {"stamp": 7.5, "hops": 3}});
        assert_eq!(decode::<ToRobot>(&newer(ping)).unwrap(), ToRobot::Ping { stamp: 7.5 });
        let unknown = serde_json::json!({"Dance": {"steps": 3}});
        assert!(matches!(decode::<ToRobot>(&newer(unknown)), Err(CodecError::Unknown(name)) if name == "Dance"));
        let sealed = serde_json::json!({"session": 7, "hub": 1, "count": 1, "message": "Dance", "mood": 1});
        assert!(matches!(decode::<Sealed>(&newer(sealed)), Err(CodecError::Unknown(name)) if name == "Dance"));
        let sealed = serde_json::json!({"session": 7, "hub": 1, "count": 1, "message": "Identify", "mood": 1});
        assert_eq!(decode::<Sealed>(&newer(sealed)).unwrap().message, ToRobot::Identify);
        // Operators' programs are from the same release as the hub, so unknown fields in their requests are errors.
        let note = serde_json::json!({"Note": {"text": "x", "loud": true}});
        assert!(decode::<Request>(&newer(note)).is_err());
    }

    #[test]
    fn only_adjacent_protocol_versions_are_decoded() {
        let mut bytes = encode(&ToRobot::Identify);
        let read: Vec<u8> = (0..=u8::MAX)
            .filter(|version| {
                bytes[0] = *version;
                decode::<ToRobot>(&bytes).is_ok()
            })
            .collect();
        assert_eq!(read, UNDERSTOOD.collect::<Vec<u8>>());
        assert!(
            read.contains(&VERSION) && read.iter().all(|version| version.abs_diff(VERSION) <= 1 && *version >= FIRST)
        );
    }

    #[test]
    fn unknown_message_names_are_logged_once_and_bounded() {
        let mut names = UnknownNames::default();
        assert!(names.line("Dance").is_some_and(|line| line.contains("`Dance`")) && names.line("Dance").is_none());
        let told = (0..1000).filter(|i| names.line(&format!("Dance{i}")).is_some()).count();
        assert_eq!(told, MAX_NAMES - 1);
        let long = serde_json::json!({"x".repeat(500): 1});
        let bytes = [vec![VERSION], rmp_serde::to_vec_named(&long).unwrap()].concat();
        let Err(CodecError::Unknown(name)) = decode::<ToRobot>(&bytes) else { panic!("a message") };
        assert_eq!(name.len(), MAX_NAME);
    }

    #[test]
    fn hostile_bytes_are_refused() {
        assert!(matches!(decode::<ToRobot>(&[]), Err(CodecError::Size(0))));
        assert!(matches!(decode::<ToRobot>(&[9, 0xc0]), Err(CodecError::Version(9))));
        assert!(decode::<ToRobot>(&[VERSION, 0xc1]).is_err());
        assert!(decode::<ToRobot>(&vec![VERSION; MAX_BYTES + 1]).is_err());
        let nested = [vec![VERSION], vec![0x91; 5000]].concat();
        assert!(decode::<RobotMessage>(&nested).is_err(), "deep nesting ends in an error, not in a full stack");
        let whole = encode(&ToRobot::Ping { stamp: 1.0 });
        for end in 0..whole.len() {
            assert!(decode::<ToRobot>(&whole[..end]).is_err(), "cut at {end}");
        }
    }
}

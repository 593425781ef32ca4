//! Framing of messages on a stream. Each message is preceded by its length as a four-byte big-endian integer
//! (SimSpark, "Message Formats").

use thiserror::Error;

/// Default maximum length of a message (bytes).
pub const LONGEST: usize = 16 << 20;
/// Length of the header (bytes).
const HEAD: usize = 4;

/// Error of a message that exceeds the maximum length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("message of {length} bytes exceeds the maximum of {most}")]
pub struct TooLong {
    /// Announced length (bytes).
    pub length: usize,
    /// Maximum length (bytes).
    pub most: usize,
}

/// Splits a byte stream into its messages.
#[derive(Clone, Debug)]
pub struct Frames {
    bytes: Vec<u8>,
    /// Offset of the next message's header in `bytes`.
    start: usize,
    most: usize,
}

impl Frames {
    /// Creates a splitter that accepts messages of up to `most` bytes.
    pub fn new(most: usize) -> Frames {
        Frames { bytes: Vec::new(), start: 0, most }
    }

    /// Appends the next bytes of the stream.
    pub fn push(&mut self, bytes: &[u8]) {
        // Returned messages are removed first. The buffer then holds at most one incomplete message and the new
        // bytes.
        if self.start > 0 {
            self.bytes.drain(..self.start);
            self.start = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Returns the next message; `None` if it is still incomplete. Empty messages are skipped.
    ///
    /// # Errors
    /// The announced length exceeds the maximum. The rest of the stream is unusable.
    pub fn next_message(&mut self) -> Result<Option<&[u8]>, TooLong> {
        loop {
            let rest = &self.bytes[self.start..];
            let Some((head, rest)) = rest.split_first_chunk::<HEAD>() else { return Ok(None) };
            let length = u32::from_be_bytes(*head) as usize;
            if length > self.most {
                return Err(TooLong { length, most: self.most });
            }
            if rest.len() < length {
                return Ok(None);
            }
            let from = self.start + HEAD;
            self.start = from + length;
            if length > 0 {
                return Ok(Some(&self.bytes[from..self.start]));
            }
        }
    }
}

/// Returns a message preceded by its length. An empty message gives no bytes, because its frame would end the stream
/// for some viewers. A message of 4 GiB or more also gives no bytes.
pub fn frame(message: &str) -> Vec<u8> {
    let Some(length) = u32::try_from(message.len()).ok().filter(|length| *length > 0) else { return Vec::new() };
    [&length.to_be_bytes(), message.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_stream_yields_complete_messages() {
        let stream = [frame("(a)"), vec![0; 4], frame("(b 1)"), frame("(c)")[..5].to_vec()].concat();
        for piece in 1..stream.len() {
            let mut frames = Frames::new(100);
            let mut found = Vec::new();
            for bytes in stream.chunks(piece) {
                frames.push(bytes);
                while let Some(message) = frames.next_message().unwrap() {
                    found.push(String::from_utf8(message.to_vec()).unwrap());
                }
            }
            assert_eq!(found, ["(a)", "(b 1)"], "{piece}");
        }
        assert_eq!(frame(""), b"");
    }

    #[test]
    fn oversized_message_is_rejected_before_it_arrives() {
        let mut frames = Frames::new(100);
        frames.push(&u32::MAX.to_be_bytes());
        assert!(frames.next_message().unwrap_err().to_string().contains("4294967295 bytes exceeds the maximum of 100"));
    }
}

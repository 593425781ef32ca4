//! Assembles frame buffers from the payloads of a camera of the USB video class, like the kernel's uvcvideo driver. The
//! module is used for a camera in a virtual arena, and accesses no device.
//!
//! A frame ends at a payload with the end flag, at a change of the frame identifier, or when a payload exceeds the
//! buffer. As in Video4Linux, frames with errors are delivered too. A frame is marked as damaged if it is too long, or
//! if a payload has the error flag or an invalid header.

use xpuck_registers::uvc::{EOF, EOH, ERR, FID, HEADER, LONGEST_HEADER};

/// Assembler of frames with a fixed size.
#[derive(Debug)]
pub struct PayloadReader {
    buffer: Vec<u8>,
    size: usize,
    /// Identifier of the current frame; `None` before the first frame.
    frame: Option<u8>,
    /// Whether the current frame is damaged.
    damaged: bool,
    /// Whether the current frame was delivered. Further payloads of a delivered frame are dropped.
    done: bool,
    /// Number of payloads with an invalid header.
    pub malformed: u64,
}

impl PayloadReader {
    /// Creates a reader for frames of `size` bytes.
    pub fn new(size: usize) -> PayloadReader {
        let buffer = Vec::with_capacity(size);
        PayloadReader { buffer, size, frame: None, damaged: false, done: false, malformed: 0 }
    }

    /// Processes one payload. Passes each completed frame to `deliver`, with `true` if the frame is damaged.
    pub fn push(&mut self, payload: &[u8], mut deliver: impl FnMut(&[u8], bool)) {
        let header = payload.first().map_or(0, |length| usize::from(*length));
        if !(HEADER..=LONGEST_HEADER).contains(&header) || header > payload.len() || payload[1] & EOH == 0 {
            self.malformed += 1;
            self.damaged = true;
            return;
        }
        let (flags, bytes) = (payload[1], &payload[header..]);
        if self.frame != Some(flags & FID) {
            // Before the first frame there is nothing to deliver.
            if self.frame.is_some() && !self.done {
                self.finish(&mut deliver);
            }
            (self.frame, self.damaged, self.done) = (Some(flags & FID), false, false);
            self.buffer.clear();
        }
        if self.done {
            return;
        }
        self.damaged |= flags & ERR > 0;
        let room = self.size - self.buffer.len();
        // Excess bytes mean that the camera has another frame size. They are dropped, and the frame is marked as
        // damaged.
        self.buffer.extend(&bytes[..bytes.len().min(room)]);
        let over = bytes.len() > room;
        self.damaged |= over;
        if flags & EOF > 0 || over {
            self.finish(&mut deliver);
        }
    }

    fn finish(&mut self, deliver: &mut impl FnMut(&[u8], bool)) {
        self.done = true;
        deliver(&self.buffer, self.damaged);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_registers::uvc::{GOLDEN_PAYLOADS, GOLDEN_PIXELS};

    fn read(reader: &mut PayloadReader, payload: &[u8]) -> Vec<(Vec<u8>, bool)> {
        let mut buffers = Vec::new();
        reader.push(payload, |bytes, damaged| buffers.push((bytes.to_vec(), damaged)));
        buffers
    }

    #[test]
    fn golden_payloads_decode_to_golden_frame() {
        let mut reader = PayloadReader::new(16);
        assert!(read(&mut reader, &GOLDEN_PAYLOADS[0]).is_empty());
        assert_eq!(read(&mut reader, &GOLDEN_PAYLOADS[1]), [(GOLDEN_PIXELS.to_vec(), false)]);
    }

    #[test]
    fn frame_without_end_is_delivered_short_at_next_frame() {
        let mut reader = PayloadReader::new(16);
        read(&mut reader, &GOLDEN_PAYLOADS[0]);
        let mut next = GOLDEN_PAYLOADS[0];
        next[1] ^= FID;
        assert_eq!(read(&mut reader, &next), [(GOLDEN_PIXELS[..8].to_vec(), false)]);
        let mut end = GOLDEN_PAYLOADS[1];
        end[1] ^= FID;
        assert_eq!(read(&mut reader, &end), [(GOLDEN_PIXELS.to_vec(), false)]);
    }

    #[test]
    fn flagged_or_oversized_frame_is_marked_damaged_once() {
        let mut reader = PayloadReader::new(16);
        let mut first = GOLDEN_PAYLOADS[0];
        first[1] |= ERR;
        read(&mut reader, &first);
        assert_eq!(read(&mut reader, &GOLDEN_PAYLOADS[1]), [(GOLDEN_PIXELS.to_vec(), true)]);
        let mut small = PayloadReader::new(12);
        read(&mut small, &GOLDEN_PAYLOADS[0]);
        assert_eq!(read(&mut small, &GOLDEN_PAYLOADS[1]), [(GOLDEN_PIXELS[..12].to_vec(), true)]);
        assert!(read(&mut small, &GOLDEN_PAYLOADS[1]).is_empty(), "the rest of that frame is dropped");
    }

    #[test]
    fn headers_that_cannot_be_are_counted() {
        let mut reader = PayloadReader::new(16);
        for payload in [&[][..], &[1, EOH], &[13, EOH], &[12, EOH, 0], &[2, 0, 7]] {
            assert!(read(&mut reader, payload).is_empty());
        }
        assert_eq!(reader.malformed, 5);
    }
}

//! Decodes camera frames from the USB packets of the FT2232H, as specified in `docs/protocols/camera.md`. The decoder
//! does not access a device.
//!
//! Rows are written directly into the current frame. The receiver of a complete frame swaps it for another buffer, so a
//! running camera does not allocate memory.

use super::{DeviceError, Frame};
use xpuck_registers::camera_stream as stream;
use xpuck_registers::ft2232h::STATUS;
use xpuck_registers::yuyv::BYTES_PER_PIXEL;

/// Reciprocal of the maximum fraction of missing rows. A frame with at most `height / REPAIRABLE` missing rows is
/// repaired; other frames are dropped.
const REPAIRABLE: usize = 32;
/// Minimum increase of the frame number between two frames that counts as a restart of the camera. After a smaller
/// increase, the skipped frames count as dropped.
const GAP: u16 = 256;

/// Byte order of two neighbouring pixels: their lumas Y, and the colour differences Cb and Cr that they share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PixelOrder {
    /// Order Y Cb Y Cr, which [`Frame`] has.
    #[default]
    YCbYCr,
    /// Order Y Cr Y Cb.
    YCrYCb,
    /// Order Cb Y Cr Y.
    CbYCrY,
    /// Order Cr Y Cb Y, the default of the sensors PO3030K and PO6030K (thesis 5.2.1).
    CrYCbY,
}

impl PixelOrder {
    /// Returns the positions (0..4) of Y, Cb, Y and Cr among the four bytes of two pixels.
    fn places(self) -> [usize; 4] {
        match self {
            PixelOrder::YCbYCr => [0, 1, 2, 3],
            PixelOrder::YCrYCb => [0, 3, 2, 1],
            PixelOrder::CbYCrY => [1, 0, 3, 2],
            PixelOrder::CrYCbY => [1, 2, 3, 0],
        }
    }
}

/// Counters of a camera's stream since it was opened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CameraCounts {
    /// Number of complete frames, including repaired frames.
    pub frames: u64,
    /// Number of complete frames that were replaced by a newer frame before they were read.
    pub overtaken: u64,
    /// Number of frames that were dropped because too many rows were missing, or that were not received at all.
    pub dropped_frames: u64,
    /// Number of frames dropped because their size differs from the configured size.
    pub wrong_size: u64,
    /// Number of missing rows that were replaced by a copy of a neighbouring row.
    pub repaired_rows: u64,
    /// Number of times that bytes were skipped to find the next header.
    pub resyncs: u64,
    /// Number of USB packets.
    pub packets: u64,
    /// Number of USB packets without payload.
    pub idle_packets: u64,
    /// Total payload of the USB packets (bytes).
    pub bytes: u64,
    /// Number of stalls of the USB endpoint that were cleared.
    pub stalls: u64,
}

/// Position of the decoder in the stream.
#[derive(Clone, Copy, Debug)]
enum ParserState {
    /// Unknown position. Bytes are skipped until the next mark, which starts a header.
    Lost,
    /// In a header. The field is the number of its bytes received so far; if 0, a mark is expected.
    Header(usize),
    /// In a row. The fields are the number of the row, from 0, and the number of its bytes received so far.
    Row(usize, usize),
}

/// Decoder that converts USB packets to frames.
#[derive(Debug)]
pub struct FrameDecoder {
    order: PixelOrder,
    place: ParserState,
    header: [u8; stream::HEADER],
    frame: Frame,
    /// Number of the current frame; `None` between frames.
    number: Option<u16>,
    /// Number of the last frame of which any data was received; `None` before the first frame.
    last: Option<u16>,
    /// Whether each row of the current frame was received.
    rows_received: Vec<bool>,
    /// Whether the current frame has a row beyond the configured height.
    excess_row: bool,
    /// Whether the current frame has a row of a wrong length.
    wrong_row_length: bool,
    counts: CameraCounts,
}

impl FrameDecoder {
    /// Creates a decoder of frames of `width` by `height` pixels.
    pub fn new(width: usize, height: usize, order: PixelOrder) -> Result<FrameDecoder, DeviceError> {
        Ok(FrameDecoder {
            order,
            place: ParserState::Header(0),
            header: [0; stream::HEADER],
            frame: Frame::black(width, height)?,
            number: None,
            last: None,
            rows_received: vec![false; height],
            excess_row: false,
            wrong_row_length: false,
            counts: CameraCounts::default(),
        })
    }

    /// Returns the counters so far. The decoder does not count `overtaken` and `stalls`, which remain 0.
    pub fn counts(&self) -> CameraCounts {
        self.counts
    }

    /// Decodes one USB packet, including its status bytes. Passes every completed frame to `deliver`, which may swap
    /// the frame for another frame of the same size.
    pub fn packet(&mut self, packet: &[u8], mut deliver: impl FnMut(&mut Frame)) {
        self.counts.packets += 1;
        let mut bytes = packet.get(STATUS..).unwrap_or_default();
        self.counts.idle_packets += u64::from(bytes.is_empty());
        self.counts.bytes += bytes.len() as u64;
        while !bytes.is_empty() {
            bytes = match self.place {
                ParserState::Lost => self.skip_to_mark(bytes),
                ParserState::Header(0) if bytes[0] != stream::SYNC => self.lose_sync(bytes),
                ParserState::Header(have) => self.header(have, bytes, &mut deliver),
                ParserState::Row(row, have) => self.row(row, have, bytes),
            };
        }
    }

    fn lose_sync<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        self.counts.resyncs += 1;
        self.place = ParserState::Lost;
        bytes
    }

    fn skip_to_mark<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        match bytes.iter().position(|byte| *byte == stream::SYNC) {
            Some(at) => {
                self.place = ParserState::Header(0);
                &bytes[at..]
            }
            None => &[],
        }
    }

    fn header<'a>(&mut self, have: usize, bytes: &'a [u8], deliver: &mut impl FnMut(&mut Frame)) -> &'a [u8] {
        // A mark inside a header means that the header was truncated, and another header starts here.
        if have > 0 && bytes[0] == stream::SYNC {
            return self.lose_sync(bytes);
        }
        self.header[have] = bytes[0];
        self.place = ParserState::Header(have + 1);
        if have + 1 == stream::HEADER {
            let Some((kind, number, value)) = read_header(&self.header) else {
                return self.lose_sync(&bytes[1..]);
            };
            self.begin(number, deliver);
            match kind {
                stream::ROW if value < self.rows_received.len() => self.place = ParserState::Row(value, 0),
                stream::ROW => {
                    self.excess_row = true;
                    self.place = ParserState::Lost;
                }
                _ => self.finish(Some(value), deliver),
            }
        }
        &bytes[1..]
    }

    /// Starts the frame with this number, unless it is the current frame. First finishes a previous frame whose end was
    /// not received.
    fn begin(&mut self, number: u16, deliver: &mut impl FnMut(&mut Frame)) {
        if self.number == Some(number) {
            return;
        }
        self.finish(None, deliver);
        if let Some(last) = self.last {
            let ahead = (number + stream::FRAMES - last) % stream::FRAMES;
            if (2..GAP).contains(&ahead) {
                self.counts.dropped_frames += u64::from(ahead - 1);
            }
        }
        (self.number, self.last) = (Some(number), Some(number));
        self.rows_received.fill(false);
        (self.excess_row, self.wrong_row_length) = (false, false);
    }

    fn row<'a>(&mut self, row: usize, have: usize, bytes: &'a [u8]) -> &'a [u8] {
        let length = self.frame.width() * BYTES_PER_PIXEL;
        if have == length {
            // A header must follow immediately. Otherwise, the row is longer than expected.
            if bytes[0] != stream::SYNC {
                self.wrong_row_length = true;
                return self.lose_sync(bytes);
            }
            self.rows_received[row] = true;
            self.place = ParserState::Header(0);
            return bytes;
        }
        let wanted = &bytes[..bytes.len().min(length - have)];
        let pixels = wanted.iter().position(|byte| matches!(*byte, stream::SYNC | stream::SYNC_2));
        let taken = pixels.unwrap_or(wanted.len());
        self.frame.bytes_mut()[row * length + have..][..taken].copy_from_slice(&wanted[..taken]);
        self.place = ParserState::Row(row, have + taken);
        if pixels.is_some() {
            // The row was truncated, and the mark may start the next header.
            self.wrong_row_length = true;
            return self.lose_sync(&bytes[taken..]);
        }
        &bytes[taken..]
    }

    /// Ends the current frame, if there is one: delivers or drops it. `rows` is the frame's height according to the
    /// header that ends the frame; `None` if that header was not received.
    fn finish(&mut self, rows: Option<usize>, deliver: &mut impl FnMut(&mut Frame)) {
        self.place = ParserState::Header(0);
        if self.number.take().is_none() {
            return;
        }
        let height = self.rows_received.len();
        let missing = self.rows_received.iter().filter(|there| !**there).count();
        // Lost bytes change the length of a few rows only. If no row has the expected length, the camera sends frames
        // of another width.
        let other_width = self.wrong_row_length && missing == height;
        if self.excess_row || other_width || rows.is_some_and(|rows| rows != height) {
            self.counts.wrong_size += 1;
        } else if missing * REPAIRABLE > height {
            self.counts.dropped_frames += 1;
        } else {
            self.repair(missing);
            self.counts.frames += 1;
            self.reorder();
            deliver(&mut self.frame);
        }
    }

    /// Replaces each missing row by a copy of the nearest received row above. Missing rows at the top are replaced by
    /// the first received row.
    fn repair(&mut self, missing: usize) {
        if missing == 0 {
            return;
        }
        let length = self.frame.width() * BYTES_PER_PIXEL;
        let mut from = self.rows_received.iter().position(|there| *there).unwrap_or(0);
        for (row, there) in self.rows_received.iter().enumerate() {
            if *there {
                from = row;
            } else {
                self.frame.bytes_mut().copy_within(from * length..(from + 1) * length, row * length);
            }
        }
        self.counts.repaired_rows += missing as u64;
    }

    fn reorder(&mut self) {
        if self.order == PixelOrder::YCbYCr {
            return;
        }
        let places = self.order.places();
        for pair in self.frame.bytes_mut().chunks_exact_mut(4) {
            let sent = [pair[0], pair[1], pair[2], pair[3]];
            for (byte, place) in pair.iter_mut().zip(places) {
                *byte = sent[place];
            }
        }
    }
}

/// Decodes a header to its kind, frame number and value; `None` if the header is invalid. The value is the number of
/// the row, or at the end of a frame the number of rows.
fn read_header(header: &[u8; stream::HEADER]) -> Option<(u8, u16, usize)> {
    let [mark, mark_2, digits @ ..] = header;
    if [*mark, *mark_2] != [stream::SYNC, stream::SYNC_2]
        || digits.iter().any(|d| d & !stream::DIGIT_MASK != stream::DIGIT)
    {
        return None;
    }
    let [kind, n1, n0, v1, v0, check] = digits.map(|d| d & stream::DIGIT_MASK);
    let known = kind == stream::ROW || kind == stream::END;
    let number = |high: u8, low: u8| u16::from(high) << 6 | u16::from(low);
    (known && crc(&[kind, n1, n0, v1, v0]) == check).then(|| (kind, number(n1, n0), usize::from(number(v1, v0))))
}

/// Computes the CRC of five digits of six bits each, bit by bit.
fn crc(digits: &[u8; 5]) -> u8 {
    let bits = digits.iter().flat_map(|digit| (0..6).rev().map(move |bit| digit >> bit & 1));
    bits.fold(stream::CRC_START, |crc, bit| {
        let feedback = crc >> 5 ^ bit;
        (crc << 1 & stream::DIGIT_MASK) ^ (feedback * stream::CRC_POLYNOMIAL)
    })
}

#[cfg(test)]
pub(super) mod tests;

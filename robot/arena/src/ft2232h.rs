//! Model of the shim's camera path, with transmission faults. The shim's logic frames the rows of a picture
//! (`docs/protocols/camera.md`), and an FT2232H sends them in USB packets. The model has no clock. Its caller reports
//! the expiry of the chip's latency timer. In the output, a length of two bytes precedes each packet.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_registers::camera_stream::{self as stream, DIGIT, DIGIT_MASK};
use xpuck_registers::ft2232h::{PAYLOAD, STATUS, STATUS_AT_REST};
use xpuck_registers::yuyv::BYTES_PER_PIXEL;

/// World index for the random numbers of the camera path. The arena itself uses 0.
const WORLD: u32 = 1;
/// Divisor that limits the length of a stall. A stall omits 1 to `rows / LONGEST_STALL + 1` rows of a frame. Most
/// stalls omit more rows than the robot's driver can repair.
const LONGEST_STALL: u32 = 4;

/// Transmission faults of the camera path, as fractions (0..=1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Faults {
    /// Fraction of packets that are lost.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub lost_packets: f32,
    /// Fraction of packets whose payload is replaced by random bytes.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub garbled_packets: f32,
    /// Fraction of frames during which the host pauses reading, so that the shim's logic omits rows.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub stalled_frames: f32,
}

/// Camera path of one robot.
#[derive(Clone, Debug)]
pub struct Ft2232h {
    /// Packet being filled: status bytes, then the payload.
    packet: Vec<u8>,
    number: u16,
    faults: Faults,
    seed: u64,
    robot: u32,
    drawn: u32,
}

impl Ft2232h {
    /// Creates the camera path of robot `robot`.
    pub fn new(faults: Faults, seed: u64, robot: usize) -> Ft2232h {
        Ft2232h { packet: STATUS_AT_REST.to_vec(), number: 0, faults, seed, robot: robot as u32, drawn: 0 }
    }

    /// Sends a frame with rows of `width` pixels. Appends each packet that becomes full to `out`, and keeps the
    /// remaining bytes for the next packet.
    ///
    /// # Panics
    /// If the width is 0.
    pub fn frame(&mut self, pixels: &[u8], width: usize, out: &mut Vec<u8>) {
        let rows = pixels.chunks_exact(width * BYTES_PER_PIXEL);
        let count = rows.len() as u16;
        let stalled = self.stall(count);
        for (row, pixels) in (0..count).zip(rows) {
            if !stalled.contains(&row) {
                self.write(&header(stream::ROW, self.number, row), out);
                for part in pixels.chunks(PAYLOAD) {
                    let mut clamped = [0; PAYLOAD];
                    let clamped = &mut clamped[..part.len()];
                    let (least, greatest) = stream::PIXEL_RANGE;
                    clamped.iter_mut().zip(part).for_each(|(to, from)| *to = *from.clamp(&least, &greatest));
                    self.write(clamped, out);
                }
            }
        }
        self.write(&header(stream::END, self.number, count), out);
        self.number = (self.number + 1) % stream::FRAMES;
    }

    /// Handles the expiry of the latency timer: appends a packet with the waiting bytes to `out`. Without waiting
    /// bytes, the packet contains only the status.
    pub fn flush(&mut self, out: &mut Vec<u8>) {
        let mut draws = self.draws();
        let lost = draws.unit() < self.faults.lost_packets;
        if draws.unit() < self.faults.garbled_packets {
            self.packet[STATUS..].iter_mut().for_each(|byte| *byte = draws.word() as u8);
        }
        if !lost {
            out.extend((self.packet.len() as u16).to_le_bytes());
            out.extend(&self.packet);
        }
        self.packet.truncate(STATUS);
    }

    fn write(&mut self, mut bytes: &[u8], out: &mut Vec<u8>) {
        while !bytes.is_empty() {
            let room = STATUS + PAYLOAD - self.packet.len();
            let (now, later) = bytes.split_at(room.min(bytes.len()));
            self.packet.extend(now);
            bytes = later;
            if now.len() == room {
                self.flush(out);
            }
        }
    }

    /// Returns a random range of rows that the next frame omits. It is empty unless the frame stalls.
    fn stall(&mut self, rows: u16) -> std::ops::Range<u16> {
        let mut draws = self.draws();
        if draws.unit() >= self.faults.stalled_frames {
            return 0..0;
        }
        let first = draws.below(u32::from(rows)) as u16;
        first..first + 1 + draws.below(u32::from(rows) / LONGEST_STALL + 1) as u16
    }

    fn draws(&mut self) -> Draws {
        self.drawn = self.drawn.wrapping_add(1);
        Draws::new(self.seed, WORLD, self.robot, self.drawn, Stream::Device)
    }
}

/// Encodes the header of a row or of a frame's end, in the format of the shim's logic.
fn header(kind: u8, number: u16, value: u16) -> [u8; stream::HEADER] {
    let digits = [u16::from(kind), number >> 6, number, value >> 6, value].map(|d| d as u8 & DIGIT_MASK);
    let check = digits.iter().fold(stream::CRC_START, |crc, digit| CRC[usize::from(crc ^ digit)]);
    let [kind, n1, n0, v1, v0] = digits.map(|digit| DIGIT | digit);
    [stream::SYNC, stream::SYNC_2, kind, n1, n0, v1, v0, DIGIT | check]
}

/// CRC table, indexed by a digit of 6 bits.
const CRC: [u8; 64] = {
    let mut table = [0; 64];
    let mut digit = 0;
    while digit < 64 {
        let (mut crc, mut bit) = (digit as u8, 0);
        while bit < 6 {
            crc <<= 1;
            if crc > DIGIT_MASK {
                crc ^= DIGIT | stream::CRC_POLYNOMIAL;
            }
            bit += 1;
        }
        table[digit] = crc;
        digit += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_registers::camera_stream::{GOLDEN_NUMBER, GOLDEN_PIXELS, GOLDEN_STREAM, HEADER};
    use xpuck_registers::ft2232h::PACKET;

    /// Splits the socket's bytes into packets.
    fn packets(mut bytes: &[u8]) -> Vec<&[u8]> {
        let mut packets = Vec::new();
        while let Some((length, rest)) = bytes.split_first_chunk() {
            let (packet, rest) = rest.split_at(usize::from(u16::from_le_bytes(*length)));
            packets.push(packet);
            bytes = rest;
        }
        packets
    }

    fn stream_of(packets: &[&[u8]]) -> Vec<u8> {
        packets.iter().flat_map(|packet| packet[STATUS..].iter().copied()).collect()
    }

    #[test]
    fn golden_frame_encodes_to_golden_stream() {
        let mut path = Ft2232h { number: GOLDEN_NUMBER, ..Ft2232h::new(Faults::default(), 1, 0) };
        let mut out = Vec::new();
        path.frame(&GOLDEN_PIXELS, 4, &mut out);
        assert!(out.is_empty(), "it waits for the latency timer");
        path.flush(&mut out);
        assert_eq!(out, [&[42, 0, 0x32, 0x60][..], &GOLDEN_STREAM].concat());
        out.clear();
        path.flush(&mut out);
        assert_eq!(out, [2, 0, 0x32, 0x60], "then there is only the status");
    }

    #[test]
    fn full_packets_are_sent_at_once_and_rest_on_latency_timer() {
        let mut path = Ft2232h::new(Faults::default(), 1, 0);
        let mut out = Vec::new();
        // Bytes outside the pixel range are clamped.
        path.frame(&[[0; 200], [0xff; 200]].concat(), 50, &mut out);
        path.frame(&[7; 400], 50, &mut out);
        let length = 2 * (4 * (HEADER + 100) + HEADER);
        assert_eq!(packets(&out).iter().map(|p| p.len()).collect::<Vec<_>>(), [PACKET]);
        path.flush(&mut out);
        let packets = packets(&out);
        assert_eq!(packets[1].len(), STATUS + length - PAYLOAD);
        assert!(packets.iter().all(|packet| packet[..STATUS] == STATUS_AT_REST));
        let stream = stream_of(&packets);
        assert_eq!((stream[HEADER], stream[2 * (HEADER + 100) + HEADER]), (1, 254));
        assert_eq!(stream.iter().filter(|byte| **byte == 0xff).count(), 10, "one for each header");
        assert_eq!(stream[length / 2..][..HEADER], header(stream::ROW, 1, 0));
    }

    #[test]
    fn faults_follow_rates_and_seed() {
        let run = |faults: Faults| {
            let mut path = Ft2232h::new(faults, 3, 2);
            let mut out = Vec::new();
            (0..100).for_each(|_| path.frame(&[9; 160 * 120 * 2], 160, &mut out));
            out
        };
        let none = run(Faults::default());
        let sent = packets(&none).len();
        assert_eq!(sent, 100 * (120 * (HEADER + 320) + HEADER) / PAYLOAD);
        let lossy = Faults { lost_packets: 0.1, ..Faults::default() };
        let lost = sent - packets(&run(lossy)).len();
        assert!(lost.abs_diff(sent / 10) < sent / 50, "{lost} of {sent}");
        assert!(run(lossy) == run(lossy));
        let garbled = run(Faults { garbled_packets: 0.1, ..Faults::default() });
        let changed = packets(&garbled).iter().zip(packets(&none)).filter(|(a, b)| **a != *b).count();
        assert!(changed.abs_diff(sent / 10) < sent / 50, "{changed} of {sent}");
        let stalled = run(Faults { stalled_frames: 0.5, ..Faults::default() });
        let rows = |bytes: &[u8]| stream_of(&packets(bytes)).windows(3).filter(|w| *w == [0xff, 0, 0x41]).count();
        assert_eq!(rows(&none), 100 * 120);
        assert!((9_800..11_800).contains(&rows(&stalled)), "{}", rows(&stalled));
    }
}

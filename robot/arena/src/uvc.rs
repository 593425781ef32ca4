//! The camera of a Pi-puck board: frames in the payloads of a USB video class device, with transmission faults. Each
//! payload contains one row, as with the FT903 chip of the board. The code reads no clock. On the socket, the length
//! of each payload precedes the payload (two bytes, little-endian).

use crate::ft2232h::Faults;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_registers::uvc::{EOF, EOH, ERR, FID, HEADER, PRESENTATION_TIME, PTS};
use xpuck_registers::yuyv::BYTES_PER_PIXEL;

/// World index of this camera path in the space of the random counter. The path of the FT2232H uses 1.
const WORLD: u32 = 2;
/// Length of a payload's header with the presentation time (bytes).
const LENGTH: usize = HEADER + PRESENTATION_TIME;
/// Increment of the presentation time per frame at 15 Hz (us).
const TICKS: u32 = 66_667;

/// Camera of one robot.
#[derive(Clone, Debug)]
pub struct Uvc {
    frames: u32,
    faults: Faults,
    seed: u64,
    robot: u32,
}

impl Uvc {
    /// Creates the camera of robot `robot`.
    pub fn new(faults: Faults, seed: u64, robot: usize) -> Uvc {
        Uvc { frames: 0, faults, seed, robot: robot as u32 }
    }

    /// Appends to `out` the payloads of a frame with rows of `width` pixels. For the fault `lost_packets`, a row is
    /// omitted. For `garbled_packets`, a row is truncated and marked as damaged. For `stalled_frames`, the frame ends
    /// early.
    ///
    /// # Panics
    /// If the width is 0.
    pub fn frame(&mut self, pixels: &[u8], width: usize, out: &mut Vec<u8>) {
        self.frames = self.frames.wrapping_add(1);
        let mut draws = Draws::new(self.seed, WORLD, self.robot, self.frames, Stream::Device);
        let rows = pixels.chunks_exact(width * BYTES_PER_PIXEL);
        let last = rows.len().saturating_sub(1);
        let stalled = draws.unit() < self.faults.stalled_frames;
        let end = if stalled { draws.below(rows.len() as u32) as usize } else { rows.len() };
        for (row, mut bytes) in rows.take(end).enumerate() {
            let mut flags = EOH | PTS | if self.frames % 2 == 1 { FID } else { 0 } | if row == last { EOF } else { 0 };
            let lost = draws.unit() < self.faults.lost_packets;
            if draws.unit() < self.faults.garbled_packets {
                flags |= ERR;
                bytes = &bytes[..draws.below(bytes.len() as u32) as usize];
            }
            if !lost {
                out.extend(((LENGTH + bytes.len()) as u16).to_le_bytes());
                out.extend([LENGTH as u8, flags]);
                out.extend(self.frames.wrapping_mul(TICKS).to_le_bytes());
                out.extend(bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_registers::uvc::{GOLDEN_PAYLOADS, GOLDEN_PIXELS};

    /// Splits the socket's bytes into payloads.
    fn payloads(mut bytes: &[u8]) -> Vec<&[u8]> {
        let mut payloads = Vec::new();
        while let Some((length, rest)) = bytes.split_first_chunk() {
            let (payload, rest) = rest.split_at(usize::from(u16::from_le_bytes(*length)));
            payloads.push(payload);
            bytes = rest;
        }
        payloads
    }

    fn sent(faults: Faults, frames: usize) -> Vec<u8> {
        let mut camera = Uvc::new(faults, 3, 2);
        let mut out = Vec::new();
        (0..frames).for_each(|_| camera.frame(&[9; 32 * 24 * 2], 32, &mut out));
        out
    }

    #[test]
    fn golden_frame_gives_golden_payloads_except_time() {
        let mut camera = Uvc::new(Faults::default(), 1, 0);
        let mut out = Vec::new();
        camera.frame(&GOLDEN_PIXELS, 4, &mut out);
        for (payload, golden) in payloads(&out).iter().zip(GOLDEN_PAYLOADS) {
            assert_eq!((&payload[..2], &payload[LENGTH..]), (&golden[..2], &golden[LENGTH..]));
            assert_eq!(payload[2..LENGTH], TICKS.to_le_bytes());
        }
        assert_eq!(payloads(&out).len(), 2);
        out.clear();
        camera.frame(&GOLDEN_PIXELS, 4, &mut out);
        assert_eq!(payloads(&out)[0][1] & FID, 0, "the next frame has the other identifier");
    }

    #[test]
    fn faults_come_as_often_as_asked_and_the_same_each_time() {
        let all = payloads(&sent(Faults::default(), 400)).len();
        assert_eq!(all, 400 * 24);
        let lossy = Faults { lost_packets: 0.1, ..Faults::default() };
        let lost = all - payloads(&sent(lossy, 400)).len();
        assert!(lost.abs_diff(all / 10) < all / 50, "{lost} of {all}");
        assert!(sent(lossy, 9) == sent(lossy, 9));
        let garbled = sent(Faults { garbled_packets: 0.1, ..Faults::default() }, 400);
        let marked = payloads(&garbled).iter().filter(|payload| payload[1] & ERR > 0).count();
        assert!(marked.abs_diff(all / 10) < all / 50, "{marked} of {all}");
        let stalled = sent(Faults { stalled_frames: 0.5, ..Faults::default() }, 400);
        let ends = payloads(&stalled).iter().filter(|payload| payload[1] & EOF > 0).count();
        assert!((150..250).contains(&ends), "{ends} of 400 frames have an end");
    }
}

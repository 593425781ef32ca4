//! One robot's SPI and camera through the shim's own logic: the verilated Verilog of `fpga/`, simulated clock by clock.
//!
//! It is slow, so its time passes only while something travels: a message and what the Neopixels' line needs after it, or a
//! camera's frame. Between them the logic stands still, so what it measures in its own time (a silent board, a clock that
//! stopped) comes later than in the arena's.

use crate::{Bench, Clocks, Timing};
use std::sync::{Mutex, MutexGuard, PoisonError};
use xpuck_arena::Shim;
use xpuck_registers::spi::Words;
use xpuck_registers::yuyv::BYTES_PER_PIXEL;

/// How long the logic goes on after a message, ps: the strip takes 450 us and 300 us to show it.
const SHOWN: u64 = 800_000_000;
/// How long it goes on after a frame, ps: the FT2232H's latency timer sends the rest.
const FLUSHED: u64 = 2_100_000_000;
/// While SPI messages travel, the clocks of camera and FT2232H stand: nothing of theirs goes on.
const SPI: Clocks = Clocks { system: 48_000_000, camera: 0, usb: 0 };
/// While frames travel, the logic's own clock only counts.
const CAMERA: Clocks = Clocks { system: 1_000_000, camera: 12_000_000, usb: 60_000_000 };
/// Clocks of the pause behind a row.
const PAUSE: usize = 80;

/// The logic of one robot of an arena.
#[derive(Debug)]
pub struct Logic {
    bench: Mutex<Bench>,
    /// Held while a frame goes through, so that two readers of the camera get whole frames, each its own.
    camera: Mutex<()>,
}

impl Default for Logic {
    /// The logic as it is when power comes, and a sensor that has begun to give frames.
    fn default() -> Logic {
        let mut bench = Bench::new(CAMERA);
        bench.vsync(Timing { row: PAUSE, blank_rows: 2 });
        bench.run_camera();
        Logic { bench: Mutex::new(bench), camera: Mutex::new(()) }
    }
}

impl Logic {
    fn lock(&self) -> MutexGuard<'_, Bench> {
        self.bench.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Shim for Logic {
    fn spi(&self, words: &Words, ready: &Words) -> (Vec<u16>, Words) {
        let mut bench = self.lock();
        bench.set_clocks(SPI);
        let exchange = bench.spi(words, ready);
        bench.run(SHOWN);
        (exchange.body, exchange.board)
    }

    fn frame(&self, pixels: &[u8], width: usize, out: &mut Vec<u8>) {
        let _alone = self.camera.lock().unwrap_or_else(PoisonError::into_inner);
        // Row by row, so that an SPI message waits for one row and not for a frame.
        let pieces = pixels.chunks_exact(width * BYTES_PER_PIXEL).map(Some).chain([None]);
        for piece in pieces {
            let mut bench = self.lock();
            bench.set_clocks(CAMERA);
            match piece {
                Some(row) => bench.row(row, PAUSE),
                None => bench.vsync(Timing { row: PAUSE, blank_rows: 2 }),
            }
            bench.run_camera();
            if piece.is_none() {
                bench.run(FLUSHED);
            }
            for packet in bench.packets() {
                out.extend((packet.len() as u16).to_le_bytes());
                out.extend(packet);
            }
        }
    }
}

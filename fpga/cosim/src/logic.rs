//! SPI and camera of one robot through the shim's logic: the verilated Verilog of `fpga/`, simulated clock by clock.
//!
//! The simulation is slow, so its time advances only during a transfer: a message with the following output to the
//! Neopixels, or a camera frame. Between transfers its time stands still, so timeouts of the logic (no messages, a
//! stopped clock) occur later than in arena time.

use crate::{Bench, Clocks, Timing};
use std::sync::{Mutex, MutexGuard, PoisonError};
use xpuck_arena::Shim;
use xpuck_registers::spi::Words;
use xpuck_registers::yuyv::BYTES_PER_PIXEL;

/// Simulated time after a message (ps): 450 us to send the colours, and 300 us until the strip shows them.
const SHOWN: u64 = 800_000_000;
/// Simulated time after a frame (ps): the FT2232H's latency timer sends the remaining bytes.
const FLUSHED: u64 = 2_100_000_000;
/// Clocks during SPI messages: camera and FT2232H are stopped.
const SPI: Clocks = Clocks { system: 48_000_000, camera: 0, usb: 0 };
/// Clocks during frames: the logic's own clock is reduced.
const CAMERA: Clocks = Clocks { system: 1_000_000, camera: 12_000_000, usb: 60_000_000 };
/// Pause after a row (pixel clocks).
const PAUSE: usize = 80;

/// Logic of one robot in an arena.
#[derive(Debug)]
pub struct Logic {
    bench: Mutex<Bench>,
    /// Locked during a frame, so that each of two concurrent frames is transferred completely.
    camera: Mutex<()>,
}

impl Default for Logic {
    /// Creates the logic in its power-up state, with a sensor that has sent its first VSYNC.
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

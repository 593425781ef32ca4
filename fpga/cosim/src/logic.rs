//! SPI bus and camera of one robot, connected through the shim's logic. The logic is the verilated Verilog of `fpga/`.
//! The simulation evaluates it at each clock edge.
//!
//! The simulation is slow, so its time advances only during a transfer. A transfer is either a camera frame, or an
//! SPI message and the subsequent output to the Neopixels. Timeouts of the logic (no messages, a stopped clock)
//! therefore occur later than in arena time.

use crate::{Bench, Clocks, Timing};
use std::sync::{Mutex, MutexGuard, PoisonError};
use xpuck_arena::Shim;
use xpuck_registers::spi::Words;
use xpuck_registers::yuyv::BYTES_PER_PIXEL;

/// Simulated time after an SPI message (ps). The logic needs 450 us to send the colours, and the strip shows them
/// after another 300 us.
const SHOWN: u64 = 800_000_000;
/// Simulated time after a frame (ps). It is longer than the FT2232H's latency timer, so that the remaining bytes are
/// sent.
const FLUSHED: u64 = 2_100_000_000;
/// Clocks during SPI messages. The clocks of the camera and the FT2232H are stopped.
const SPI: Clocks = Clocks { system: 48_000_000, camera: 0, usb: 0 };
/// Clocks during frames. The system clock is slower than on the board, to save simulation time.
const CAMERA: Clocks = Clocks { system: 1_000_000, camera: 12_000_000, usb: 60_000_000 };
/// Pause after a row (pixel clocks).
const PAUSE: usize = 80;

/// Logic between one robot of an arena and its devices.
#[derive(Debug)]
pub struct Logic {
    bench: Mutex<Bench>,
    /// Lock that is held during a frame, so that the rows of concurrent frames are not mixed.
    camera: Mutex<()>,
}

impl Default for Logic {
    /// Creates the logic in its power-up state, with a camera that has sent its first VSYNC.
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
        // The lock is released after each row, so that an SPI message waits for one row and not for a frame.
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

//! The board in simulated time: the logic, its clocks and the connected devices.

use crate::camera::{Camera, Timing};
use crate::chip::{Chip, Host};
use crate::spi::{Exchange, Master};
use crate::strip::Strip;
use crate::verilated::Top;
use xpuck_registers::spi::{WORDS, Words};
use xpuck_registers::yuyv::BYTES_PER_PIXEL;

/// Clock frequencies (Hz); a frequency of 0 stops the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// System clock of the logic (Hz). On the board, a PLL derives it from the oscillator's 12 MHz.
    pub system: u64,
    /// Pixel clock of the camera (Hz).
    pub camera: u64,
    /// Clock of the FT2232H (Hz).
    pub usb: u64,
}

impl Default for Clocks {
    fn default() -> Clocks {
        Clocks { system: 48_000_000, camera: 12_000_000, usb: 60_000_000 }
    }
}

/// Simulated clock.
#[derive(Clone, Copy, Debug)]
struct Clock {
    half: u64,
    next: u64,
    level: u8,
}

/// Time for which the select line is high between two SPI messages (ps).
const SELECT_HIGH: u64 = 1_000_000;
/// Time of an event that never happens (ps).
const FOREVER: u64 = u64::MAX;

impl Clock {
    fn new(hertz: u64, now: u64) -> Clock {
        match hertz {
            0 => Clock { half: 0, next: FOREVER, level: 0 },
            _ => Clock { half: 500_000_000_000 / hertz, next: now, level: 0 },
        }
    }

    /// Returns the new level of the clock if it has an edge at `now` (ps), otherwise `None`.
    fn edge(&mut self, now: u64) -> Option<u8> {
        if self.next != now {
            return None;
        }
        self.next += self.half;
        self.level ^= 1;
        Some(self.level)
    }
}

/// Simulated board.
#[derive(Debug)]
pub struct Bench {
    top: Top,
    now: u64,
    system: Clock,
    camera_clock: Clock,
    usb: Clock,
    camera: Camera,
    chip: Chip,
    master: Option<Master>,
    strip: Strip,
}

impl Bench {
    /// Creates a board that has just been powered up.
    pub fn new(clocks: Clocks) -> Bench {
        let (system, camera_clock) = (Clock::new(clocks.system, 0), Clock::new(clocks.camera, 0));
        let usb = Clock::new(clocks.usb, 0);
        let (camera, chip, strip) = (Camera::default(), Chip::default(), Strip::default());
        Bench { top: Top::new(), now: 0, system, camera_clock, usb, camera, chip, master: None, strip }
    }

    /// Returns the time since power-up (ps).
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Changes the clock frequencies. Transfers in progress continue.
    pub fn set_clocks(&mut self, clocks: Clocks) {
        let keep = |old: Clock, hertz| Clock { level: old.level, ..Clock::new(hertz, self.now + 1) };
        self.system = keep(self.system, clocks.system);
        self.camera_clock = keep(self.camera_clock, clocks.camera);
        self.usb = keep(self.usb, clocks.usb);
    }

    /// Returns the host that reads from the FT2232H.
    pub fn host(&mut self) -> &mut Host {
        &mut self.chip.host
    }

    /// Makes the FT2232H signal a full buffer for `clocks` cycles of its clock.
    pub fn balk(&mut self, clocks: u32) {
        self.chip.balks = clocks;
    }

    /// Returns the USB packets that the host received since the last call, each with its two status bytes.
    pub fn packets(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.chip.packets)
    }

    /// Returns the strip of Neopixels.
    pub fn strip(&self) -> &Strip {
        &self.strip
    }

    /// Sets the external levels of the auxiliary pins.
    pub fn set_aux(&mut self, pins: u16) {
        self.top.pins.aux = pins;
    }

    /// Advances the simulation by `picoseconds`.
    pub fn run(&mut self, picoseconds: u64) {
        let end = self.now + picoseconds;
        while self.step(end).is_none() && self.now < end {}
    }

    /// Runs until the camera has sent all queued rows and frames.
    pub fn run_camera(&mut self) {
        while !self.camera.is_idle() {
            let _ = self.step(self.now + 1_000_000_000);
        }
    }

    /// Queues a VSYNC at the camera, which starts a frame.
    pub fn vsync(&mut self, timing: Timing) {
        self.camera.vsync(timing.row * timing.blank_rows / 2);
    }

    /// Queues a frame at the camera: rows of `width` pixels, then a VSYNC.
    pub fn frame(&mut self, pixels: &[u8], width: usize, timing: Timing) {
        for row in pixels.chunks_exact(width * BYTES_PER_PIXEL) {
            self.camera.row(row, timing.row - row.len());
        }
        self.vsync(timing);
    }

    /// Queues a row of any length at the camera, followed by a pause (pixel clocks).
    pub fn row(&mut self, bytes: &[u8], pause: usize) {
        self.camera.row(bytes, pause);
    }

    /// Queues a row at the camera, followed by a pause (pixel clocks). A new frame starts in the middle of the row.
    pub fn cut_row(&mut self, bytes: &[u8], pause: usize) {
        self.camera.cut(bytes, pause);
    }

    /// Transfers a complete SPI message. `reply` is the message that the dsPIC sends at the same time.
    pub fn spi(&mut self, words: &Words, reply: &Words) -> Exchange {
        self.spi_bits(words, 16 * WORDS, reply)
    }

    /// Transfers the first `bits` bits of an SPI message, then raises the select line.
    pub fn spi_bits(&mut self, words: &[u16], bits: usize, reply: &Words) -> Exchange {
        // The dsPIC requires that the select line is high between two messages.
        self.run(SELECT_HIGH);
        self.master = Some(Master::new(self.now, words, bits, reply, &mut self.top.pins));
        loop {
            if let Some(exchange) = self.step(FOREVER) {
                return exchange;
            }
        }
    }

    /// Processes the next event. If no event occurs up to `end` (ps), only advances the time to `end`. Returns the
    /// exchange of an SPI message if the message ended with this event.
    fn step(&mut self, end: u64) -> Option<Exchange> {
        let spi = self.master.as_ref().map_or(FOREVER, |master| master.next);
        let next = self.system.next.min(self.camera_clock.next).min(self.usb.next).min(spi);
        if next > end {
            self.now = end;
            return None;
        }
        self.now = next;
        if let Some(level) = self.system.edge(next) {
            self.top.pins.osc = level;
        }
        if let Some(level) = self.camera_clock.edge(next) {
            self.top.pins.cam_pclk = level;
            if level == 0 {
                self.camera.falls(&mut self.top.pins);
            }
        }
        if let Some(level) = self.usb.edge(next) {
            if level == 1 {
                self.chip.rises(next, &mut self.top.pins);
            }
            self.top.pins.ft_clkout = level;
        }
        let mut ended = None;
        if let Some(master) = self.master.as_mut().filter(|master| master.next == next) {
            ended = master.edge(&mut self.top.pins);
        }
        if ended.is_some() {
            self.master = None;
        }
        self.top.eval();
        self.strip.watch(next, self.top.pins.pixels);
        ended
    }
}

//! The board: the logic, its clocks and its neighbours in simulated time.

use crate::camera::{Camera, Timing};
use crate::chip::{Chip, Host};
use crate::spi::{Exchange, Master};
use crate::strip::Strip;
use crate::verilated::Top;
use xpuck_registers::spi::{WORDS, Words};
use xpuck_registers::yuyv::BYTES_PER_PIXEL;

/// Frequencies of the clocks, Hz; 0 is one that stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clocks {
    /// The logic's own, which its PLL makes of the oscillator's 12 MHz.
    pub system: u64,
    /// The camera's pixel clock.
    pub camera: u64,
    /// The FT2232H's.
    pub usb: u64,
}

impl Default for Clocks {
    fn default() -> Clocks {
        Clocks { system: 48_000_000, camera: 12_000_000, usb: 60_000_000 }
    }
}

/// One of the clocks: when its next edge comes, and which it is.
#[derive(Clone, Copy, Debug)]
struct Clock {
    half: u64,
    next: u64,
    level: u8,
}

/// Least time for which the select is high between two messages, ps.
const SELECT_HIGH: u64 = 1_000_000;
/// Never.
const FOREVER: u64 = u64::MAX;

impl Clock {
    fn new(hertz: u64, now: u64) -> Clock {
        match hertz {
            0 => Clock { half: 0, next: FOREVER, level: 0 },
            _ => Clock { half: 500_000_000_000 / hertz, next: now, level: 0 },
        }
    }

    /// The edge that comes now, if one does.
    fn edge(&mut self, now: u64) -> Option<u8> {
        if self.next != now {
            return None;
        }
        self.next += self.half;
        self.level ^= 1;
        Some(self.level)
    }
}

/// The board.
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
    /// A board that was just switched on.
    pub fn new(clocks: Clocks) -> Bench {
        let (system, camera_clock) = (Clock::new(clocks.system, 0), Clock::new(clocks.camera, 0));
        let usb = Clock::new(clocks.usb, 0);
        let (camera, chip, strip) = (Camera::default(), Chip::default(), Strip::default());
        Bench { top: Top::new(), now: 0, system, camera_clock, usb, camera, chip, master: None, strip }
    }

    /// Time since it was switched on, ps.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// Other clocks from now on; what travels goes on.
    pub fn set_clocks(&mut self, clocks: Clocks) {
        let keep = |old: Clock, hertz| Clock { level: old.level, ..Clock::new(hertz, self.now + 1) };
        self.system = keep(self.system, clocks.system);
        self.camera_clock = keep(self.camera_clock, clocks.camera);
        self.usb = keep(self.usb, clocks.usb);
    }

    /// The host behind the FT2232H.
    pub fn host(&mut self) -> &mut Host {
        &mut self.chip.host
    }

    /// The FT2232H says for so many of its clocks that it is full.
    pub fn balk(&mut self, clocks: u32) {
        self.chip.balks = clocks;
    }

    /// The USB packets that the host got since this was asked last, each with its two status bytes.
    pub fn packets(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.chip.packets)
    }

    /// The strip of Neopixels.
    pub fn strip(&self) -> &Strip {
        &self.strip
    }

    /// What is on the auxiliary pins from outside.
    pub fn set_aux(&mut self, pins: u16) {
        self.top.pins.aux = pins;
    }

    /// Time passes, ps.
    pub fn run(&mut self, picoseconds: u64) {
        let end = self.now + picoseconds;
        while self.step(end).is_none() && self.now < end {}
    }

    /// The camera sends what it has to send.
    pub fn run_camera(&mut self) {
        while !self.camera.is_idle() {
            let _ = self.step(self.now + 1_000_000_000);
        }
    }

    /// The sensor starts: a frame begins.
    pub fn vsync(&mut self, timing: Timing) {
        self.camera.vsync(timing.row * timing.blank_rows / 2);
    }

    /// A frame of rows of `width` pixels, and the VSYNC behind it, are queued at the camera.
    pub fn frame(&mut self, pixels: &[u8], width: usize, timing: Timing) {
        for row in pixels.chunks_exact(width * BYTES_PER_PIXEL) {
            self.camera.row(row, timing.row - row.len());
        }
        self.vsync(timing);
    }

    /// A row of any length is queued at the camera, with a pause behind it.
    pub fn row(&mut self, bytes: &[u8], pause: usize) {
        self.camera.row(bytes, pause);
    }

    /// A row in the middle of which a new frame begins.
    pub fn cut_row(&mut self, bytes: &[u8], pause: usize) {
        self.camera.cut(bytes, pause);
    }

    /// A whole SPI message: what the board sends, and what the dsPIC has ready.
    pub fn spi(&mut self, words: &Words, reply: &Words) -> Exchange {
        self.spi_bits(words, 16 * WORDS, reply)
    }

    /// A message of so many bits.
    pub fn spi_bits(&mut self, words: &[u16], bits: usize, reply: &Words) -> Exchange {
        // Between two messages the select is high for a while.
        self.run(SELECT_HIGH);
        self.master = Some(Master::new(self.now, words, bits, reply, &mut self.top.pins));
        loop {
            if let Some(exchange) = self.step(FOREVER) {
                return exchange;
            }
        }
    }

    /// What happens next, but nothing behind `end`; gives a message that has ended.
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

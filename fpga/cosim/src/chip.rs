//! An FT2232H in the mode of the synchronous 245 FIFO, and the host behind it.

use crate::verilated::Pins;
use std::collections::VecDeque;
use std::ops::Range;
use xpuck_registers::ft2232h::{PAYLOAD, STATUS_AT_REST};

/// Bytes that the chip holds for the host.
const BUFFER: usize = 4096;
/// Shortest time from packet to packet, ps: 40 MB/s, what such chips reach.
const PACKET: u64 = 12_800_000;
/// The latency timer, ps.
const LATENCY: u64 = 2_000_000_000;

/// When the host takes packets.
#[derive(Clone, Debug, Default)]
pub struct Host {
    /// Stretches of time in which it takes nothing, ps; in order.
    pub absent: VecDeque<Range<u64>>,
}

/// The chip.
#[derive(Clone, Debug)]
pub(crate) struct Chip {
    buffer: VecDeque<u8>,
    pub(crate) host: Host,
    pub(crate) packets: Vec<Vec<u8>>,
    full: bool,
    /// Clocks for which it says that it is full although it is not, as it does now and then.
    pub(crate) balks: u32,
    next_packet: u64,
    sent: u64,
}

impl Default for Chip {
    fn default() -> Chip {
        let (buffer, packets) = (VecDeque::with_capacity(BUFFER), Vec::new());
        Chip { buffer, host: Host::default(), packets, full: false, balks: 0, next_packet: 0, sent: 0 }
    }
}

impl Chip {
    /// The rising edge of its clock: takes the byte that stands on the pins if WR# and its own TXE# were low, and then
    /// says whether it is full.
    pub(crate) fn rises(&mut self, now: u64, pins: &mut Pins) {
        if pins.ft_wr_n == 0 && !self.full {
            self.buffer.push_back(pins.ft_d);
        }
        self.serve(now);
        self.balks = self.balks.saturating_sub(1);
        self.full = self.buffer.len() == BUFFER || self.balks > 0;
        pins.ft_txe_n = u8::from(self.full);
    }

    /// The host takes what is there.
    fn serve(&mut self, now: u64) {
        if now < self.next_packet {
            return;
        }
        while self.host.absent.front().is_some_and(|range| range.end <= now) {
            self.host.absent.pop_front();
        }
        if self.host.absent.front().is_some_and(|range| range.contains(&now)) {
            return;
        }
        let length = match self.buffer.len() {
            PAYLOAD.. => PAYLOAD,
            _ if now < self.sent + LATENCY => return,
            fewer => fewer,
        };
        self.packets.push(STATUS_AT_REST.into_iter().chain(self.buffer.drain(..length)).collect());
        (self.sent, self.next_packet) = (now, now + PACKET);
    }
}

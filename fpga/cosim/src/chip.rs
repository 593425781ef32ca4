//! FT2232H in the synchronous 245 FIFO mode, and the host that reads from it.

use crate::verilated::Pins;
use std::collections::VecDeque;
use std::ops::Range;
use xpuck_registers::ft2232h::{PAYLOAD, STATUS_AT_REST};

/// Buffer size of the FT2232H (bytes).
const BUFFER: usize = 4096;
/// Minimum interval between two packets (ps). It corresponds to 40 MB/s, the practical rate of such chips.
const PACKET: u64 = 12_800_000;
/// Period of the latency timer, after which the chip sends a packet that is not full (ps).
const LATENCY: u64 = 2_000_000_000;

/// Availability of the USB host.
#[derive(Clone, Debug, Default)]
pub struct Host {
    /// Intervals in which the host takes no packets (ps), in ascending order.
    pub absent: VecDeque<Range<u64>>,
}

/// Simulated FT2232H.
#[derive(Clone, Debug)]
pub(crate) struct Chip {
    buffer: VecDeque<u8>,
    pub(crate) host: Host,
    pub(crate) packets: Vec<Vec<u8>>,
    full: bool,
    /// Remaining clock cycles in which the chip signals a full buffer although it has room, as real chips sometimes
    /// do.
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
    /// Processes a rising edge of the chip's clock at `now` (ps). The chip takes the byte on the pins if WR# and TXE#
    /// were low. Then TXE# is updated.
    pub(crate) fn rises(&mut self, now: u64, pins: &mut Pins) {
        if pins.ft_wr_n == 0 && !self.full {
            self.buffer.push_back(pins.ft_d);
        }
        self.serve(now);
        self.balks = self.balks.saturating_sub(1);
        self.full = self.buffer.len() == BUFFER || self.balks > 0;
        pins.ft_txe_n = u8::from(self.full);
    }

    /// Sends a packet to the host if enough data is available, or if the latency timer has expired.
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

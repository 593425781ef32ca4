//! SPI messages through the logic, with the board as master and the dsPIC as slave.

use crate::verilated::Pins;
use xpuck_registers::spi::{CLOCK_HZ, GAP_CLOCKS, WORDS, Words};

/// Half a period of the SPI clock (ps).
const HALF: u64 = 500_000_000_000 / CLOCK_HZ as u64;
/// Time from the last edge of a word to the first edge of the next word (ps).
const GAP: u64 = GAP_CLOCKS as u64 * 2 * HALF;

/// Words that the two sides of an SPI message received.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Words that the board received.
    pub board: Words,
    /// Complete words that the dsPIC received.
    pub body: Vec<u16>,
}

/// SPI message in transfer.
#[derive(Clone, Debug)]
pub(crate) struct Master {
    words: Vec<u16>,
    reply: Words,
    /// Number of bits to transfer before the select line rises.
    bits: usize,
    /// Number of transferred bits.
    at: usize,
    /// Time of the next edge (ps).
    pub(crate) next: u64,
    board: Words,
    body: Words,
    done: bool,
}

impl Master {
    /// Starts a message by lowering the select line. The subsequent edges transfer the first `bits` bits of `words`,
    /// the most significant bit of each word first.
    pub(crate) fn new(now: u64, words: &[u16], bits: usize, reply: &Words, pins: &mut Pins) -> Master {
        pins.host_ss_n = 0;
        let (words, next) = (words.to_vec(), now + 5 * HALF);
        Master { words, reply: *reply, bits, at: 0, next, board: [0; WORDS], body: [0; WORDS], done: bits == 0 }
    }

    /// Processes the next edge. Returns the received words once the select line has risen.
    pub(crate) fn edge(&mut self, pins: &mut Pins) -> Option<Exchange> {
        if self.done {
            pins.host_ss_n = 1;
            let body = self.body[..(self.at / 16).min(WORDS)].to_vec();
            return Some(Exchange { board: self.board, body });
        }
        let (word, bit) = (self.at / 16, 15 - self.at % 16);
        if pins.host_sck == 0 {
            // The board and the dsPIC output their next bits.
            pins.host_sck = 1;
            pins.host_mosi = (self.words.get(word).copied().unwrap_or(0) >> bit & 1) as u8;
            pins.body_miso = (self.reply.get(word).copied().unwrap_or(0) >> bit & 1) as u8;
            self.next += HALF;
        } else {
            pins.host_sck = 0;
            if word < WORDS {
                self.board[word] |= u16::from(pins.host_miso) << bit;
                self.body[word] |= u16::from(pins.body_mosi) << bit;
            }
            self.at += 1;
            self.done = self.at == self.bits;
            self.next += if self.at.is_multiple_of(16) { GAP } else { HALF };
        }
        None
    }
}

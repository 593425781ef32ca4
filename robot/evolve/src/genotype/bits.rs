//! Bit strings from which a grammar generates trees (thesis 3.2.1).

use serde::{Deserialize, Serialize};
use xpuck_kernels::random::Draws;

/// Bit string of one or more whole bytes. The first bit is the most significant bit of the first byte.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Bits {
    bytes: Vec<u8>,
}

impl Bits {
    /// Creates a string of zeros. `length` (bits) is rounded up to whole bytes.
    pub fn zero(length: usize) -> Bits {
        Bits { bytes: vec![0; length.div_ceil(8).max(1)] }
    }

    /// Creates a string of random bits. `length` (bits) is rounded up to whole bytes.
    pub fn random(length: usize, draws: &mut Draws) -> Bits {
        let mut bits = Bits::zero(length);
        bits.bytes.iter_mut().for_each(|byte| *byte = draws.below(256) as u8);
        bits
    }

    /// Returns the number of bits.
    pub fn length(&self) -> usize {
        self.bytes.len() * 8
    }

    /// Returns the bit at a position. A position past the end wraps around.
    pub fn get(&self, at: usize) -> bool {
        let at = at % self.length();
        self.bytes[at / 8] >> (7 - at % 8) & 1 == 1
    }

    /// Inverts the bit at a position, which must be within the string.
    pub fn flip(&mut self, at: usize) {
        self.bytes[at / 8] ^= 1 << (7 - at % 8);
    }

    /// Returns both strings with their tails exchanged at a random position (one-point crossover).
    pub fn exchange(&self, other: &Bits, draws: &mut Draws) -> (Bits, Bits) {
        let cut = draws.below(self.length() as u32) as usize;
        let (mut a, mut b) = (self.clone(), other.clone());
        for at in cut..self.length().min(other.length()) {
            if a.get(at) != b.get(at) {
                a.flip(at);
                b.flip(at);
            }
        }
        (a, b)
    }

    /// Inverts each bit with probability `rate`.
    pub fn mutate(&mut self, rate: f32, draws: &mut Draws) {
        for at in 0..self.length() {
            if draws.unit() < rate {
                self.flip(at);
            }
        }
    }
}

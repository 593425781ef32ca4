//! Checks of a message, which are a CRC and a sum.

use super::{CRC, CRC_POLYNOMIAL, CRC_START, SUM, Words};
use std::fmt;

/// Reason for rejecting a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpiError {
    /// CRC error: word 30 is not the CRC of words 0..=29.
    Crc {
        /// CRC in the message.
        found: u16,
        /// CRC computed from the words of the message.
        computed: u16,
    },
    /// Sum error: word 28 is not the sum of words 0..=27 and 29.
    Sum {
        /// Sum in the message.
        found: u16,
        /// Sum computed from the words of the message.
        computed: u16,
    },
}

impl fmt::Display for SpiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (word, name, found, computed) = match self {
            SpiError::Crc { found, computed } => (CRC, "CRC", found, computed),
            SpiError::Sum { found, computed } => (SUM, "sum", found, computed),
        };
        write!(f, "SPI word {word} holds {name} {found:#06x}, but the other words give {computed:#06x}")
    }
}

impl std::error::Error for SpiError {}

/// Table for computing the CRC byte by byte. Each entry is the state of the CRC register after eight steps, for a value
/// of its upper byte.
const CRC_OF_BYTE: [u16; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < table.len() {
        let mut crc = (byte as u16) << 8;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 0x8000 != 0 { crc << 1 ^ CRC_POLYNOMIAL } else { crc << 1 };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
};

/// Computes the CRC-16/CCITT-FALSE of words as big-endian bytes.
pub fn crc(words: &[u16]) -> u16 {
    let bytes = words.iter().flat_map(|w| w.to_be_bytes());
    bytes.fold(CRC_START, |crc, byte| crc << 8 ^ CRC_OF_BYTE[usize::from((crc >> 8) as u8 ^ byte)])
}

/// Computes the sum of all words before the CRC, except the sum itself. With a 16-bit CRC alone, about one in 65536
/// messages with several wrong words is accepted. The sum costs one addition per word, and reduces this rate to about
/// one in 2^32.
pub fn sum(words: &Words) -> u16 {
    words[..CRC].iter().fold(0u16, |sum, w| sum.wrapping_add(*w)).wrapping_sub(words[SUM])
}

/// Sets the sum and the CRC of a message.
pub(super) fn seal(mut words: Words) -> Words {
    words[SUM] = sum(&words);
    words[CRC] = crc(&words[..CRC]);
    words
}

/// Verifies the CRC and the sum of a message.
pub(super) fn check(words: &Words) -> Result<(), SpiError> {
    let (found, computed) = (words[CRC], crc(&words[..CRC]));
    if found != computed {
        return Err(SpiError::Crc { found, computed });
    }
    let (found, computed) = (words[SUM], sum(words));
    if found == computed { Ok(()) } else { Err(SpiError::Sum { found, computed }) }
}

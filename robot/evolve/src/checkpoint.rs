//! A state of evolution as bytes that know what they are: whole or not, of which format, of which configuration.
//!
//! A header of 28 bytes, little endian: magic "XPUCKCHK", format u32, configuration u32, length of the body u64,
//! CRC-32 u32 of the header before it and the body. The body is the state in postcard's encoding. The caller brings the
//! bytes to and from a disk.

use serde::{Serialize, de::DeserializeOwned};

/// The format that this program writes and reads. It counts up whenever any state that is kept changes its shape.
pub const FORMAT: u32 = 5;

const MAGIC: &[u8; 8] = b"XPUCKCHK";
const HEADER: usize = 28;
/// Where in the header the checksum stands.
const CHECKSUM: usize = 24;

/// Why bytes are no checkpoint that can be gone on from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// It begins with something else.
    #[error("is no checkpoint")]
    Foreign,
    /// Written in another format.
    #[error("has format {0}, and this program reads format {FORMAT}; go on with the version that wrote it")]
    Format(u32),
    /// It ends too early, or something follows it.
    #[error("has {found} bytes where its header says {expected}")]
    Length {
        /// Bytes there are.
        found: u64,
        /// Bytes there should be.
        expected: u64,
    },
    /// The checksum does not fit.
    #[error("is corrupt: its checksum is wrong")]
    Corrupt,
    /// It was made with another configuration.
    #[error("belongs to another configuration")]
    Configuration,
    /// The body is no state.
    #[error("holds no state of this program; go on with the version that wrote it")]
    State,
}

/// A state as bytes. `configuration` is a number that another configuration would not have: see [`fingerprint`].
///
/// # Panics
/// If the state holds something that postcard cannot encode, which is a programmer's error.
pub fn to_bytes<T: Serialize>(state: &T, configuration: u32) -> Vec<u8> {
    let mut bytes = postcard::to_extend(state, vec![0; HEADER]).expect("states are plain data");
    let length = (bytes.len() - HEADER) as u64;
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..12].copy_from_slice(&FORMAT.to_le_bytes());
    bytes[12..16].copy_from_slice(&configuration.to_le_bytes());
    bytes[16..CHECKSUM].copy_from_slice(&length.to_le_bytes());
    let checksum = checksum(&bytes).to_le_bytes();
    bytes[CHECKSUM..HEADER].copy_from_slice(&checksum);
    bytes
}

/// Reads a state of this configuration.
///
/// # Errors
/// What of the header is not as it should be, the first in the order of [`CheckpointError`].
pub fn from_bytes<T: DeserializeOwned>(bytes: &[u8], configuration: u32) -> Result<T, CheckpointError> {
    if !bytes.starts_with(&MAGIC[..bytes.len().min(8)]) {
        return Err(CheckpointError::Foreign);
    }
    if bytes.len() < HEADER {
        return Err(CheckpointError::Length { found: bytes.len() as u64, expected: HEADER as u64 });
    }
    let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    if word(8) != FORMAT {
        return Err(CheckpointError::Format(word(8)));
    }
    let body = u64::from(word(16)) | u64::from(word(20)) << 32;
    let expected = body.saturating_add(HEADER as u64);
    if bytes.len() as u64 != expected {
        return Err(CheckpointError::Length { found: bytes.len() as u64, expected });
    }
    if word(CHECKSUM) != checksum(bytes) {
        return Err(CheckpointError::Corrupt);
    }
    if word(12) != configuration {
        return Err(CheckpointError::Configuration);
    }
    match postcard::take_from_bytes(&bytes[HEADER..]) {
        Ok((state, [])) => Ok(state),
        _ => Err(CheckpointError::State),
    }
}

/// The number by which a checkpoint knows its configuration: the CRC-32 of all texts that make it.
pub fn fingerprint<'a>(texts: impl IntoIterator<Item = &'a str>) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for text in texts {
        // With its length, so that what moves from one text to the next is noticed.
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize()
}

/// Of all but the checksum itself.
fn checksum(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes[..CHECKSUM]);
    hasher.update(&bytes[HEADER..]);
    hasher.finalize()
}

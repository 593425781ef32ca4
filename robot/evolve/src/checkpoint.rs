//! State of evolution as bytes. A reader can validate the completeness, format and configuration of the bytes.
//!
//! The header has 28 bytes, little endian: magic "XPUCKCHK", format u32, configuration u32, length of the body u64,
//! and CRC-32 u32 of the preceding header bytes and the body. The body is the state in postcard encoding. The caller
//! reads and writes the file.

use serde::{Serialize, de::DeserializeOwned};

/// Number of the format that this program writes and reads. It increases whenever the layout of any saved state
/// changes.
pub const FORMAT: u32 = 6;

const MAGIC: &[u8; 8] = b"XPUCKCHK";
const HEADER: usize = 28;
/// Offset of the checksum in the header (bytes).
const CHECKSUM: usize = 24;

/// Reason why a checkpoint cannot be resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckpointError {
    /// The magic number is missing.
    #[error("is not a checkpoint")]
    Foreign,
    /// The checkpoint has another format.
    #[error("has format {0}, but this program reads format {FORMAT}; resume with the version that wrote it")]
    Format(u32),
    /// The bytes are too few or too many.
    #[error("has {found} bytes, but its header announces {expected}")]
    Length {
        /// Actual length (bytes).
        found: u64,
        /// Length according to the header (bytes).
        expected: u64,
    },
    /// The checksum is wrong.
    #[error("is corrupt: its checksum is wrong")]
    Corrupt,
    /// The checkpoint belongs to another configuration.
    #[error("belongs to another configuration")]
    Configuration,
    /// The body cannot be decoded as a state.
    #[error("cannot be decoded by this version; resume with the version that wrote it")]
    State,
}

/// Encodes a state as a checkpoint. `configuration` is the [`fingerprint`] of the configuration.
///
/// # Panics
/// If the state contains a value that postcard cannot encode, which is a programming error.
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

/// Decodes a state. `configuration` must equal the fingerprint in the checkpoint.
///
/// # Errors
/// Returns the first fault, in the order magic number, format, length, checksum, configuration, body.
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

/// Computes the number that identifies a configuration: the CRC-32 of all its texts.
pub fn fingerprint<'a>(texts: impl IntoIterator<Item = &'a str>) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    for text in texts {
        // The length of each text is included, so that moving characters from one text to the next changes the result.
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.finalize()
}

/// Computes the CRC-32 of the header without the checksum, and of the body.
fn checksum(bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&bytes[..CHECKSUM]);
    hasher.update(&bytes[HEADER..]);
    hasher.finalize()
}

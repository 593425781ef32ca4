//! Random tokens, and random session numbers. A session number distinguishes one start of a program from another.

use crate::file::FileError;
use crate::signed::hex;
use rand::TryRng;
use rand::rngs::SysRng;

/// Returns a random session number for the start of a program. It is not 0, and has at most 53 bits, which JSON numbers
/// represent exactly.
///
/// # Errors
/// The system provides no random numbers.
pub fn fresh_session() -> Result<u64, FileError> {
    let number =
        SysRng.try_next_u64().map_err(|e| FileError::value("session", format!("cannot get random numbers: {e}")))?;
    Ok((number >> 11).max(1))
}

/// Returns 32 unpredictable random bytes as 64 hexadecimal digits.
///
/// # Errors
/// The system provides no random numbers.
pub fn fresh_token() -> Result<String, FileError> {
    let mut bytes = [0; 32];
    SysRng
        .try_fill_bytes(&mut bytes)
        .map_err(|e| FileError::value("token", format!("cannot get random numbers: {e}")))?;
    Ok(hex(&bytes))
}

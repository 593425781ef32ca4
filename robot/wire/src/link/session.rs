//! Numbers by which two starts of one program are told apart.

use crate::file::FileError;
use crate::signed::hex;
use rand::TryRng;
use rand::rngs::SysRng;

/// A session number for a robot that starts: random, not 0, and of 53 bits, which a number of JSON holds.
///
/// # Errors
/// If the system gives no random numbers.
pub fn fresh_session() -> Result<u64, FileError> {
    let number = SysRng.try_next_u64().map_err(|e| FileError::value("session", format!("no random numbers: {e}")))?;
    Ok((number >> 11).max(1))
}

/// Random bytes that nobody can guess, in 64 hexadecimal digits.
///
/// # Errors
/// If the system gives no random numbers.
pub fn fresh_token() -> Result<String, FileError> {
    let mut bytes = [0; 32];
    SysRng.try_fill_bytes(&mut bytes).map_err(|e| FileError::value("token", format!("no random numbers: {e}")))?;
    Ok(hex(&bytes))
}

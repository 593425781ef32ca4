//! `run.state`: what a hub needs to go on with a run after it was killed. It is renewed every second, and is there only
//! while the run goes on.

use super::RecordError;
use crate::swarm::atomic;
use crate::switchboard::Kept;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Its name.
pub const STATE_FILE: &str = "run.state";
/// A hub that returns later than this leaves the run alone.
pub const RETURN_WITHIN: Duration = Duration::from_secs(60);
/// What it begins with: a name and the format's number.
const MAGIC: &[u8; 8] = b"XPUCKRS2";

#[derive(Serialize, Deserialize)]
struct Stamped<K> {
    unix_ms: u64,
    kept: K,
}

/// Wall time, ms since 1970.
pub fn unix_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_millis() as u64)
}

/// Puts the state beside the record, whole.
///
/// # Errors
/// What the disk says.
pub fn write(directory: &Path, kept: &Kept, unix_ms: u64) -> Result<(), RecordError> {
    let fail = |error: String| RecordError::of(directory, error);
    let data = postcard::to_stdvec(&Stamped { unix_ms, kept }).map_err(|error| fail(error.to_string()))?;
    let bytes = [MAGIC.as_slice(), &crc32fast::hash(&data).to_le_bytes(), &data].concat();
    atomic::write(&directory.join(STATE_FILE), &bytes).map_err(|error| fail(error.to_string()))
}

/// Reads the state, and when it was written.
///
/// # Errors
/// If there is none, or it is not whole.
pub fn read(directory: &Path) -> Result<(u64, Kept), RecordError> {
    let fail = |error: &str| RecordError::of(&directory.join(STATE_FILE), error);
    let bytes = std::fs::read(directory.join(STATE_FILE)).map_err(|error| fail(&error.to_string()))?;
    let data = bytes.strip_prefix(MAGIC).and_then(|rest| rest.split_first_chunk::<4>());
    let (checksum, data) = data.ok_or_else(|| fail("is no state of a run"))?;
    if crc32fast::hash(data) != u32::from_le_bytes(*checksum) {
        return Err(fail("has a wrong checksum"));
    }
    let read: Stamped<Kept> = postcard::from_bytes(data).map_err(|error| fail(&error.to_string()))?;
    Ok((read.unix_ms, read.kept))
}

/// Forgets the state. One that is not there needs no forgetting.
pub fn remove(directory: &Path) {
    let _ = std::fs::remove_file(directory.join(STATE_FILE));
}

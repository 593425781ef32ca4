//! `run.state`: state of a run, with which a hub can resume the run after the previous hub was killed. The file is
//! rewritten every second, and exists only during the run.

use super::read::entries_of;
use super::{RecordError, open_file, part_number, parts};
use crate::container::reader::Reader;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::Path;
use xpuck_hub_core::entry::Entry;
use xpuck_hub_core::switchboard::Snapshot;
use xpuck_wire::{atomic, file};

/// Name of the state file in the run's directory.
pub const STATE_FILE: &str = "run.state";
/// Maximum length of the state file (bytes).
const LONGEST: u64 = 64 << 20;
/// Magic bytes of the state file: a name and the format number.
const MAGIC: &[u8; 8] = b"XPUCKRS6";

/// End of the record at the time when a state was written. The record of a killed hub may be longer, because a full
/// chunk is written before the next state.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reach {
    /// Number of the last file of the record, from 1.
    pub part: u32,
    /// Length of that last file (bytes).
    pub bytes: u64,
}

#[derive(Serialize, Deserialize)]
struct Stamped<K> {
    unix_ms: u64,
    reach: Reach,
    kept: K,
}

/// Writes the state atomically to the run's directory.
///
/// # Errors
/// On an I/O error.
pub fn write(directory: &Path, kept: &Snapshot, unix_ms: u64, reach: Reach) -> Result<(), RecordError> {
    let fail = |error: String| RecordError::new(directory, error);
    let data = postcard::to_stdvec(&Stamped { unix_ms, reach, kept }).map_err(|error| fail(error.to_string()))?;
    let bytes = [MAGIC.as_slice(), &crc32fast::hash(&data).to_le_bytes(), &data].concat();
    atomic::write(&directory.join(STATE_FILE), &bytes).map_err(|error| fail(error.to_string()))
}

/// Reads the part of the record that was written after the state `kept`, and adds its generations to `kept`, so that
/// they are not recorded again. `reach` is the end of the record at the time of the state.
///
/// # Errors
/// On an I/O error.
pub fn catch_up(directory: &Path, kept: &mut Snapshot, reach: Reach) -> Result<(), RecordError> {
    for path in parts(directory)? {
        let number =
            path.file_name().and_then(|name| part_number(&name.to_string_lossy())).map_or(0, |(number, _)| number);
        if number < reach.part {
            continue;
        }
        let from = if number == reach.part { reach.bytes } else { 0 };
        let wrong = |error| RecordError::new(&path, error);
        let mut reader = Reader::behind(open_file(&path)?, from).map_err(wrong)?;
        while let Some(chunk) = reader.next_chunk().map_err(wrong)? {
            for entry in entries_of(&chunk.records, &chunk.meanings) {
                if let Entry::Genes { robot, generation, emigrant, .. } = entry {
                    kept.recorded(&robot, generation, &emigrant);
                }
            }
        }
    }
    Ok(())
}

/// Result of reading a state.
pub enum State {
    /// The state file does not exist.
    Missing,
    /// The state is damaged, for the given reason.
    Damaged(String),
    /// The state is valid. Contains the time of writing (ms since 1970), the end of the record at that time, and the
    /// state.
    Whole(u64, Reach, Box<Snapshot>),
}

impl State {
    /// Returns the time of writing (ms since 1970) and the state; `None` if the state is missing or damaged.
    pub fn whole(self) -> Option<(u64, Snapshot)> {
        match self {
            State::Whole(unix_ms, _, kept) => Some((unix_ms, *kept)),
            State::Missing | State::Damaged(_) => None,
        }
    }
}

/// Reads the state of a run.
///
/// # Errors
/// If the file cannot be read, for a reason other than that it does not exist.
pub fn read(directory: &Path) -> Result<State, RecordError> {
    let path = directory.join(STATE_FILE);
    match file::bytes(&path, LONGEST) {
        Ok(bytes) => Ok(whole(&bytes).unwrap_or_else(State::Damaged)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(State::Missing),
        Err(error) => Err(RecordError::new(&path, error)),
    }
}

fn whole(bytes: &[u8]) -> Result<State, String> {
    let data = bytes.strip_prefix(MAGIC).and_then(|rest| rest.split_first_chunk::<4>());
    let (checksum, data) = data.ok_or("is not the state of a run")?;
    if crc32fast::hash(data) != u32::from_le_bytes(*checksum) {
        return Err("has a wrong checksum".into());
    }
    let read: Stamped<Snapshot> = postcard::from_bytes(data).map_err(|error| error.to_string())?;
    Ok(State::Whole(read.unix_ms, read.reach, Box::new(read.kept)))
}

/// Removes the state file, if it exists.
///
/// # Errors
/// If the file cannot be removed. A hub that starts later may then resume the run.
pub fn remove(directory: &Path) -> Result<(), RecordError> {
    let path = directory.join(STATE_FILE);
    atomic::remove(&path).map_err(|error| RecordError::new(&path, error))
}

//! `run.state`: what a hub needs to go on with a run after it was killed. It is renewed every second, and is there only
//! while the run goes on.

use super::read::entries_of;
use super::{RecordError, open_file, part_number, parts};
use crate::container::reader::Reader;
use serde::{Deserialize, Serialize};
use std::io::ErrorKind;
use std::path::Path;
use xpuck_hub_core::entry::Entry;
use xpuck_hub_core::switchboard::Snapshot;
use xpuck_wire::{atomic, file};

/// Its name.
pub const STATE_FILE: &str = "run.state";
/// Longest state that is read, bytes.
const LONGEST: u64 = 64 << 20;
/// What it begins with: a name and the format's number.
const MAGIC: &[u8; 8] = b"XPUCKRS6";

/// How far the record reached when a state was kept. It may reach further when its hub is killed: a chunk that is full does
/// not wait for the next state.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reach {
    /// Number of the file, from 1.
    pub part: u32,
    /// Bytes of it.
    pub bytes: u64,
}

#[derive(Serialize, Deserialize)]
struct Stamped<K> {
    unix_ms: u64,
    reach: Reach,
    kept: K,
}

/// Puts the state beside the record, whole.
///
/// # Errors
/// What the disk says.
pub fn write(directory: &Path, kept: &Snapshot, unix_ms: u64, reach: Reach) -> Result<(), RecordError> {
    let fail = |error: String| RecordError::of(directory, error);
    let data = postcard::to_stdvec(&Stamped { unix_ms, reach, kept }).map_err(|error| fail(error.to_string()))?;
    let bytes = [MAGIC.as_slice(), &crc32fast::hash(&data).to_le_bytes(), &data].concat();
    atomic::write(&directory.join(STATE_FILE), &bytes).map_err(|error| fail(error.to_string()))
}

/// Tells the state of the generations that are in the record behind its reach, so that they are not recorded again.
///
/// # Errors
/// What the disk says.
pub fn catch_up(directory: &Path, kept: &mut Snapshot, reach: Reach) -> Result<(), RecordError> {
    for path in parts(directory)? {
        let number =
            path.file_name().and_then(|name| part_number(&name.to_string_lossy())).map_or(0, |(number, _)| number);
        if number < reach.part {
            continue;
        }
        let from = if number == reach.part { reach.bytes } else { 0 };
        let wrong = |error| RecordError::of(&path, error);
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

/// What there is of a state.
pub enum State {
    /// There is none.
    Missing,
    /// It is not whole, and why.
    Damaged(String),
    /// When it was written, ms since 1970, how far the record reached, and what it says.
    Whole(u64, Reach, Box<Snapshot>),
}

impl State {
    /// When it was written and what it says, if it is there and whole.
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
/// It cannot be read, and there may be one.
pub fn read(directory: &Path) -> Result<State, RecordError> {
    let path = directory.join(STATE_FILE);
    match file::bytes(&path, LONGEST) {
        Ok(bytes) => Ok(whole(&bytes).unwrap_or_else(State::Damaged)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(State::Missing),
        Err(error) => Err(RecordError::of(&path, error)),
    }
}

fn whole(bytes: &[u8]) -> Result<State, String> {
    let data = bytes.strip_prefix(MAGIC).and_then(|rest| rest.split_first_chunk::<4>());
    let (checksum, data) = data.ok_or("is no state of a run")?;
    if crc32fast::hash(data) != u32::from_le_bytes(*checksum) {
        return Err("has a wrong checksum".into());
    }
    let read: Stamped<Snapshot> = postcard::from_bytes(data).map_err(|error| error.to_string())?;
    Ok(State::Whole(read.unix_ms, read.reach, Box::new(read.kept)))
}

/// Forgets the state. One that is not there needs no forgetting.
///
/// # Errors
/// What the disk says: a hub that starts may then take the run up.
pub fn remove(directory: &Path) -> Result<(), RecordError> {
    let path = directory.join(STATE_FILE);
    atomic::remove(&path).map_err(|error| RecordError::of(&path, error))
}

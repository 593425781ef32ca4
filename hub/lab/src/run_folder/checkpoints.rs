//! Stores the last two states of a run in two alternating files. If one file is damaged, the run continues from the
//! other file.

use super::{FolderError, fail, io};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use xpuck_evolve::checkpoint::{self, CheckpointError};
use xpuck_wire::atomic::PendingFile;
use xpuck_wire::{atomic, file};

/// Maximum size of a checkpoint (bytes).
const MAX_CHECKPOINT: u64 = 1 << 30;
/// Names of the files for the states after even and after odd generations.
const NAMES: [&str; 2] = ["checkpoint-0", "checkpoint-1"];

/// Returns the path of the file for the state after a generation.
pub fn place(folder: &Path, generation: u32) -> PathBuf {
    folder.join(NAMES[generation as usize % NAMES.len()])
}

/// Writes and syncs a state to a temporary file. When the file is committed, it replaces the older of the two states.
///
/// # Errors
/// If the state cannot be written. The earlier states stay valid.
pub fn prepare<T: Serialize>(
    folder: &Path,
    generation: u32,
    state: &T,
    configuration: u32,
) -> std::io::Result<PendingFile> {
    atomic::prepare(&place(folder, generation), &checkpoint::to_bytes(state, configuration))
}

/// Writes a state, which replaces the older of the two states.
///
/// # Errors
/// If the state cannot be written. The earlier states stay valid.
pub fn keep<T: Serialize>(folder: &Path, generation: u32, state: &T, configuration: u32) -> Result<(), FolderError> {
    let kept = prepare(folder, generation, state, configuration).and_then(PendingFile::commit);
    kept.map_err(io(&place(folder, generation)))
}

/// Returns the newest usable state, and a notice if one of the files is unusable. The state is `None` if no file
/// exists. `generation` returns the generation of a state, and `check` validates a state. `own` is the name of the
/// run's configuration file, for errors.
///
/// # Errors
/// If there are files, but all of them are unusable.
pub fn newest<T: DeserializeOwned>(
    folder: &Path,
    configuration: u32,
    own: &str,
    generation: impl Fn(&T) -> u32,
    check: impl Fn(&T) -> Result<(), String>,
) -> Result<(Option<T>, Option<FolderError>), FolderError> {
    let mut best: Option<T> = None;
    let mut broken = None;
    for name in NAMES {
        let read = read(&folder.join(name), configuration, own).and_then(|state| match state {
            Some(state) => check(&state).map(|()| Some(state)),
            None => Ok(None),
        });
        match read {
            Ok(Some(state)) if best.as_ref().is_none_or(|best| generation(best) < generation(&state)) => {
                best = Some(state);
            }
            Ok(_) => {}
            Err(message) => broken = Some(fail(&folder.join(name), message)),
        }
    }
    match (&best, broken) {
        (None, Some(error)) => {
            let remedy = format!("start again from {own} with --output and another folder");
            Err(FolderError { message: format!("{}; {remedy}", error.message), ..error })
        }
        (Some(state), Some(error)) => {
            let message =
                format!("{}; continuing from the other checkpoint, generation {}", error.message, generation(state));
            Ok((best, Some(FolderError { message, ..error })))
        }
        (_, None) => Ok((best, None)),
    }
}

fn read<T: DeserializeOwned>(path: &Path, configuration: u32, own: &str) -> Result<Option<T>, String> {
    let bytes = match file::bytes(path, MAX_CHECKPOINT) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(format!("cannot be read: {error}")),
    };
    checkpoint::from_bytes(&bytes, configuration).map(Some).map_err(|error| match error {
        CheckpointError::Configuration => format!("{error} than the current {own}; restore the original {own}"),
        _ => error.to_string(),
    })
}

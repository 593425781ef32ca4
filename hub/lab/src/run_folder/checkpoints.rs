//! The last two states of a run, in two files by turns, so that a damaged one costs a generation and not the run.

use super::{FolderError, fail, io};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use xpuck_evolve::checkpoint::{self, CheckpointError};
use xpuck_wire::atomic::Prepared;
use xpuck_wire::{atomic, file};

/// Largest checkpoint, bytes.
const MAX_CHECKPOINT: u64 = 1 << 30;
/// The two files, of even and of odd generations.
const NAMES: [&str; 2] = ["checkpoint-0", "checkpoint-1"];

/// File of the state after a generation.
pub fn place(folder: &Path, generation: u32) -> PathBuf {
    folder.join(NAMES[generation as usize % NAMES.len()])
}

/// Brings a state to the disk; its commit puts it in the place of the one before the last.
///
/// # Errors
/// If the disk refuses; what was kept before stays sound.
pub fn prepare<T: Serialize>(
    folder: &Path,
    generation: u32,
    state: &T,
    configuration: u32,
) -> std::io::Result<Prepared> {
    atomic::prepare(&place(folder, generation), &checkpoint::to_bytes(state, configuration))
}

/// Keeps a state in the place of the one before the last.
///
/// # Errors
/// If the disk refuses; what was kept before stays sound.
pub fn keep<T: Serialize>(folder: &Path, generation: u32, state: &T, configuration: u32) -> Result<(), FolderError> {
    let kept = prepare(folder, generation, state, configuration).and_then(Prepared::commit);
    kept.map_err(io(&place(folder, generation)))
}

/// The newest state that can be used, and a line for a file that cannot; no state if there is none at all. `generation` tells
/// how old a state is, `check` what is wrong with one; `own` is the file whose keys the states belong to.
///
/// # Errors
/// If there are states, and none can be used.
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
            let remedy = format!("begin again from {own} with --output and another folder");
            Err(FolderError { message: format!("{}; {remedy}", error.message), ..error })
        }
        (Some(state), Some(error)) => {
            let message = format!("{}; going on from the other, generation {}", error.message, generation(state));
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
        CheckpointError::Configuration => format!("{error} than {own} now says; put {own} back as it was"),
        _ => error.to_string(),
    })
}

//! Locks, by which processes on many machines know what another has.

use super::problem::Problem;
use std::fs::{File, TryLockError};
use std::path::Path;

/// Locks a file for this process; false if another has it.
///
/// # Errors
/// The file system has no locks, and two processes could spoil each other's files there.
pub(crate) fn locked(file: &File, path: &Path) -> Result<bool, Problem> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => {
            let remedy = "mount the disk with locks (NFS 4, or Lustre with the option flock)";
            Err(Problem::of(path, format!("cannot be locked: {error}; {remedy}")))
        }
    }
}

//! File locks between processes on several machines.

use super::problem::Problem;
use std::fs::{File, TryLockError};
use std::path::Path;

/// Locks a file for this process. Returns false if another process has locked it.
///
/// # Errors
/// If the file cannot be locked, because the file system does not support locks. Without locks, two processes could
/// damage each other's files.
pub(crate) fn locked(file: &File, path: &Path) -> Result<bool, Problem> {
    match file.try_lock() {
        Ok(()) => Ok(true),
        Err(TryLockError::WouldBlock) => Ok(false),
        Err(TryLockError::Error(error)) => {
            let remedy = "mount the disk with locks (NFS 4, or Lustre with the option flock)";
            Err(Problem::new(path, format!("cannot be locked: {error}; {remedy}")))
        }
    }
}

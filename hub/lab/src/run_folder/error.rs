//! Errors of run folders: one line with the file, the cause, and the remedy.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Error of an unusable folder: one line with the file, the cause, and the remedy.
#[derive(Debug, thiserror::Error)]
#[error("{}: {message}", path.display())]
pub struct FolderError {
    /// Path of the unusable file or folder.
    pub path: PathBuf,
    /// Cause and remedy.
    pub message: String,
}

/// Returns an error for a file or folder.
pub fn fail(path: &Path, message: impl Into<String>) -> FolderError {
    let message = message.into();
    // The message may already begin with the path, which is then removed.
    let named = format!("{}: ", path.display());
    FolderError { path: path.into(), message: message.strip_prefix(&named).unwrap_or(&message).into() }
}

/// Returns a function that converts an I/O error during a run to an error with a remedy.
pub fn io(path: &Path) -> impl Fn(std::io::Error) -> FolderError + '_ {
    move |error| {
        let remedy = match error.kind() {
            // The command-line program adds the remedy for a full disk when it prints the error.
            ErrorKind::StorageFull => "",
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                "; make it writable, then go on with --resume"
            }
            ErrorKind::NotFound => "; if the folder was moved, put it back, then go on with --resume",
            ErrorKind::IsADirectory | ErrorKind::NotADirectory | ErrorKind::AlreadyExists | ErrorKind::NotSeekable => {
                "; another file has its name; remove that file, then go on with --resume"
            }
            _ => "; repair the disk, then go on with --resume",
        };
        fail(path, format!("{error}{remedy}"))
    }
}

/// Returns a function that converts an I/O error during the creation of a run's folder to an error with a remedy.
pub fn unmade(path: &Path) -> impl Fn(std::io::Error) -> FolderError + '_ {
    move |error| fail(path, format!("{error}; free disk space or repair the disk, then start again"))
}

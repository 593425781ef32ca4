//! Errors of run folders: one line with the file, the cause, and the remedy.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Error of an unusable folder: one line with the file, the cause, and the remedy.
#[derive(Debug, thiserror::Error)]
#[error("{}: {message}", path.display())]
pub struct FolderError {
    /// The file or folder.
    pub path: PathBuf,
    /// Cause and remedy.
    pub message: String,
}

/// Returns the error of a file or folder.
pub fn fail(path: &Path, message: impl Into<String>) -> FolderError {
    let message = message.into();
    // The message may already begin with the path.
    let named = format!("{}: ", path.display());
    FolderError { path: path.into(), message: message.strip_prefix(&named).unwrap_or(&message).into() }
}

/// Returns an I/O error during a run.
pub fn io(path: &Path) -> impl Fn(std::io::Error) -> FolderError + '_ {
    move |error| {
        let remedy = match error.kind() {
            // The missing space is reported where errors are printed.
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

/// Returns an I/O error during the creation of a run's folder.
pub fn unmade(path: &Path) -> impl Fn(std::io::Error) -> FolderError + '_ {
    move |error| fail(path, format!("{error}; free disk space or repair the disk, then start again"))
}

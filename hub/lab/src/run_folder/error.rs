//! Errors of runs' folders: one line with the file, what is wrong, and the remedy.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// A folder that cannot be used: one line with the file, what is wrong, and what helps.
#[derive(Debug, thiserror::Error)]
#[error("{}: {message}", path.display())]
pub struct FolderError {
    /// The file or folder.
    pub path: PathBuf,
    /// Fault and remedy.
    pub message: String,
}

/// Error of a file or folder.
pub fn fail(path: &Path, message: impl Into<String>) -> FolderError {
    let message = message.into();
    // What read the file has named it already.
    let named = format!("{}: ", path.display());
    FolderError { path: path.into(), message: message.strip_prefix(&named).unwrap_or(&message).into() }
}

/// Error of the disk while a run goes on.
pub fn io(path: &Path) -> impl Fn(std::io::Error) -> FolderError + '_ {
    move |error| {
        let remedy = match error.kind() {
            // What the disk lacks is said where errors are printed.
            ErrorKind::StorageFull => "",
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                "; make it writable, then go on with --resume"
            }
            ErrorKind::NotFound => "; was the folder moved or taken apart? put it back, then go on with --resume",
            ErrorKind::IsADirectory | ErrorKind::NotADirectory | ErrorKind::AlreadyExists | ErrorKind::NotSeekable => {
                "; something else is in its place: take that away, then go on with --resume"
            }
            _ => "; mend the disk, then go on with --resume",
        };
        fail(path, format!("{error}{remedy}"))
    }
}

/// Error of the disk while a run's folder is made.
pub fn unmade(path: &Path) -> impl Fn(std::io::Error) -> FolderError + '_ {
    move |error| fail(path, format!("{error}; make room or mend the disk, then begin again"))
}

//! Error of a file or folder.

use std::path::{Path, PathBuf};

/// Error that refers to a file or folder.
#[derive(Debug, thiserror::Error)]
#[error("{}: {message}", path.display())]
pub struct Problem {
    /// Path of the file or folder.
    pub path: PathBuf,
    /// Cause, and the remedy if there is one.
    pub message: String,
}

impl Problem {
    /// Creates the error of a file or folder from another error or a text.
    pub fn new(path: &Path, message: impl ToString) -> Problem {
        // Errors of libraries may have several lines, but an error of this program is a single line.
        Problem { path: path.into(), message: message.to_string().replace('\n', "; ") }
    }
}

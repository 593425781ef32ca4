//! Error of a file or folder.

use std::path::{Path, PathBuf};

/// Error of a file or folder.
#[derive(Debug, thiserror::Error)]
#[error("{}: {message}", path.display())]
pub struct Problem {
    /// File or folder.
    pub path: PathBuf,
    /// Cause, and the remedy if there is one.
    pub message: String,
}

impl Problem {
    /// Creates the error of a file from another error or a text.
    pub fn new(path: &Path, message: impl ToString) -> Problem {
        // Errors of libraries may have several lines; errors of this program have one.
        Problem { path: path.into(), message: message.to_string().replace('\n', "; ") }
    }
}

//! What is wrong with a file or folder of a sweep.

use std::path::{Path, PathBuf};

/// What is wrong with a file or folder.
#[derive(Debug, thiserror::Error)]
#[error("{}: {message}", path.display())]
pub struct Problem {
    /// The file or folder.
    pub path: PathBuf,
    /// What is wrong, and the remedy where there is one.
    pub message: String,
}

impl Problem {
    /// Of a file, from an error or a text.
    pub fn of(path: &Path, message: impl ToString) -> Problem {
        // Errors of libraries may have several lines; ours have one.
        Problem { path: path.into(), message: message.to_string().replace('\n', "; ") }
    }
}

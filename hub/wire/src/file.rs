//! Reading TOML files strictly: an unknown key is an error that names file, line, key and the nearest known one.

use serde::de::DeserializeOwned;
use std::path::{Path, PathBuf};

/// A file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It cannot be read.
    #[error("{}: cannot be read: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
    /// It is not what it should be.
    #[error("{name}: {message}")]
    Malformed {
        /// The file or text.
        name: String,
        /// Line, and what is wrong there.
        message: String,
    },
}

impl FileError {
    /// A value that reads well but makes no sense.
    pub fn value(name: &str, message: impl Into<String>) -> FileError {
        FileError::Malformed { name: name.into(), message: message.into() }
    }
}

/// Reads a TOML file.
pub fn read<T: DeserializeOwned>(path: &Path) -> Result<T, FileError> {
    let text = std::fs::read_to_string(path).map_err(|error| FileError::Unreadable { path: path.into(), error })?;
    parse(&path.display().to_string(), &text)
}

/// Reads TOML text; `name` is what errors call it.
pub fn parse<T: DeserializeOwned>(name: &str, text: &str) -> Result<T, FileError> {
    toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
        // The library's message may go on with the list of known keys on the same line; that is the remedy.
        let message = error.message().replace('\n', "; ");
        FileError::Malformed { name: name.into(), message: format!("line {line}: {message}") }
    })
}

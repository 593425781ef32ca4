//! Errors in Python's kinds.

use pyo3::PyErr;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyValueError};
use std::fmt::Display;
use std::path::Path;

/// A value that cannot be used.
pub fn value(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// A file that cannot be read or written.
pub fn file(error: impl Display) -> PyErr {
    PyOSError::new_err(error.to_string())
}

/// What a reader said of a file: it is not there, or what it holds cannot be used.
pub fn of_file(path: &Path, error: impl Display) -> PyErr {
    match path.try_exists() {
        Ok(false) => PyFileNotFoundError::new_err(error.to_string()),
        _ => value(error),
    }
}

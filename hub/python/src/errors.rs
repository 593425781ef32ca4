//! Conversion of errors to Python exceptions.

use pyo3::PyErr;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyValueError};
use std::fmt::Display;
use std::path::Path;
use xpuck_kernels::world::WorldSpec;

/// Returns a `ValueError` for an invalid value.
pub fn value(error: impl Display) -> PyErr {
    PyValueError::new_err(error.to_string())
}

/// Returns an `OSError` for a file that cannot be read or written.
pub fn file(error: impl Display) -> PyErr {
    PyOSError::new_err(error.to_string())
}

/// Returns the exception for a file that could not be read: `FileNotFoundError` if it does not exist, otherwise
/// `ValueError`.
pub fn of_file(path: &Path, error: impl Display) -> PyErr {
    match path.try_exists() {
        Ok(false) => PyFileNotFoundError::new_err(error.to_string()),
        _ => value(error),
    }
}

/// Rejects worlds whose scenery changes during a run.
///
/// # Errors
/// A wall, patch or light of the world depends on a condition.
pub fn refuse_changes(spec: &WorldSpec) -> Result<(), PyErr> {
    match spec.conditions.change_scenery() {
        false => Ok(()),
        true => Err(value(
            "the world has walls, patches or lights with `when`, which only `simulate` and `evolve` without functions can run",
        )),
    }
}

//! Configuration file of a run in TOML. All keys are optional, and overrides can replace their values.

use serde::de::DeserializeOwned;
use std::path::Path;
use toml::{Table, Value};
use xpuck_wire::file::{self, FileError};

/// Maximum file length (bytes), which is enough for the weights of the largest brain.
const MAX_TEXT: u64 = 4 << 20;

/// Error of an invalid configuration.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A key or value is invalid.
    #[error("{0}: {1}")]
    Value(String, String),
}

/// Loads the configuration from the file at `path`, if there is one, and applies the overrides. `check` validates the
/// values. Without a file, errors contain `kind` in place of the path.
///
/// # Errors
/// If the file cannot be read, or if a key or value is invalid. The error is one line with the file, and the key or
/// the line number.
pub fn load<T: DeserializeOwned>(
    kind: &str,
    path: Option<&Path>,
    overrides: Table,
    check: impl Fn(&T) -> Result<(), String>,
) -> Result<T, ConfigError> {
    let name = path.map_or(kind.into(), |path| path.display().to_string());
    let mut table = match path {
        None => Table::new(),
        Some(path) => {
            let text = file::text(path, MAX_TEXT)?;
            // The file is first parsed without the overrides, so that an error contains the line number.
            file::parse::<T>(&name, &text)?;
            file::parse(&name, &text)?
        }
    };
    crate::evolution_run::file::merge(&mut table, overrides);
    let wrong = |error: toml::de::Error| ConfigError::Value(name.clone(), file::wrong_value(&error));
    let config: T = Value::Table(table).try_into().map_err(wrong)?;
    check(&config).map_err(|message| ConfigError::Value(name, message))?;
    Ok(config)
}

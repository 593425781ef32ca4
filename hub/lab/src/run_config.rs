//! Configuration file of a run: TOML with every key optional, and overrides for its keys.

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

/// Loads a file, if there is one, and applies the overrides; `check` validates the values. Without a file, errors
/// name `kind`.
///
/// # Errors
/// One line with the file, and the key or the line.
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
            // The file is first parsed on its own, so that an error names the line.
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

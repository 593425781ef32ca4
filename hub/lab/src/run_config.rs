//! The file of a run: TOML of which every key is optional, with keys given elsewhere in the place of its own.

use serde::de::DeserializeOwned;
use std::path::Path;
use toml::{Table, Value};
use xpuck_wire::file::{self, FileError};

/// Longest file, bytes: one with the weights of the largest brain fits.
const MAX_TEXT: u64 = 4 << 20;

/// A file that describes no run.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A key or its value.
    #[error("{0}: {1}")]
    Value(String, String),
}

/// Reads a file, if there is one, and then the keys given elsewhere; `check` says what is wrong with their values. Without a file
/// `kind` is what errors name.
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
            // Read on its own first, so that an error names the line.
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

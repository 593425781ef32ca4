//! JSON output of commands. Every printed type has a schema, which `xpuck dev schema COMMAND` prints.

use anyhow::Result;
use schemars::JsonSchema;
use serde::Serialize;
use xpuck_wire::{log, output};

/// Prints a value as one line of JSON on standard output.
///
/// # Errors
/// The output cannot be written.
pub fn print_json<T: Serialize + JsonSchema + ?Sized>(value: &T) -> Result<()> {
    Ok(output::line(json(value)?)?)
}

/// Prints a value as one line of JSON on the standard output of a service. A closed output is not an error.
pub fn report_json<T: Serialize + JsonSchema + ?Sized>(value: &T) {
    match json(value) {
        Ok(line) => log::print(line),
        Err(error) => log::write_raw(format_args!("xpuck: --json: {error}")),
    }
}

/// Formats a value as one line of JSON, without a line feed.
///
/// # Errors
/// The value has a key that JSON does not allow.
pub fn json<T: Serialize + JsonSchema + ?Sized>(value: &T) -> Result<String> {
    Ok(serde_json::to_string(value)?)
}

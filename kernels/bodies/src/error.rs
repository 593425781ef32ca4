//! Error in the definition of a body or brain, with its location.

use std::fmt::Display;

/// Reason for rejecting a definition: location and violated rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {rule}")]
pub struct BodyError {
    /// Location: `line 3, column 7` of a text, or a path through a definition such as `root.LEFT.TOP`.
    pub place: String,
    /// Violated rule, with a remedy where useful.
    pub rule: String,
}

impl BodyError {
    pub(crate) fn new(place: impl Display, rule: impl Display) -> BodyError {
        BodyError { place: place.to_string(), rule: escape_control(&rule.to_string()) }
    }

    /// Creates an error at a line and a column, both from 1.
    pub(crate) fn at(line: u32, column: u32, rule: impl Display) -> BodyError {
        BodyError::new(format_args!("line {line}, column {column}"), rule)
    }
}

/// Escapes line breaks, control characters and bidirectional marks, because a rule may quote a file.
fn escape_control(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\'' | '\\' => plain.push(c),
            _ => plain.extend(c.escape_debug()),
        }
    }
    plain
}

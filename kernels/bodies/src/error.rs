//! What is wrong with a definition, and where.

use std::fmt::Display;

/// A definition that was refused: the place, and the rule that it breaks.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {rule}")]
pub struct BodyError {
    /// Where: `line 3, column 7` of a text, or a way through a definition such as `root.LEFT.TOP`.
    pub place: String,
    /// The rule that is broken, and where it helps what would be right.
    pub rule: String,
}

impl BodyError {
    pub(crate) fn new(place: impl Display, rule: impl Display) -> BodyError {
        BodyError { place: place.to_string(), rule: plain(&rule.to_string()) }
    }

    /// At a line and a column, both from 1.
    pub(crate) fn at(line: u32, column: u32, rule: impl Display) -> BodyError {
        BodyError::new(format_args!("line {line}, column {column}"), rule)
    }
}

/// In one line, without what would move a terminal's cursor or turn the direction of writing: a rule may quote a file.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\'' | '\\' => plain.push(c),
            _ => plain.extend(c.escape_debug()),
        }
    }
    plain
}

//! A line of a robot's log as it travels to the hub's record.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tracing::Level;

/// Longest text of a robot's line for the record, bytes.
pub const MAX_LOG_TEXT: usize = 512;

/// How much a line of a log matters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Severity {
    /// Something is lost that was promised.
    Error,
    /// Something that somebody should look at.
    Warn,
    /// Things go as they should.
    #[default]
    Info,
    /// A detail.
    Debug,
}

impl Severity {
    /// That of a level of the log.
    pub fn of(level: Level) -> Severity {
        match level {
            Level::ERROR => Severity::Error,
            Level::WARN => Severity::Warn,
            Level::INFO => Severity::Info,
            _ => Severity::Debug,
        }
    }
}

/// A line of a robot's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LogLine {
    /// How much it matters.
    pub level: Severity,
    /// The robot's wall clock, ms since 1970.
    pub unix_ms: u64,
    /// Who speaks, and what is said; at most [`MAX_LOG_TEXT`] bytes, without control characters.
    pub text: String,
    /// Lines that were lost before they could be told, since the robot's program started.
    pub lost: u32,
}

impl LogLine {
    /// A line, its text cut and its control characters escaped.
    pub fn new(level: Severity, unix_ms: u64, text: &str) -> LogLine {
        let mut plain = String::new();
        for character in text.chars() {
            match character.is_control() {
                true => plain.extend(character.escape_default()),
                false => plain.push(character),
            }
            if plain.len() > MAX_LOG_TEXT {
                break;
            }
        }
        plain.truncate(plain.floor_char_boundary(MAX_LOG_TEXT));
        LogLine { level, unix_ms, text: plain, lost: 0 }
    }

    /// Its text is within its bounds.
    pub fn is_sound(&self) -> bool {
        self.text.len() <= MAX_LOG_TEXT && !self.text.chars().any(char::is_control)
    }
}

//! Log line that a robot sends to the hub.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tracing::Level;

/// Maximum length of a line's text (bytes).
pub const MAX_LOG_TEXT: usize = 512;

/// Severity of a log line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Severity {
    /// Loss of data or function.
    Error,
    /// Problem that needs attention.
    Warn,
    /// Normal operation.
    #[default]
    Info,
    /// Detail for debugging.
    Debug,
}

impl Severity {
    /// Converts a level of `tracing` to a severity.
    pub fn from_level(level: Level) -> Severity {
        match level {
            Level::ERROR => Severity::Error,
            Level::WARN => Severity::Warn,
            Level::INFO => Severity::Info,
            _ => Severity::Debug,
        }
    }
}

/// Line of a robot's log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct LogLine {
    /// Severity of the line.
    pub level: Severity,
    /// Time since 1970 by the robot's wall clock (ms).
    pub unix_ms: u64,
    /// Source and message. The text has at most [`MAX_LOG_TEXT`] bytes and no control characters.
    pub text: String,
    /// Number of lines that were dropped before they could be sent, counted since the start of the robot's program.
    pub lost: u32,
}

impl LogLine {
    /// Creates a line. Control characters in the text are escaped, and the text is truncated.
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

    /// Returns whether the text has at most [`MAX_LOG_TEXT`] bytes and no control characters.
    pub fn is_valid(&self) -> bool {
        self.text.len() <= MAX_LOG_TEXT && !self.text.chars().any(char::is_control)
    }
}

//! Errors of lines that are not messages, and of messages that cannot be written as lines.

use std::fmt;
use std::ops::RangeInclusive;

use super::lines::LINE_LIMIT;
use super::number::{MAX_VALUES, text};

/// Maximum number of characters of a received word in an error message.
const WORD_SHOWN: usize = 32;

/// Error of a message; each has one line of text.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MessageError {
    /// The first word is not one of the 15 case-sensitive names.
    #[error("unknown message {name:?}")]
    UnknownName {
        /// Received word, shortened.
        name: String,
    },
    /// Wrong number of values after the name.
    #[error("{message}: {came} values, expected {wanted}")]
    WrongCount {
        /// Name of the message.
        message: &'static str,
        /// Received number of values.
        came: usize,
        /// Required number of values.
        wanted: ValueCount,
    },
    /// The word is not a number of the protocol.
    #[error("{message}: {what} {word:?} is not a number (allowed: 0-9 + - E e .)")]
    NotANumber {
        /// Name of the message.
        message: &'static str,
        /// Meaning of the value.
        what: &'static str,
        /// Received word, shortened.
        word: String,
    },
    /// A fraction in place of a count or an index.
    #[error("{message}: the {what} is {}, but must be a whole number", text(.value))]
    NotWhole {
        /// Name of the message.
        message: &'static str,
        /// Meaning of the value.
        what: &'static str,
        /// Received value.
        value: f64,
    },
    /// A value outside the allowed range, or a value that a 64-bit float cannot hold.
    #[error("{message}: {what} {} is out of range {} to {}", text(.value), text(.low), text(.high))]
    OutOfRange {
        /// Name of the message.
        message: &'static str,
        /// Meaning of the value.
        what: &'static str,
        /// Received value.
        value: f64,
        /// Lowest allowed value.
        low: f64,
        /// Highest allowed value.
        high: f64,
    },
    /// The upper end of a range is below its lower end.
    #[error("NetParameters: the {what} go from {} to {}; the first must be the lower one", text(.low), text(.high))]
    LowAboveHigh {
        /// Quantity that the range limits.
        what: &'static str,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
    /// Networks whose individuals would be too large to send.
    #[error("NetParameters: the largest individual has {values} values; at most {MAX_VALUES} are allowed")]
    TooManyValues {
        /// Number of values of an individual with the maximum number of hidden neurons.
        values: usize,
    },
    /// The message is valid, but its line is longer than readers accept.
    #[error("{message}: the line has {bytes} bytes; at most {LINE_LIMIT} are allowed")]
    TooLong {
        /// Name of the message.
        message: &'static str,
        /// Length of the line (bytes).
        bytes: usize,
    },
}

/// Required number of values of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueCount {
    /// Exactly this number.
    Exactly(usize),
    /// At least this number.
    AtLeast(usize),
    /// At most this number.
    AtMost(usize),
}

impl ValueCount {
    /// Rejects any other number of values.
    ///
    /// # Errors
    /// [`MessageError::WrongCount`].
    pub(super) fn check(self, message: &'static str, came: usize) -> Result<(), MessageError> {
        let right = match self {
            ValueCount::Exactly(count) => came == count,
            ValueCount::AtLeast(count) => came >= count,
            ValueCount::AtMost(count) => came <= count,
        };
        if right { Ok(()) } else { Err(MessageError::WrongCount { message, came, wanted: self }) }
    }
}

impl fmt::Display for ValueCount {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ValueCount::Exactly(count) => write!(formatter, "{count}"),
            ValueCount::AtLeast(count) => write!(formatter, "at least {count}"),
            ValueCount::AtMost(count) => write!(formatter, "at most {count}"),
        }
    }
}

/// Rejects a value outside the range, and NaN.
///
/// # Errors
/// [`MessageError::OutOfRange`].
pub(super) fn in_range(
    message: &'static str,
    what: &'static str,
    value: f64,
    range: RangeInclusive<f64>,
) -> Result<(), MessageError> {
    if range.contains(&value) {
        return Ok(());
    }
    Err(MessageError::OutOfRange { message, what, value, low: *range.start(), high: *range.end() })
}

/// Start of a received word, short enough for one line of the log.
pub(super) fn shortened(word: &str) -> String {
    let mut characters = word.chars();
    let mut start: String = characters.by_ref().take(WORD_SHOWN).collect();
    if characters.next().is_some() {
        start.push_str("...");
    }
    start
}

//! Errors of lines that are not valid messages, and of messages that cannot be written as lines.

use std::fmt;
use std::ops::RangeInclusive;

use super::lines::LINE_LIMIT;
use super::number::{MAX_VALUES, text};

/// Maximum number of characters that an error message quotes from a received word.
const WORD_SHOWN: usize = 32;

/// Error of a message. The text of each error fits on one line.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MessageError {
    /// The first word is not one of the 15 names of messages. Names are case-sensitive.
    #[error("unknown message {name:?}")]
    UnknownName {
        /// Received word, shortened.
        name: String,
    },
    /// The number of values after the name is wrong.
    #[error("{message}: {came} values, expected {wanted}")]
    WrongCount {
        /// Name of the message.
        message: &'static str,
        /// Received number of values.
        came: usize,
        /// Required number of values.
        wanted: ValueCount,
    },
    /// A word is not a number in the format of the protocol.
    #[error("{message}: {what} {word:?} is not a number (allowed: 0-9 + - E e .)")]
    NotANumber {
        /// Name of the message.
        message: &'static str,
        /// Meaning of the value.
        what: &'static str,
        /// Received word, shortened.
        word: String,
    },
    /// A count or an index is not a whole number.
    #[error("{message}: the {what} is {}, but must be a whole number", text(.value))]
    NotWhole {
        /// Name of the message.
        message: &'static str,
        /// Meaning of the value.
        what: &'static str,
        /// Received value.
        value: f64,
    },
    /// A value is outside the allowed range, or too large for a 64-bit float.
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
    /// An individual with the maximum number of hidden neurons would have too many values to send.
    #[error("NetParameters: the largest individual has {values} values; at most {MAX_VALUES} are allowed")]
    TooManyValues {
        /// Number of values of an individual with the maximum number of hidden neurons.
        values: usize,
    },
    /// The message is valid, but its line would be longer than receivers accept.
    #[error("{message}: the line has {bytes} bytes; at most {LINE_LIMIT} are allowed")]
    TooLong {
        /// Name of the message.
        message: &'static str,
        /// Length of the line (bytes).
        bytes: usize,
    },
}

/// Required number of values in a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueCount {
    /// Exactly this number of values.
    Exactly(usize),
    /// At least this number of values.
    AtLeast(usize),
    /// At most this number of values.
    AtMost(usize),
}

impl ValueCount {
    /// Checks that a message with `came` values has the required number of values.
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

/// Shortens a received word to `WORD_SHOWN` characters followed by "...", so that it fits on one line of the log.
/// Returns a shorter word unchanged.
pub(super) fn shortened(word: &str) -> String {
    let mut characters = word.chars();
    let mut start: String = characters.by_ref().take(WORD_SHOWN).collect();
    if characters.next().is_some() {
        start.push_str("...");
    }
    start
}

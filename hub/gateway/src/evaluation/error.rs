//! Why a line is no message, or a message no line.

use std::fmt;
use std::ops::RangeInclusive;

use super::lines::LINE_LIMIT;
use super::number::{MAX_VALUES, text};

/// Characters of a foreign word that an error repeats.
const WORD_SHOWN: usize = 32;

/// What is wrong with a message, one line of text each.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MessageError {
    /// The first word is not one of the 15 names; their case counts.
    #[error("{name:?} is no message's name")]
    UnknownName {
        /// The word, shortened.
        name: String,
    },
    /// Too many or too few values follow the name.
    #[error("{message}: {came} values came, {wanted} are wanted")]
    WrongCount {
        /// The message's name.
        message: &'static str,
        /// Values that came.
        came: usize,
        /// Values that are wanted.
        wanted: Wanted,
    },
    /// A word is no number of the protocol.
    #[error("{message}: the {what} is {word:?}, and a number of 0-9, +, -, E, e and . is wanted")]
    NotANumber {
        /// The message's name.
        message: &'static str,
        /// What the value stands for.
        what: &'static str,
        /// The word, shortened.
        word: String,
    },
    /// A fraction where something is counted or numbered.
    #[error("{message}: the {what} is {}, and a whole number is wanted", text(.value))]
    NotWhole {
        /// The message's name.
        message: &'static str,
        /// What the value stands for.
        what: &'static str,
        /// The value that came.
        value: f64,
    },
    /// A value below or above what is allowed; also one that 64 bits cannot hold.
    #[error("{message}: the {what} is {}, and {} to {} is allowed", text(.value), text(.low), text(.high))]
    OutOfRange {
        /// The message's name.
        message: &'static str,
        /// What the value stands for.
        what: &'static str,
        /// The value that came.
        value: f64,
        /// The lowest allowed.
        low: f64,
        /// The highest allowed.
        high: f64,
    },
    /// A range that ends below its start.
    #[error("NetParameters: the {what} go from {} to {}, and the first has to be the lower one", text(.low), text(.high))]
    LowAboveHigh {
        /// What the range is of.
        what: &'static str,
        /// Where it starts.
        low: f64,
        /// Where it ends.
        high: f64,
    },
    /// Nets so large that nobody could send an individual.
    #[error("NetParameters: the largest individual has {values} values, and at most {MAX_VALUES} are allowed")]
    TooManyValues {
        /// Values of an individual with the most hidden neurons.
        values: usize,
    },
    /// The message is right, but its line would be longer than readers take.
    #[error("{message}: the line has {bytes} bytes, and at most {LINE_LIMIT} are allowed")]
    TooLong {
        /// The message's name.
        message: &'static str,
        /// Bytes of the line.
        bytes: usize,
    },
}

/// How many values a message wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// That many.
    Exactly(usize),
    /// That many or more.
    AtLeast(usize),
    /// That many or fewer.
    AtMost(usize),
}

impl Wanted {
    /// Refuses another count of values.
    ///
    /// # Errors
    /// [`MessageError::WrongCount`].
    pub(super) fn check(self, message: &'static str, came: usize) -> Result<(), MessageError> {
        let right = match self {
            Wanted::Exactly(count) => came == count,
            Wanted::AtLeast(count) => came >= count,
            Wanted::AtMost(count) => came <= count,
        };
        if right { Ok(()) } else { Err(MessageError::WrongCount { message, came, wanted: self }) }
    }
}

impl fmt::Display for Wanted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Wanted::Exactly(count) => write!(formatter, "{count}"),
            Wanted::AtLeast(count) => write!(formatter, "at least {count}"),
            Wanted::AtMost(count) => write!(formatter, "at most {count}"),
        }
    }
}

/// Refuses a value outside of its range, and what is no number.
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

/// The start of a foreign word, short enough for one line of a log.
pub(super) fn shortened(word: &str) -> String {
    let mut characters = word.chars();
    let mut start: String = characters.by_ref().take(WORD_SHOWN).collect();
    if characters.next().is_some() {
        start.push_str("...");
    }
    start
}

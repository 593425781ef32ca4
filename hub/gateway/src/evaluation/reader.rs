//! Reads the values of a line in sequence.

use std::ops::RangeInclusive;

use super::error::{MessageError, ValueCount, in_range, shortened};
use super::number::{self, COUNTS, FINITE};

/// Separators between words. The specification requires single spaces; several spaces and tabs are accepted too.
const BLANKS: [char; 2] = [' ', '\t'];

/// Allowed identifiers of robots: 1 to 2^16 - 1 (section 3.2 of the specification).
pub(super) const IDENTIFIERS: RangeInclusive<f64> = 1.0..=65_535.0;

/// Range of the red, green and blue components of a colour.
pub(super) const COLOURS: RangeInclusive<f64> = 0.0..=255.0;

/// Removes and returns the first word of `rest`; empty at the end of the line.
pub(super) fn next_word<'a>(rest: &mut &'a str) -> &'a str {
    let trimmed = rest.trim_start_matches(BLANKS);
    let (word, after) = trimmed.split_at(trimmed.find(BLANKS).unwrap_or(trimmed.len()));
    *rest = after;
    word
}

/// Reader of the values of a message. The values follow the name of the message on its line.
pub(super) struct Reader<'a> {
    message: &'static str,
    rest: &'a str,
    came: usize,
    taken: usize,
}

impl<'a> Reader<'a> {
    /// Creates a reader for the values of a message. `message` is its name, and `rest` is the line after the name.
    pub(super) fn new(message: &'static str, rest: &'a str) -> Self {
        let came = rest.split(BLANKS).filter(|word| !word.is_empty()).count();
        Self { message, rest, came, taken: 0 }
    }

    /// Returns the total number of values on the line.
    pub(super) fn came(&self) -> usize {
        self.came
    }

    /// Rejects a line with fewer than `count` remaining values.
    pub(super) fn require(&self, count: usize) -> Result<(), MessageError> {
        ValueCount::AtLeast(self.taken + count).check(self.message, self.came)
    }

    /// Rejects a line with unread values.
    pub(super) fn end(&self) -> Result<(), MessageError> {
        ValueCount::Exactly(self.taken).check(self.message, self.came)
    }

    /// Reads the next value. `what` is its name in errors.
    pub(super) fn real(&mut self, what: &'static str) -> Result<f64, MessageError> {
        self.require(1)?;
        let word = next_word(&mut self.rest);
        self.taken += 1;
        let number = number::read(word).ok_or_else(|| MessageError::NotANumber {
            message: self.message,
            what,
            word: shortened(word),
        })?;
        in_range(self.message, what, number, FINITE)?;
        Ok(number)
    }

    /// Reads the next value as an integer, where `17`, `17.0` and `1.7e1` are equal. `range` must not contain
    /// negative numbers.
    pub(super) fn whole(&mut self, what: &'static str, range: RangeInclusive<f64>) -> Result<u32, MessageError> {
        let value = self.real(what)?;
        if value.fract() != 0.0 {
            return Err(MessageError::NotWhole { message: self.message, what, value });
        }
        in_range(self.message, what, value, range)?;
        Ok(value as u32)
    }

    /// Reads the next value as a count, >= 0.
    pub(super) fn count(&mut self, what: &'static str) -> Result<u32, MessageError> {
        self.whole(what, COUNTS)
    }

    /// Reads the next value as a flag, 0 or 1.
    pub(super) fn flag(&mut self, what: &'static str) -> Result<bool, MessageError> {
        Ok(self.whole(what, 0.0..=1.0)? == 1)
    }

    /// Reads the next value as a colour component.
    pub(super) fn colour(&mut self, what: &'static str) -> Result<u8, MessageError> {
        Ok(self.whole(what, COLOURS)? as u8)
    }

    /// Reads the next value as a robot's identifier.
    pub(super) fn identifier(&mut self) -> Result<u16, MessageError> {
        Ok(self.whole("identifier", IDENTIFIERS)? as u16)
    }
}

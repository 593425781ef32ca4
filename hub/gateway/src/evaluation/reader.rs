//! The values of one line, read one after the other.

use std::ops::RangeInclusive;

use super::error::{MessageError, Wanted, in_range, shortened};
use super::number::{self, COUNTS, FINITE};

/// What may stand between words. The document has single spaces; more of them, and tabs, do no harm.
const BLANKS: [char; 2] = [' ', '\t'];

/// Identifiers of robots: 1 to 2^16 - 1 (section 3.2).
pub(super) const IDENTIFIERS: RangeInclusive<f64> = 1.0..=65_535.0;

/// Shares of red, green and blue.
pub(super) const COLOURS: RangeInclusive<f64> = 0.0..=255.0;

/// Takes a word off the front of `rest`; empty at the end of the line.
pub(super) fn next_word<'a>(rest: &mut &'a str) -> &'a str {
    let trimmed = rest.trim_start_matches(BLANKS);
    let (word, after) = trimmed.split_at(trimmed.find(BLANKS).unwrap_or(trimmed.len()));
    *rest = after;
    word
}

/// What follows a message's name.
pub(super) struct Reader<'a> {
    message: &'static str,
    rest: &'a str,
    came: usize,
    taken: usize,
}

impl<'a> Reader<'a> {
    /// The values of the message of that name.
    pub(super) fn new(message: &'static str, rest: &'a str) -> Self {
        let came = rest.split(BLANKS).filter(|word| !word.is_empty()).count();
        Self { message, rest, came, taken: 0 }
    }

    /// How many values came.
    pub(super) fn came(&self) -> usize {
        self.came
    }

    /// Refuses a line that has fewer than `count` values left.
    pub(super) fn require(&self, count: usize) -> Result<(), MessageError> {
        Wanted::AtLeast(self.taken + count).check(self.message, self.came)
    }

    /// Refuses values that nobody took.
    pub(super) fn end(&self) -> Result<(), MessageError> {
        Wanted::Exactly(self.taken).check(self.message, self.came)
    }

    /// The next value, called `what` in errors.
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

    /// The next value, without a fraction; `17`, `17.0` and `1.7e1` are the same. The range holds no negative numbers.
    pub(super) fn whole(&mut self, what: &'static str, range: RangeInclusive<f64>) -> Result<u32, MessageError> {
        let value = self.real(what)?;
        if value.fract() != 0.0 {
            return Err(MessageError::NotWhole { message: self.message, what, value });
        }
        in_range(self.message, what, value, range)?;
        Ok(value as u32)
    }

    /// The next value, 0 or more.
    pub(super) fn count(&mut self, what: &'static str) -> Result<u32, MessageError> {
        self.whole(what, COUNTS)
    }

    /// The next value, 0 or 1.
    pub(super) fn flag(&mut self, what: &'static str) -> Result<bool, MessageError> {
        Ok(self.whole(what, 0.0..=1.0)? == 1)
    }

    /// The next value, the share of a colour.
    pub(super) fn colour(&mut self, what: &'static str) -> Result<u8, MessageError> {
        Ok(self.whole(what, COLOURS)? as u8)
    }

    /// The next value, a robot's identifier.
    pub(super) fn identifier(&mut self) -> Result<u16, MessageError> {
        Ok(self.whole("identifier", IDENTIFIERS)? as u16)
    }
}

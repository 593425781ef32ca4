//! Visitor for the values of a message.

use super::error::MessageError;
use std::ops::RangeInclusive;

/// Receives each value of a message in its order on the line: name, value and range.
pub(super) type Visit<'a> = dyn FnMut(&'static str, f64, RangeInclusive<f64>) -> Result<(), MessageError> + 'a;

//! Visitor type for the values of a message.

use super::error::MessageError;
use std::ops::RangeInclusive;

/// Function that is called for each value of a message, in the order of the line. Its arguments are the value's name,
/// the value and the allowed range.
pub(super) type Visit<'a> = dyn FnMut(&'static str, f64, RangeInclusive<f64>) -> Result<(), MessageError> + 'a;

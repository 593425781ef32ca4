//! Values of a message, in their order on the line.

use super::error::MessageError;
use std::ops::RangeInclusive;

/// Receives each value of a message in its order on the line: name, value and range.
pub(super) type Visit<'a> = dyn FnMut(&'static str, f64, RangeInclusive<f64>) -> Result<(), MessageError> + 'a;

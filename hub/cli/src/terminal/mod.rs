//! Progress bars, steps, and lines that are renewed in place.

pub mod in_place;
pub mod progress;
pub mod steps;

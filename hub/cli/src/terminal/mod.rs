//! Progress bars, steps, lines rewritten in place, and JSON output.

pub mod in_place;
mod json;
pub mod progress;
pub mod steps;
mod wrong;

pub use json::{json, print_json, report_json};
pub use wrong::WrongArgument;
pub(crate) use wrong::wrong_argument;

//! What a node returns.

use std::fmt;

/// What a node returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Done.
    Success,
    /// Not possible, or not true.
    Failure,
    /// Needs more ticks.
    Running,
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Status::Success => "success",
            Status::Failure => "failure",
            Status::Running => "running",
        })
    }
}

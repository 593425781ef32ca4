//! Result of a tick.

use std::fmt;

/// Result of a tick of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// Completed.
    Success,
    /// Not possible, or condition false.
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

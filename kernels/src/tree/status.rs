//! Result of a tick of a node.

use std::fmt;

/// Result of a tick of one node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The node has completed its action, or its condition is true.
    Success,
    /// The node's action is not possible, or its condition is false.
    Failure,
    /// The node needs more ticks.
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

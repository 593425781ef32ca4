//! How a run of a sweep ended.

/// Outcome of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The result is written.
    Done,
    /// The run failed. The text is the reason in one line.
    Failed(String),
    /// The sweep was stopped before the run was done, or the run itself was stopped.
    Stopped,
    /// The run was killed, for example because memory was short. The text is a message in one line. The run is
    /// resumed when the sweep is started again.
    Killed(String),
}

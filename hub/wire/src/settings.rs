//! What an operator changes in robots' files from afar, and what came of it.

use serde::{Deserialize, Serialize};

/// Longest text of settings, bytes.
pub const MAX_SETTINGS: usize = 16 * 1024;

/// A robot's answer to new settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PushAnswer {
    /// The number of the push.
    pub number: u64,
    /// Empty if accepted; then the file has the new settings.
    pub error: String,
    /// Keys that count at once.
    pub now: Vec<String>,
    /// Keys that count from the next experiment on.
    pub next_experiment: Vec<String>,
    /// Keys that count from the robot's next start on.
    pub next_start: Vec<String>,
}

/// How a push stands with one robot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PushRow {
    /// The robot.
    pub robot: String,
    /// Its answer; none yet, or it is silent.
    pub answer: Option<PushAnswer>,
}

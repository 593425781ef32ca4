//! What a robot does.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a robot does (thesis 5.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum State {
    /// Waiting for an experiment.
    #[default]
    Idle,
    /// Experiment received and checked.
    Ready,
    /// Controller and evolution run.
    Run,
    /// Wheels and evolution stand still.
    Pause,
    /// The experiment is over; wheels and evolution stand still.
    Stop,
}

//! Operating state of a robot.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Operating state of a robot (thesis 5.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum State {
    /// The robot waits for an experiment.
    #[default]
    Idle,
    /// The experiment was received and validated.
    Ready,
    /// The robot's controller and its evolution are running.
    Run,
    /// The robot's wheels and its evolution are stopped, but the experiment can resume.
    Pause,
    /// The experiment is over. The robot's wheels and its evolution are stopped.
    Stop,
}

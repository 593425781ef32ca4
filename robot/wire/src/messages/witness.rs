//! Report of a robot to a restarted hub about the last directive that the robot obeyed. A hub that was killed during
//! a run continues the run only if the robots confirm it; the absence of a STOP on the hub's disk is not sufficient.

use crate::state::State;
use serde::{Deserialize, Serialize};

/// Last directive that a robot obeyed. If possible, the robot stores it across restarts of its program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObeyedDirective {
    /// Number of the directive.
    pub directive: u64,
    /// Commanded state.
    pub state: State,
    /// Number of the directive's run; 0: no run.
    pub run: u64,
    /// Whether the directive was only for this robot, because an operator held the robot.
    pub held: bool,
    /// Highest count of STOPs received.
    pub stops: u64,
}

/// Report about the last directive in a robot's hello.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LastDirectiveReport {
    /// Last obeyed directive; `None` if unknown.
    pub told: Option<ObeyedDirective>,
    /// Time since the program last heard a hub, by its own clock (s of wall time); `None` if it has not heard one
    /// since its start.
    pub silent_s: Option<f64>,
}

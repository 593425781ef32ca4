//! Report of a robot to a restarted hub: the last directive it obeyed. A hub that was killed during a run continues
//! it only if the robots confirm that the run was to continue; a missing STOP on the hub's disk is not sufficient.

use crate::state::State;
use serde::{Deserialize, Serialize};

/// Last directive that a robot obeyed. If possible, the robot keeps it across restarts of its program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObeyedDirective {
    /// Number of the directive.
    pub directive: u64,
    /// Commanded state.
    pub state: State,
    /// Number of its run; 0 for none.
    pub run: u64,
    /// Whether it was for this robot alone, because an operator held it.
    pub held: bool,
    /// Highest count of STOPs received.
    pub stops: u64,
}

/// Witness report in a robot's hello.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LastDirectiveReport {
    /// Last obeyed directive; `None` if unknown, which proves nothing.
    pub told: Option<ObeyedDirective>,
    /// Time since the program last heard a hub, by its own clock (s of wall time); `None` if it has not heard one
    /// since its start.
    pub silent_s: Option<f64>,
}

//! Report of a robot to a restarted hub about the last directive that the robot obeyed. A hub that was killed during a
//! run resumes the run only if the robots' reports confirm that the run was not stopped or paused. The hub's own files
//! are not sufficient, because the hub may have failed to store a STOP.

use crate::state::State;
use serde::{Deserialize, Serialize};

/// Last directive that a robot obeyed. If possible, the robot stores this directive across restarts of its program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObeyedDirective {
    /// Number of the directive.
    pub directive: u64,
    /// State that the directive commanded.
    pub state: State,
    /// Number of the directive's run; 0 without a run.
    pub run: u64,
    /// Whether an operator held the robot, so that the directive was only for this robot.
    pub held: bool,
    /// Highest count of STOP commands in the directives received so far. The hub counts these commands.
    pub stops: u64,
}

/// Report about the last directive, which a robot sends in its hello message.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LastDirectiveReport {
    /// Last directive that the robot obeyed; `None` if unknown.
    pub told: Option<ObeyedDirective>,
    /// Time since the robot's program last received a message from a hub, by the robot's clock (s of wall time). `None`
    /// if the program has received no message since its start.
    pub silent_s: Option<f64>,
}

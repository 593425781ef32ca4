//! What a robot testifies to a hub that returns: what it was told to do last. A hub that was killed in a run goes on with it
//! only if the robots bear witness that the run was meant to go on; that no STOP is on its disk proves nothing.

use crate::state::State;
use serde::{Deserialize, Serialize};

/// The last directive that a robot obeyed. Where it can, the robot keeps it over a restart of its program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Testimony {
    /// The directive's number.
    pub directive: u64,
    /// The state that it asked for.
    pub state: State,
    /// Number of the run that it was about; 0 for none.
    pub run: u64,
    /// It was for this robot alone, which an operator holds.
    pub held: bool,
    /// The highest count of STOPs that the robot was told.
    pub stops: u64,
}

/// What a robot says of itself in its hello.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Witness {
    /// What it was told last; none if it does not know, which proves nothing.
    pub told: Option<Testimony>,
    /// How long ago its program heard a hub last, s of wall time by its own clock; none if it has heard none since its start.
    pub silent_s: Option<f64>,
}

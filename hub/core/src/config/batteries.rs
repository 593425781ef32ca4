//! What the hub does about batteries.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// `[batteries]` in `hub.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Batteries {
    /// A robot whose battery would last for less than this in a run stands still from then on, minutes, 0 to 60; 0 for never.
    /// A run is not started for which a battery would not last this much longer, unless it is started all the same.
    #[schemars(range(min = 0.0, max = 60.0))]
    pub reserve_minutes: f64,
    /// What becomes of the run then.
    pub when_empty: WhenEmpty,
}

/// What becomes of a run in which a battery is nearly empty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WhenEmpty {
    /// It goes on without the robot, until no robot is left.
    #[default]
    Leave,
    /// It is over: all robots stop, and the record is closed.
    End,
}

impl Default for Batteries {
    /// Long enough to fetch a robot while it still answers: the estimate is good to two minutes at the end.
    fn default() -> Batteries {
        Batteries { reserve_minutes: 3.0, when_empty: WhenEmpty::Leave }
    }
}

//! Battery settings of the hub.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Section `[batteries]` of `hub.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Batteries {
    /// Minimum remaining battery time of a robot (0..=60 min; default 3). With 0 there is no minimum. During a run, a
    /// robot stops when its remaining battery time falls below this minimum. A run starts only if every battery lasts
    /// this much longer than the run, unless the start is forced.
    #[schemars(range(min = 0.0, max = 60.0))]
    pub reserve_minutes: f64,
    /// Effect of a nearly empty battery on the run.
    pub when_empty: WhenEmpty,
}

/// Effect of a nearly empty battery on the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum WhenEmpty {
    /// The run continues without the robot, until no robot is left.
    #[default]
    Leave,
    /// The run ends: all robots stop, and the record is closed.
    End,
}

impl Default for Batteries {
    /// Returns the default settings. The estimated remaining time of a nearly empty battery is accurate to two
    /// minutes. The default minimum therefore leaves time to fetch a robot while it still responds.
    fn default() -> Batteries {
        Batteries { reserve_minutes: 3.0, when_empty: WhenEmpty::Leave }
    }
}

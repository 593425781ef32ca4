//! What robots do while the hub is silent, and by which way they exchange genes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longest that a robot may drive without its hub, s.
pub const LONGEST_ALONE: f64 = 600.0;

/// By which way robots exchange genes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Genes {
    /// Through the hub's geneserver.
    #[default]
    Hub,
    /// From robot to robot, with those in radio range.
    Peers,
}

impl Genes {
    pub(crate) fn are_usual(&self) -> bool {
        *self == Genes::default()
    }
}

/// What goes on when the hub is silent during a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnSilence {
    /// Nothing: wheels and evolution stand still.
    #[default]
    Stop,
    /// Evolution; the wheels stand.
    Evolve,
    /// Evolution, and driving by the robot's own senses, on robots whose own files allow it.
    Drive,
}

/// What robots do while the hub is silent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Silence {
    /// What goes on.
    pub then: OnSilence,
    /// With `drive`, the wheels stand all the same after so long, s of arena time; a robot's own file may say less.
    #[schemars(range(min = 0.1, max = LONGEST_ALONE))]
    pub drive_seconds: f64,
}

impl Default for Silence {
    fn default() -> Silence {
        Silence { then: OnSilence::Stop, drive_seconds: 30.0 }
    }
}

impl Silence {
    pub(crate) fn is_usual(&self) -> bool {
        *self == Silence::default()
    }

    /// Checks every range; the error is one line that names the key.
    pub(crate) fn check(&self) -> Result<(), String> {
        if !(0.1..=LONGEST_ALONE).contains(&self.drive_seconds) {
            return Err(format!("silence.drive_seconds = {} is outside 0.1..={LONGEST_ALONE}", self.drive_seconds));
        }
        if self.then != OnSilence::Drive && self.drive_seconds != Silence::default().drive_seconds {
            return Err("silence.drive_seconds means something only with then = \"drive\"".into());
        }
        Ok(())
    }

    /// How long a robot drives on whose own file allows so many seconds, s.
    pub fn drives(&self, allowed: f64) -> f64 {
        if self.then == OnSilence::Drive { self.drive_seconds.min(allowed) } else { 0.0 }
    }
}

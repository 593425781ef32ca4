//! Behaviour of robots while the hub is silent, and the path of genes between robots.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Maximum time for which a robot may drive while the hub is silent (s).
pub const LONGEST_ALONE: f64 = 600.0;

/// Path of genes between robots.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Genes {
    /// Genes travel through the geneserver of the hub.
    #[default]
    Hub,
    /// Genes travel directly between robots in radio range.
    Peers,
}

impl Genes {
    pub(crate) fn are_usual(&self) -> bool {
        *self == Genes::default()
    }
}

/// Activity of a robot when the hub is silent during a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum OnSilence {
    /// Wheels and evolution are stopped.
    #[default]
    Stop,
    /// Evolution continues; the wheels are stopped.
    Evolve,
    /// Evolution continues. The robot drives with only its own sensors, if the robot's file allows this.
    Drive,
}

/// Behaviour of robots while the hub is silent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Silence {
    /// Activity of a robot while the hub is silent.
    pub then: OnSilence,
    /// Maximum driving time if `then` is `drive` (s of arena time). A robot's own file may set a lower limit.
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

    /// Validates the driving time. The error is one line that names the key.
    pub(crate) fn check(&self) -> Result<(), String> {
        if !(0.1..=LONGEST_ALONE).contains(&self.drive_seconds) {
            return Err(format!("silence.drive_seconds = {} is outside 0.1 to {LONGEST_ALONE}", self.drive_seconds));
        }
        if self.then != OnSilence::Drive && self.drive_seconds != Silence::default().drive_seconds {
            return Err("silence.drive_seconds requires then = \"drive\"".into());
        }
        Ok(())
    }

    /// Returns the maximum driving time of a robot while the hub is silent (s). `allowed` is the limit in the robot's
    /// own file (s).
    pub fn drives(&self, allowed: f64) -> f64 {
        if self.then == OnSilence::Drive { self.drive_seconds.min(allowed) } else { 0.0 }
    }
}

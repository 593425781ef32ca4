//! Something that happened, as the hub shows and records it.

use crate::log_line::Severity;
use serde::{Deserialize, Serialize};

/// Something that happened.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Rises by one with every event since the hub started.
    pub number: u64,
    /// When, s of arena time since the hub started.
    pub time: f64,
    /// How much it matters.
    pub level: Severity,
    /// The operator who did or said it; empty if it is the hub's own.
    pub who: String,
    /// What.
    pub text: String,
}

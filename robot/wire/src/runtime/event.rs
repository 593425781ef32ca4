//! Events that the hub shows and records.

use crate::log_line::Severity;
use serde::{Deserialize, Serialize};

/// Event of the hub.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// Sequence number since the hub started; increases by one per event.
    pub number: u64,
    /// Arena time since the hub started (s).
    pub time: f64,
    /// Severity.
    pub level: Severity,
    /// Operator who caused the event; empty for an event of the hub.
    pub who: String,
    /// Description.
    pub text: String,
}

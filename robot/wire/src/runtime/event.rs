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
    /// Severity of the event.
    pub level: Severity,
    /// Name of the operator who caused the event; empty if the hub caused it.
    pub who: String,
    /// Description of the event for the operator.
    pub text: String,
}

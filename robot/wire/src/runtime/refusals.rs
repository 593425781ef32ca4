//! Counts of rejected peers and messages.

use serde::{Deserialize, Serialize};

/// Counts of rejected peers and messages, one for each reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Refusals {
    /// Number of connections with a key that is not enrolled.
    pub unknown_key: u64,
    /// Number of connections and requests that the peer's role does not allow.
    pub wrong_role: u64,
    /// Number of connections without CURVE, with a wrong server key, or without a complete handshake.
    pub no_curve: u64,
    /// Number of messages from peers whose key was revoked during the connection.
    pub revoked: u64,
    /// Number of messages whose sender name differs from the name of the peer's key.
    pub wrong_name: u64,
}

impl Refusals {
    /// Returns the sum of all counts.
    pub fn total(&self) -> u64 {
        self.unknown_key + self.wrong_role + self.no_curve + self.revoked + self.wrong_name
    }
}

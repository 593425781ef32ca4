//! Counts of rejected peers and messages.

use serde::{Deserialize, Serialize};

/// Number of rejected peers and messages, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Refusals {
    /// Number of connections with a key that is not enrolled.
    pub unknown_key: u64,
    /// Number of connections and requests of peers whose role does not allow them.
    pub wrong_role: u64,
    /// Number of connections that do not use CURVE, use a wrong server key, or ended before the handshake was
    /// complete.
    pub no_curve: u64,
    /// Number of messages of peers whose key was revoked during the connection.
    pub revoked: u64,
    /// Number of messages whose sender name does not match the key's name.
    pub wrong_name: u64,
}

impl Refusals {
    /// Sum of all counts.
    pub fn total(&self) -> u64 {
        self.unknown_key + self.wrong_role + self.no_curve + self.revoked + self.wrong_name
    }
}

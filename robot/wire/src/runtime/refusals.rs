//! Who was turned away, and why.

use serde::{Deserialize, Serialize};

/// Peers and messages that were turned away, by reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Refusals {
    /// Connections with a key that nobody enrolled.
    pub unknown_key: u64,
    /// Connections and requests of somebody whose role does not allow them.
    pub wrong_role: u64,
    /// Connections that do not speak CURVE, or not with the server's key, or broke off before they proved a key.
    pub no_curve: u64,
    /// Messages of peers whose key was revoked while they were connected.
    pub revoked: u64,
    /// Messages under another name than the key's.
    pub wrong_name: u64,
}

impl Refusals {
    /// All together.
    pub fn total(&self) -> u64 {
        self.unknown_key + self.wrong_role + self.no_curve + self.revoked + self.wrong_name
    }
}

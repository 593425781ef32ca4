//! How genes travel between the islands of a run: the `[migration]` table of an evolution file.

use serde::{Deserialize, Serialize};

/// From whom an island receives genes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// From all others: the fittest of their recent emigrants (thesis 8.3.1).
    #[default]
    Full,
    /// From nobody.
    None,
}

/// How genes travel; the defaults are those of the thesis (8.3.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Migration {
    /// From whom.
    pub policy: Policy,
    /// Generations between exchanges, 1 to 1000.
    pub every: u32,
    /// Immigrants that an island is sent in an exchange, 0 to 64.
    pub receive: usize,
    /// Most recent emigrants kept of each island, 1 to 64.
    pub keep: usize,
}

impl Default for Migration {
    fn default() -> Migration {
        Migration { policy: Policy::Full, every: 1, receive: 8, keep: 8 }
    }
}

impl Migration {
    /// Checks every range; the error is one line that names the key.
    pub fn check(&self) -> Result<(), String> {
        let rows = [
            ("every", f64::from(self.every), 1.0, 1000.0),
            ("receive", self.receive as f64, 0.0, 64.0),
            ("keep", self.keep as f64, 1.0, 64.0),
        ];
        for (key, value, low, high) in rows {
            if !(low..=high).contains(&value) {
                return Err(format!("migration.{key} = {value} is outside {low}..={high}"));
            }
        }
        Ok(())
    }
}

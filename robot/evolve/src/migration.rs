//! Migration of genes between islands: the `[migration]` table of an experiment or of an evolution file.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Source of an island's immigrants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Policy {
    /// The fittest of the recent emigrants of all other islands (thesis 8.3.1).
    #[default]
    Full,
    /// Islands with the nearest numbers below and above. The last island is adjacent to the first.
    Ring,
    /// Islands whose robots are nearest in the arena.
    Near,
    /// Islands drawn at random for each exchange.
    Random,
    /// No migration.
    None,
}

/// Parameters of migration. The defaults are the values of the thesis (8.3.1).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Migration {
    /// Source of immigrants.
    pub policy: Policy,
    /// Number of generations between exchanges (1 to 1000).
    #[schemars(range(min = 1, max = 1000))]
    pub every: u32,
    /// Maximum number of immigrants per island and exchange (0 to 64).
    #[schemars(range(min = 0, max = 64))]
    pub receive: usize,
    /// Number of recent emigrants kept per island (1 to 64).
    #[schemars(range(min = 1, max = 64))]
    pub keep: usize,
    /// Number of source islands with `ring`, `near` and `random` (1 to 64).
    #[schemars(range(min = 1, max = 64))]
    pub neighbours: usize,
    /// Maximum distance of a source island with `near` (m, 0.01 to 1000). If omitted, the distance is unlimited.
    #[schemars(range(min = 0.01, max = 1000.0))]
    pub range_m: Option<f32>,
    /// Positions of the islands with `near`, in the order of the islands: x and y (m). A position is used until motion
    /// capture sees the island's robot.
    pub places_m: Vec<[f32; 2]>,
}

impl Default for Migration {
    fn default() -> Migration {
        Migration {
            policy: Policy::Full,
            every: 1,
            receive: 8,
            keep: 8,
            neighbours: 2,
            range_m: None,
            places_m: Vec::new(),
        }
    }
}

impl Migration {
    /// Validates the parameters. The error is one line that names the invalid key.
    pub fn check(&self) -> Result<(), String> {
        let rows = [
            ("every", f64::from(self.every), 1.0, 1000.0),
            ("receive", self.receive as f64, 0.0, 64.0),
            ("keep", self.keep as f64, 1.0, 64.0),
            ("neighbours", self.neighbours as f64, 1.0, 64.0),
            ("range_m", f64::from(self.range_m.unwrap_or(1.0)), 0.01, 1000.0),
            ("places_m", self.places_m.len() as f64, 0.0, 10_000.0),
        ];
        for (key, value, low, high) in rows {
            if !(low..=high).contains(&value) {
                return Err(format!("migration.{key} = {value} is outside {low} to {high}"));
            }
        }
        if let Some(place) = self.places_m.iter().find(|p| !p.iter().all(|v| v.abs() <= 1000.0)) {
            return Err(format!("migration.places_m contains {place:?}; coordinates must be -1000 to 1000"));
        }
        if self.policy != Policy::Near && (self.range_m.is_some() || !self.places_m.is_empty()) {
            return Err("migration: range_m and places_m require policy = \"near\"".into());
        }
        Ok(())
    }

    /// Whether genes are exchanged after this generation. Generations are counted from 1.
    pub fn due(&self, generation: u32) -> bool {
        self.policy != Policy::None && generation.is_multiple_of(self.every)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Migration, String> {
        let migration: Migration = toml::from_str(text).map_err(|error| error.message().to_string())?;
        migration.check().map(|()| migration)
    }

    #[test]
    fn omitted_keys_default_to_thesis_values() {
        assert_eq!(read("").unwrap(), Migration::default());
        let near = read("policy = \"near\"\nrange_m = 0.5\nplaces_m = [[0.0, 0.1]]\n").unwrap();
        assert_eq!((near.policy, near.keep, near.range_m), (Policy::Near, 8, Some(0.5)));
        assert_eq!(read("policy = \"random\"").unwrap().policy, Policy::Random);
    }

    #[test]
    fn nonsense_is_refused_in_one_line() {
        for (text, expected) in [
            ("polcy = \"ring\"", "unknown field `polcy`"),
            ("policy = \"star\"", "unknown variant `star`"),
            ("every = 0", "migration.every = 0 is outside 1 to 1000"),
            ("keep = 65", "migration.keep = 65 is outside 1 to 64"),
            ("policy = \"near\"\nrange_m = nan", "migration.range_m = NaN"),
            ("policy = \"near\"\nplaces_m = [[inf, 0.0]]", "places_m contains [inf, 0.0]"),
            ("policy = \"ring\"\nrange_m = 1.0", "require policy = \"near\""),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(expected) && error.lines().count() == 1, "{text}: {error}");
        }
    }

    #[test]
    fn exchanges_are_due_at_multiples_and_never_without_a_policy() {
        let every = |every, policy| Migration { every, policy, ..Migration::default() };
        assert_eq!((1..=6).filter(|g| every(3, Policy::Full).due(*g)).collect::<Vec<_>>(), [3, 6]);
        assert!(!every(1, Policy::None).due(1));
    }
}

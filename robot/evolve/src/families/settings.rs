//! Settings of family-aware evolution.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Rule for counting the members of a family against the family's limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// Each member counts once, and each child has a unique name, as in pyro-corpus's documents.
    #[default]
    Counted,
    /// Each member counts twice, as in pyro-corpus's program. With a limit of three survivors per family, at most two
    /// survive. The parents of a family give their children the same names, and only the last child with each name is
    /// kept. A family therefore keeps only as many children as a single parent creates.
    Published,
}

/// Settings of family-aware evolution. By default a generation has about as many evaluations as individuals, and
/// families are large. [`FamilySettings::document`] returns the values of pyro-corpus.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FamilySettings {
    /// Number of founders in the first generation. In later generations, maximum number of survivors and new founders
    /// together (2..=1024).
    #[schemars(range(min = 2, max = 1024))]
    pub population: usize,
    /// Number of children of each survivor in a generation (1..=32).
    #[schemars(range(min = 1, max = 32))]
    pub children: usize,
    /// Minimum number of new founders in a generation (0..=population - 1). Founders also fill the places without
    /// survivors.
    pub newcomers: usize,
    /// Maximum number of survivors of one family (1..=population; default two fifths of the population).
    #[schemars(range(min = 1))]
    pub per_family: Option<usize>,
    /// Maximum number of survivors of one form (1..=1024). Bodies that differ only in their brains have the same form,
    /// as do trees that differ only in parameters.
    #[schemars(range(min = 1, max = 1024))]
    pub per_form: usize,
    /// Maximum number of survivors of one size (1..=1024). The size of a body is its number of parts. The size of a
    /// tree is its number of nodes.
    #[schemars(range(min = 1, max = 1024))]
    pub per_size: usize,
    /// Probability that a child has a second parent (0..=1).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub crossover: f32,
    /// Rule for counting the members of a family against the family's limit.
    pub sharing: Sharing,
    /// Maximum number of archive cells (1..=4096; default: no archive).
    #[schemars(range(min = 1, max = 4096))]
    pub cells: Option<usize>,
}

/// Maximum number of individuals in a population.
const MOST: usize = 1024;

impl Default for FamilySettings {
    fn default() -> FamilySettings {
        FamilySettings {
            population: 20,
            children: 1,
            newcomers: 1,
            per_family: None,
            per_form: 2,
            per_size: 4,
            crossover: 0.9,
            sharing: Sharing::Counted,
            cells: None,
        }
    }
}

impl FamilySettings {
    /// Returns the settings of pyro-corpus's documents: five children per survivor, three new founders, at most three
    /// survivors of a family, no limit per form or size, no crossover.
    pub fn document() -> FamilySettings {
        FamilySettings {
            children: 5,
            newcomers: 3,
            per_family: Some(3),
            per_form: MOST,
            per_size: MOST,
            crossover: 0.0,
            ..FamilySettings::default()
        }
    }

    /// Returns the maximum number of survivors of a generation.
    pub fn survivors(&self) -> usize {
        self.population - self.newcomers
    }

    /// Returns the maximum number of survivors of one family.
    pub(super) fn share(&self) -> usize {
        self.per_family.unwrap_or((2 * self.population / 5).max(1))
    }

    /// Validates the ranges of all settings.
    ///
    /// # Errors
    /// Returns one line with the invalid key, its value and its range.
    pub fn check(&self) -> Result<(), String> {
        let rows = [
            ("population", self.population as f64, 2.0, MOST as f64),
            ("children", self.children as f64, 1.0, 32.0),
            ("newcomers", self.newcomers as f64, 0.0, self.population as f64 - 1.0),
            ("per_family", self.per_family.unwrap_or(1) as f64, 1.0, self.population as f64),
            ("per_form", self.per_form as f64, 1.0, MOST as f64),
            ("per_size", self.per_size as f64, 1.0, MOST as f64),
            ("crossover", f64::from(self.crossover), 0.0, 1.0),
            ("cells", self.cells.unwrap_or(1) as f64, 1.0, 4096.0),
        ];
        match rows.iter().find(|(_, value, low, high)| !(low..=high).contains(&value)) {
            Some((name, value, low, high)) => Err(format!("{name} = {value}: it must be {low} to {high}")),
            None => Ok(()),
        }
    }
}

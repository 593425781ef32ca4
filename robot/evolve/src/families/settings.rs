//! Settings of family-aware evolution.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Who counts to a family's share.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Sharing {
    /// Each member once, and each child has a name of its own, as the document says.
    #[default]
    Counted,
    /// Each member twice, and children of one family share their names, as the document's program behaves: of a family at
    /// most two survive, and it has as many children as one parent alone would have.
    Published,
}

/// Settings of family-aware evolution, by default for as many evaluations in a generation as there are individuals, and with large
/// families; [`FamilySettings::document`] has those of pyro-corpus.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FamilySettings {
    /// Founders of the first generation; survivors and new founders of the others, 2..=1024.
    #[schemars(range(min = 2, max = 1024))]
    pub population: usize,
    /// Children of each survivor in a generation, 1..=32.
    #[schemars(range(min = 1, max = 32))]
    pub children: usize,
    /// New founders in a generation, fewer than the population.
    pub newcomers: usize,
    /// Members of a family that survive at most, 1..=population; two fifths of the population without it.
    #[schemars(range(min = 1))]
    pub per_family: Option<usize>,
    /// Members of one form that survive at most (bodies that differ in brains alone, trees that differ in parameters), 1..=1024.
    #[schemars(range(min = 1, max = 1024))]
    pub per_form: usize,
    /// Members of one size that survive at most (parts of bodies, nodes of trees), 1..=1024.
    #[schemars(range(min = 1, max = 1024))]
    pub per_size: usize,
    /// Probability that a child has a second parent, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub crossover: f32,
    /// Who counts to a family's share.
    pub sharing: Sharing,
    /// Cells of an archive of kinds, 1..=4096; without it there is none.
    #[schemars(range(min = 1, max = 4096))]
    pub cells: Option<usize>,
}

/// Most individuals of a population.
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
    /// Those of pyro-corpus's documents: five children of each survivor, three new founders, three of a family,
    /// any number of a form or a size, no crossover.
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

    /// Survivors of a generation.
    pub fn survivors(&self) -> usize {
        self.population - self.newcomers
    }

    /// Members of a family that survive at most.
    pub(super) fn share(&self) -> usize {
        self.per_family.unwrap_or((2 * self.population / 5).max(1))
    }

    /// Checks every range.
    ///
    /// # Errors
    /// One line: the key, its value, its range.
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
            Some((name, value, low, high)) => Err(format!("{name} = {value}: it lies between {low} and {high}")),
            None => Ok(()),
        }
    }
}

//! The parameters of the noise-aware algorithm and of migration: the thesis's (Table 8.1, 8.3.1) and ours.

use serde::{Deserialize, Serialize};

/// Which form of the algorithm runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Samples belong to a genotype: no population holds two equal trees, equal migrants are dropped, and
    /// uncertainty is judged with the spread of the whole population.
    #[default]
    Honest,
    /// As the thesis describes it, where copies carry their samples; this selects luck (decisions.md section 9).
    AsPublished,
}

/// Parameters. [`Settings::as_published`] are Table 8.1's; the defaults differ where measurement said so: as equal
/// trees share their samples, the known bad ones need not be tried again, so more are replaced, and more of them by
/// crossover; shallower new trees are tried faster.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Which form.
    pub form: Form,
    /// Individuals on an island, 8..=4096.
    pub population: usize,
    /// Part of the population that is elite, 0.01..=0.9.
    pub elite: f32,
    /// Part of the non-elite that is replaced: the least fit, or in the published form each with this probability.
    pub replace: f32,
    /// Probability that a replacement comes from crossover rather than from scratch.
    pub crossover: f32,
    /// Individuals in a tournament, at least 1.
    pub tournament: usize,
    /// Depth of new trees, 1..=8.
    pub depth: usize,
    /// Probability of mutation for each parameter.
    pub mutate_parameter: f32,
    /// Probability that a node is replaced by one of the same arity.
    pub mutate_point: f32,
    /// Probability that an individual gets a new subtree.
    pub mutate_subtree: f32,
    /// Evaluations after which an estimate counts in full (Eq. 8.1).
    pub full_evaluations: u32,
    /// Immigrants that replace the least fit in each generation.
    pub immigrants: usize,
    /// After so many generations an island starts afresh, its champion kept aside; 0 for never. By then all islands
    /// hold variants of one tree, and how good that one is depends on luck at the start: several starts are better.
    pub epoch: u32,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            form: Form::Honest,
            population: 256,
            elite: 0.25,
            replace: 0.6,
            crossover: 0.85,
            tournament: 3,
            depth: 4,
            mutate_parameter: 0.05,
            mutate_point: 0.05,
            mutate_subtree: 0.05,
            full_evaluations: 8,
            immigrants: 8,
            epoch: 64,
        }
    }
}

/// A parameter outside its range.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("evolution: {name} = {value} is outside {low}..={high}")]
pub struct SettingsError {
    /// The parameter.
    pub name: &'static str,
    /// What was given.
    pub value: f64,
    /// Least allowed.
    pub low: f64,
    /// Greatest allowed.
    pub high: f64,
}

impl Settings {
    /// The thesis's algorithm with the thesis's parameters.
    pub fn as_published() -> Settings {
        Settings { form: Form::AsPublished, replace: 0.25, crossover: 0.5, depth: 6, epoch: 0, ..Settings::default() }
    }

    /// The parameters of a form.
    pub fn of(form: Form) -> Settings {
        match form {
            Form::Honest => Settings::default(),
            Form::AsPublished => Settings::as_published(),
        }
    }

    /// Checks every range.
    pub fn check(&self) -> Result<(), SettingsError> {
        let rows = [
            ("population", self.population as f64, 8.0, 4096.0),
            ("elite", f64::from(self.elite), 0.01, 0.9),
            ("replace", f64::from(self.replace), 0.0, 1.0),
            ("crossover", f64::from(self.crossover), 0.0, 1.0),
            ("tournament", self.tournament as f64, 1.0, 64.0),
            ("depth", self.depth as f64, 1.0, 8.0),
            ("mutate_parameter", f64::from(self.mutate_parameter), 0.0, 1.0),
            ("mutate_point", f64::from(self.mutate_point), 0.0, 1.0),
            ("mutate_subtree", f64::from(self.mutate_subtree), 0.0, 1.0),
            ("full_evaluations", f64::from(self.full_evaluations), 1.0, 1000.0),
            ("epoch", f64::from(self.epoch), 0.0, 1e6),
            ("immigrants", self.immigrants as f64, 0.0, self.population as f64 / 2.0),
        ];
        for (name, value, low, high) in rows {
            if !(low..=high).contains(&value) {
                return Err(SettingsError { name, value, low, high });
            }
        }
        Ok(())
    }

    /// Number of elite individuals, at least 1.
    pub fn elites(&self) -> usize {
        ((self.population as f32 * self.elite).round() as usize).max(1)
    }
}

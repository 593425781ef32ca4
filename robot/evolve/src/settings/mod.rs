//! The parameters of the algorithms, and where each has its own values.

mod algorithm;
mod presets;

pub use algorithm::{Algorithm, SampleOwner, UnknownAlgorithm};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_kernels::tree::suggest;

/// What genotypes are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Representation {
    /// The tree itself (thesis 3.2.2).
    #[default]
    Tree,
    /// A main tree and functions that it may call, all evolving (automatically defined functions, Koza 1994).
    Adf,
    /// A bit string from which a grammar generates the tree (thesis 3.2.1).
    Grammar,
    /// The weights of a recurrent network that reads every sense the primitive set knows.
    Network,
}

/// Parameters. Those that an algorithm does not use say nothing in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Which algorithm.
    pub algorithm: Algorithm,
    /// What genotypes are.
    pub representation: Representation,
    /// Individuals on an island, 8..=4096.
    #[schemars(range(min = 8, max = 4096))]
    pub population: usize,
    /// Part of the population that is elite, 0.01..=0.9.
    #[schemars(range(min = 0.01, max = 0.9))]
    pub elite: f32,
    /// Part of the non-elite that is replaced: `pooled-samples` replaces the least fit, `noise-aware` each with this probability.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub replace: f32,
    /// Probability that a replacement comes from crossover rather than from scratch; in `dars2016` that two of the
    /// chosen are crossed.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub crossover: f32,
    /// Individuals in a tournament, 1..=64.
    #[schemars(range(min = 1, max = 64))]
    pub tournament: usize,
    /// Depth of new trees, 1..=8; with a grammar the greatest depth of any tree.
    #[schemars(range(min = 1, max = 8))]
    pub depth: usize,
    /// Probability of mutation for each parameter; in `dars2016` that one of the tree's is drawn anew.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub mutate_parameter: f32,
    /// Probability that a node is replaced by one of the same arity; in `dars2016` that one of the tree's is.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub mutate_point: f32,
    /// Probability that an individual gets a new subtree.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub mutate_subtree: f32,
    /// Probability that a subtree shrinks to one of its leaves, in `dars2016`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub mutate_shrink: f32,
    /// Trials of each new individual, 1..=1000; in `pooled-samples` and `noise-aware` everybody is tried once a generation.
    #[schemars(range(min = 1, max = 1000))]
    pub evaluations: u32,
    /// Evaluations after which an estimate counts in full (Eq. 8.1).
    #[schemars(range(min = 1, max = 1000))]
    pub full_evaluations: u32,
    /// Immigrants that replace the least fit at each exchange.
    pub immigrants: usize,
    /// Generations between exchanges with other islands: 1 in thesis 8.3.1, n_epoch in 5.5.1.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub exchange_every: u32,
    /// After so many generations an island starts afresh, its champion kept aside; 0 for never. By then all islands
    /// hold variants of one tree, and how good that one is depends on luck at the start: several starts are better.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub restart_every: u32,
    /// Functions of each individual, 1..=8, with `representation = "adf"`.
    #[schemars(range(min = 1, max = 8))]
    pub functions: u16,
    /// Length of the bit string, 32..=8192, with `representation = "grammar"`.
    #[schemars(range(min = 32, max = 8192))]
    pub bits: usize,
    /// Probability that a bit turns over, with `representation = "grammar"`.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub mutate_bit: f32,
    /// Hidden neurons, 0..=30, with `representation = "network"`.
    #[schemars(range(min = 0, max = 30))]
    pub hidden: u16,
    /// Fitness that a node costs in `racing`, 0..=0.1: of two trees that are as good the smaller one is kept. The default
    /// decides between equals only; with 0.001 a tree of ten nodes more has to be better by 0.01.
    #[schemars(range(min = 0.0, max = 0.1))]
    pub node_cost: f64,
}

/// Settings that cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// A parameter outside its range.
    #[error("settings.{name} = {value} is outside {low}..={high}")]
    Range {
        /// The parameter.
        name: &'static str,
        /// What was given.
        value: f64,
        /// Least allowed.
        low: f64,
        /// Greatest allowed.
        high: f64,
    },
    /// No such parameter.
    #[error("settings: unknown key `{name}`{hint}")]
    Unknown {
        /// What was written.
        name: String,
        /// The nearest right name, if one is near.
        hint: String,
    },
    /// A value of the wrong type.
    #[error("settings: {0}")]
    Type(String),
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::of(Algorithm::default())
    }
}

impl Settings {
    /// An algorithm's own values.
    pub fn of(algorithm: Algorithm) -> Settings {
        presets::preset(algorithm)
    }

    /// An algorithm's own values, with those of a TOML table (`[settings]` of an evolution file) in their place.
    ///
    /// # Errors
    /// One line: an unknown key and the nearest right one, a value of the wrong type, or one outside its range.
    pub fn read(algorithm: Algorithm, table: &toml::Table) -> Result<Settings, SettingsError> {
        let wrong = |message: String| SettingsError::Type(message.trim().replace('\n', "; "));
        let mut all = toml::Table::try_from(Settings::of(algorithm)).map_err(|error| wrong(error.to_string()))?;
        for (key, value) in table {
            // The algorithm is named beside the table: its own values have to be known first.
            if key == "algorithm" || !all.contains_key(key) {
                let known = all.keys().filter(|k| *k != "algorithm").cloned();
                return Err(SettingsError::Unknown { name: key.clone(), hint: suggest(key, known) });
            }
            all.insert(key.clone(), value.clone());
        }
        let settings: Settings = all.try_into().map_err(|error: toml::de::Error| wrong(error.to_string()))?;
        settings.check()?;
        Ok(settings)
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
            ("mutate_shrink", f64::from(self.mutate_shrink), 0.0, 1.0),
            ("evaluations", f64::from(self.evaluations), 1.0, 1000.0),
            ("full_evaluations", f64::from(self.full_evaluations), 1.0, 1000.0),
            ("immigrants", self.immigrants as f64, 0.0, self.population as f64 / 2.0),
            ("exchange_every", f64::from(self.exchange_every), 1.0, 1e6),
            ("restart_every", f64::from(self.restart_every), 0.0, 1e6),
            ("functions", f64::from(self.functions), 1.0, 8.0),
            ("bits", self.bits as f64, 32.0, 8192.0),
            ("mutate_bit", f64::from(self.mutate_bit), 0.0, 1.0),
            ("hidden", f64::from(self.hidden), 0.0, 30.0),
            ("node_cost", self.node_cost, 0.0, 0.1),
        ];
        for (name, value, low, high) in rows {
            if !(low..=high).contains(&value) {
                return Err(SettingsError::Range { name, value, low, high });
            }
        }
        Ok(())
    }

    /// Number of elite individuals, at least 1.
    pub fn elites(&self) -> usize {
        ((self.population as f32 * self.elite).round() as usize).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Settings, String> {
        Settings::read(Algorithm::Classic, &text.parse().unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_table_changes_what_it_names_and_leaves_the_algorithms_values() {
        let own = Settings::of(Algorithm::Classic);
        assert_eq!(read("").unwrap(), own, "numbers survive the way through TOML bit for bit");
        let changed = read("population = 32\nmutate_subtree = 0.05\nrepresentation = \"adf\"").unwrap();
        let expected = Settings { population: 32, mutate_subtree: 0.05, representation: Representation::Adf, ..own };
        assert_eq!(changed, expected);
    }

    #[test]
    fn errors_are_one_line_and_name_the_remedy() {
        let error = |text: &str| read(text).unwrap_err();
        assert_eq!(error("poplation = 3"), "settings: unknown key `poplation`; did you mean `population`?");
        assert_eq!(error("population = 3"), "settings.population = 3 is outside 8..=4096");
        assert_eq!(error("elite = nan"), "settings.elite = NaN is outside 0.01..=0.9");
        assert!(error("algorithm = \"classic\"").contains("unknown key `algorithm`"));
        for text in ["population = \"many\"", "population = -1", "representation = \"string\""] {
            let message = error(text);
            assert!(!message.contains('\n') && message.starts_with("settings: "), "{message}");
        }
        assert!(error("population = \"many\"").contains("population"), "{}", error("population = \"many\""));
    }
}

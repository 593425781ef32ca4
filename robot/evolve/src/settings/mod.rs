//! Parameters of the algorithms, and their defaults per algorithm.

mod algorithm;
mod presets;

pub use algorithm::{Algorithm, SampleOwner, UnknownAlgorithm};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_kernels::tree::{Tree, suggest};

/// Representation of genotypes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Representation {
    /// The tree itself (thesis 3.2.2).
    #[default]
    Tree,
    /// Main tree with functions that it may call. Tree and functions evolve (automatically defined functions, Koza
    /// 1994).
    Adf,
    /// Bit string from which a grammar generates the tree (thesis 3.2.1).
    Grammar,
    /// Weights of a recurrent network that reads every sensor register of the primitive set.
    Network,
}

/// Parameters of an algorithm. Parameters that the algorithm does not use have no effect.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Evolutionary algorithm.
    pub algorithm: Algorithm,
    /// Representation of genotypes.
    pub representation: Representation,
    /// Number of individuals of an island (8..=4096). In `racing` and `f-race`, number of trials per generation, in
    /// multiples of the run's trial length. In `median-stopping`, this number if no trial were stopped early.
    #[schemars(range(min = 8, max = 4096))]
    pub population: usize,
    /// Share of elite individuals in the population (0.01..=0.9).
    #[schemars(range(min = 0.01, max = 0.9))]
    pub elite: f32,
    /// Share of the non-elite individuals that is replaced (0..=1). `pooled-samples` replaces the least fit
    /// individuals. `noise-aware` replaces each individual with this probability.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub replace: f32,
    /// Probability that a replacement is created by crossover and not at random (0..=1). In `dars2016`, probability
    /// that a selected pair is crossed.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub crossover: f32,
    /// Tournament size (1..=64).
    #[schemars(range(min = 1, max = 64))]
    pub tournament: usize,
    /// Maximum depth of new trees (1..=8). With a grammar, maximum depth of all trees.
    #[schemars(range(min = 1, max = 8))]
    pub depth: usize,
    /// Probability that a parameter gets a new random value, per parameter (0..=1). In `dars2016`, probability that one
    /// parameter of the tree gets a new value.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub mutate_parameter: f32,
    /// Probability that a node is replaced by a node with the same number of children, per node (0..=1). In `dars2016`,
    /// probability that one node of the tree is replaced.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub mutate_point: f32,
    /// Probability that an individual gets a new subtree (0..=1).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub mutate_subtree: f32,
    /// Probability that a subtree shrinks to one of its leaves, in `dars2016` (0..=1).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub mutate_shrink: f32,
    /// Number of trials of each new individual (1..=1000). `pooled-samples` and `noise-aware` always use one trial per
    /// individual and generation.
    #[schemars(range(min = 1, max = 1000))]
    pub evaluations: u32,
    /// Number of evaluations from which an estimate has full weight (Eq. 8.1) (1..=1000).
    #[schemars(range(min = 1, max = 1000))]
    pub full_evaluations: u32,
    /// Maximum number of immigrants that replace the least fit individuals at each exchange (0..=population / 2).
    pub immigrants: usize,
    /// Number of generations between exchanges with other islands (1..=1000000): 1 in thesis 8.3.1, n_epoch in 5.5.1.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub exchange_every: u32,
    /// Number of generations after which an island starts afresh and stores its champion separately (0..=1000000; 0:
    /// never). An island converges to variants of one tree. The quality of this tree depends on the random start, so
    /// several starts give better results.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub restart_every: u32,
    /// Number of functions of each individual, with `representation = "adf"` (1..=8).
    #[schemars(range(min = 1, max = 8))]
    pub functions: u16,
    /// Length of the bit string, with `representation = "grammar"` (32..=8192 bits).
    #[schemars(range(min = 32, max = 8192))]
    pub bits: usize,
    /// Probability that a bit is inverted, with `representation = "grammar"` (0..=1).
    #[schemars(range(min = 0.0, max = 1.0))]
    pub mutate_bit: f32,
    /// Number of hidden neurons, with `representation = "network"` (0..=30).
    #[schemars(range(min = 0, max = 30))]
    pub hidden: u16,
    /// Fitness cost of a node in `racing`, which favours smaller trees (0..=0.1). The default decides only between
    /// trees of equal fitness. With 0.001, a tree with ten more nodes must be fitter by 0.01.
    #[schemars(range(min = 0.0, max = 0.1))]
    pub node_cost: f64,
    /// Whether trees run under `sel2(avoiding, tree)`, so that robots avoid collisions. Robots always do; `false` is for
    /// `xpuck evolve` only, for comparisons with other methods.
    pub avoiding: bool,
}

/// Reason why settings cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// A parameter is outside its range.
    #[error("settings.{name} = {value} is outside {low} to {high}")]
    Range {
        /// Name of the parameter.
        name: &'static str,
        /// Given value.
        value: f64,
        /// Minimum allowed value.
        low: f64,
        /// Maximum allowed value.
        high: f64,
    },
    /// A parameter has an unknown name.
    #[error("settings: unknown key `{name}`{hint}")]
    Unknown {
        /// Given name.
        name: String,
        /// Hint with the nearest valid name; empty if no valid name is similar.
        hint: String,
    },
    /// A value has the wrong type.
    #[error("settings: {0}")]
    Type(String),
}

impl Default for Settings {
    fn default() -> Settings {
        Settings::for_algorithm(Algorithm::default())
    }
}

impl Settings {
    /// Returns the default settings of an algorithm.
    pub fn for_algorithm(algorithm: Algorithm) -> Settings {
        presets::preset(algorithm)
    }

    /// Returns the default settings of an algorithm, overridden by the values of a TOML table, such as `[settings]` of
    /// an evolution file.
    ///
    /// # Errors
    /// Returns an error for an unknown key (with the nearest valid key), a value of the wrong type, or a value outside
    /// its range. The message has one line.
    pub fn read(algorithm: Algorithm, table: &toml::Table) -> Result<Settings, SettingsError> {
        let wrong = |message: String| SettingsError::Type(message.trim().replace('\n', "; "));
        let mut all =
            toml::Table::try_from(Settings::for_algorithm(algorithm)).map_err(|error| wrong(error.to_string()))?;
        for (key, value) in table {
            // The table must not set the algorithm, because its default settings are needed before the table is read.
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

    /// Returns the tree that drives a robot: the tree of an individual with the collision avoidance, if any.
    pub fn driving(&self, tree: &Tree) -> Tree {
        if self.avoiding { tree.under_avoiding() } else { tree.clone() }
    }

    /// Validates the ranges of all parameters.
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

    /// Returns the number of elite individuals, at least 1.
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
    fn table_overrides_only_its_own_keys() {
        let own = Settings::for_algorithm(Algorithm::Classic);
        assert_eq!(read("").unwrap(), own, "numbers survive the way through TOML bit for bit");
        let changed = read("population = 32\nmutate_subtree = 0.05\nrepresentation = \"adf\"").unwrap();
        let expected = Settings { population: 32, mutate_subtree: 0.05, representation: Representation::Adf, ..own };
        assert_eq!(changed, expected);
    }

    #[test]
    fn errors_are_one_line_and_name_the_remedy() {
        let error = |text: &str| read(text).unwrap_err();
        assert_eq!(error("poplation = 3"), "settings: unknown key `poplation`; did you mean `population`?");
        assert_eq!(error("population = 3"), "settings.population = 3 is outside 8 to 4096");
        assert_eq!(error("elite = nan"), "settings.elite = NaN is outside 0.01 to 0.9");
        assert!(error("algorithm = \"classic\"").contains("unknown key `algorithm`"));
        for text in ["population = \"many\"", "population = -1", "representation = \"string\""] {
            let message = error(text);
            assert!(!message.contains('\n') && message.starts_with("settings: "), "{message}");
        }
        assert!(error("population = \"many\"").contains("population"), "{}", error("population = \"many\""));
    }
}

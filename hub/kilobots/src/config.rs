//! Configuration file of an experiment, in TOML. Every key is optional.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toml::{Table, Value};
use xpuck_evolve::{Algorithm, Settings, SettingsError, checkpoint};
use xpuck_kilobots::{Foraging, MAX_KILOBOTS, Motors};
use xpuck_lab::run_config::{self, ConfigError};

/// Maximum number of runs of an algorithm. It has two digits, because file names have two digits for the run.
const MOST_RUNS: f64 = 99.0;

/// Settings of an experiment: the runs of each algorithm, their world, and their measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Seed of all random numbers. The seed of run k consists of this number and k.
    pub seed: u32,
    /// Number of runs with each algorithm (1..99).
    #[schemars(range(min = 1, max = 99))]
    pub runs: u32,
    /// Budget of a run in simulations (100..10 000 000). A generation that would exceed the budget is not started.
    #[schemars(range(min = 100, max = 10_000_000))]
    pub simulations: u64,
    /// Number of fresh starts in which the best trees are measured after evolution (16..100 000).
    #[schemars(range(min = 16, max = 100_000))]
    pub fresh: u32,
    /// Algorithms of the experiment. `racing` and `dars2016` are suitable for this task.
    pub algorithms: Vec<Algorithm>,
    /// World of the experiment.
    pub world: WorldConfig,
    /// Changed parameters of each algorithm, by the algorithm's name.
    #[schemars(with = "std::collections::BTreeMap<String, std::collections::BTreeMap<String, f64>>")]
    pub settings: Table,
}

/// Settings of the world. The defaults are the values of the thesis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WorldConfig {
    /// Number of Kilobots (1..100).
    #[schemars(range(min = 1, max = 100))]
    pub robots: usize,
    /// Duration of a simulation (s), 1 to 36 000.
    pub seconds: f32,
    /// Length and width of the arena (m).
    pub arena: [f32; 2],
    /// Radius of the nest (m). The default is 0.2, or more if the start grid of the swarm is larger than that of 25
    /// Kilobots.
    #[schemars(with = "f32")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nest: Option<f32>,
    /// Width of the ring between nest and food (m).
    pub gap: f32,
    /// Distance between neighbouring start positions in the grid (m).
    pub spacing: f32,
    /// Rule for the results of motor nodes.
    pub motors: MotorNodes,
}

/// Rule for the results of motor nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MotorNodes {
    /// Rule of thesis 4.3: a motor node runs for one update and then succeeds.
    #[default]
    RunThenSucceed,
    /// Rule of the original program (Kilobox, 2016): the first motor node of an update succeeds at once, and a second
    /// one runs until the next update.
    SucceedAtOnce,
}

impl Default for WorldConfig {
    fn default() -> WorldConfig {
        let foraging = Foraging::thesis(25);
        WorldConfig {
            robots: foraging.robots,
            seconds: foraging.seconds,
            arena: [2.0 * foraging.half_arena.0, 2.0 * foraging.half_arena.1],
            nest: None,
            gap: foraging.gap,
            spacing: foraging.spacing,
            motors: MotorNodes::default(),
        }
    }
}

impl WorldConfig {
    /// Returns the simulator's parameters for this world.
    pub fn foraging(&self) -> Foraging {
        let mut foraging = Foraging {
            robots: self.robots,
            seconds: self.seconds,
            half_arena: (0.5 * self.arena[0], 0.5 * self.arena[1]),
            nest: self.nest.unwrap_or(Foraging::thesis(self.robots.clamp(1, MAX_KILOBOTS)).nest),
            gap: self.gap,
            spacing: self.spacing,
            ..Foraging::thesis(1)
        };
        foraging.robot.motors = match self.motors {
            MotorNodes::RunThenSucceed => Motors::RunThenSucceed,
            MotorNodes::SucceedAtOnce => Motors::SucceedAtOnce,
        };
        foraging
    }
}

impl Default for Config {
    fn default() -> Config {
        Config {
            seed: 1,
            runs: 25,
            simulations: 44_030,
            fresh: 200,
            algorithms: vec![Algorithm::Dars2016, Algorithm::Racing],
            world: WorldConfig::default(),
            settings: Table::new(),
        }
    }
}

impl Config {
    /// Loads a file, if given, and applies `overrides` to its keys.
    ///
    /// # Errors
    /// The file or an override is invalid. The error is one line with the file, and with the key or the line number.
    pub fn load(path: Option<&Path>, overrides: Table) -> Result<Config, ConfigError> {
        run_config::load("kilobots", path, overrides, Config::check)
    }

    /// Returns the configuration as a file with all keys.
    pub fn write(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    /// Returns a hash that identifies the experiment in the files of its runs. The algorithms and the numbers of runs
    /// and of fresh starts do not affect it.
    pub fn fingerprint(&self) -> u32 {
        let same = Config { runs: 1, fresh: 1, algorithms: Vec::new(), ..self.clone() };
        checkpoint::fingerprint([same.write().as_str()])
    }

    /// Returns whether the world is that of the thesis, so that results can be compared with the thesis.
    pub fn is_of_the_thesis(&self) -> bool {
        self.world.foraging() == Foraging::thesis(25)
    }

    /// Returns the runs in the order of execution: the first run of each algorithm, then the second, and so on.
    pub fn order(&self) -> impl Iterator<Item = (u32, Algorithm)> {
        (1..=self.runs).flat_map(|run| self.algorithms.iter().map(move |algorithm| (run, *algorithm)))
    }

    /// Returns the parameters of an algorithm in this experiment.
    ///
    /// # Errors
    /// A key or value of `[settings.NAME]` is invalid.
    pub fn settings(&self, algorithm: Algorithm) -> Result<Settings, SettingsError> {
        match self.settings.get(algorithm.name()) {
            None => Ok(Settings::for_algorithm(algorithm)),
            Some(Value::Table(table)) => Settings::read(algorithm, table),
            Some(_) => Err(SettingsError::Type(format!("{} must be a table", algorithm.name()))),
        }
    }

    fn check(&self) -> Result<(), String> {
        let rows = [
            ("runs", f64::from(self.runs), 1.0, MOST_RUNS),
            ("simulations", self.simulations as f64, 100.0, 1e7),
            ("fresh", f64::from(self.fresh), 16.0, 1e5),
        ];
        if let Some((name, value, low, high)) = rows.iter().find(|(_, value, low, high)| !(low..=high).contains(&value))
        {
            return Err(format!("{name} = {value}: must be {low} to {high}"));
        }
        if self.algorithms.is_empty() {
            return Err("algorithms = []: must list at least one algorithm, such as \"racing\"".into());
        }
        if let Some(twice) = (1..self.algorithms.len()).find(|i| self.algorithms[..*i].contains(&self.algorithms[*i])) {
            return Err(format!("algorithms: {} is listed twice; remove one", self.algorithms[twice].name()));
        }
        if self.algorithms.contains(&Algorithm::MedianStopping) {
            // Its rules compare results at half of a trial, where few Kilobots have delivered food.
            return Err(
                "algorithms: median-stopping stops trials early, and Kilobots need whole trials; use racing".into()
            );
        }
        if let Some(unknown) = self.settings.keys().find(|key| !self.algorithms.iter().any(|a| a.name() == *key)) {
            return Err(format!(
                "settings.{unknown}: this algorithm is not in `algorithms`; add it there, or remove its settings"
            ));
        }
        for algorithm in &self.algorithms {
            let settings = self.settings(*algorithm).map_err(|error| format!("{}: {error}", algorithm.name()))?;
            settings.check().map_err(|error| format!("{}: {error}", algorithm.name()))?;
        }
        self.world.foraging().check().map_err(|message| format!("world: {message}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_config(text: &str) -> Result<Config, ConfigError> {
        Config::load(None, text.parse().unwrap())
    }

    #[test]
    fn written_config_is_read_back() {
        let config = parse_config("runs = 3\n[world]\nrobots = 9\n[settings.racing]\npopulation = 64").unwrap();
        assert_eq!(Config::load(None, config.write().parse().unwrap()).unwrap(), config);
        assert_eq!(config.settings(Algorithm::Racing).unwrap().population, 64);
        assert_eq!(Config::default().world.foraging(), Foraging::thesis(25));
    }

    #[test]
    fn more_runs_are_of_the_same_experiment_another_world_is_not() {
        let number = |text: &str| parse_config(text).unwrap().fingerprint();
        assert_eq!(number("runs = 3"), number("runs = 25\nfresh = 400\nalgorithms = [\"racing\"]"));
        assert_ne!(number(""), number("world.gap = 0.2"));
        assert_ne!(number(""), number("seed = 2"));
    }

    #[test]
    fn config_errors_name_their_key() {
        let error = |text: &str| parse_config(text).unwrap_err().to_string();
        assert!(error("runs = 0").contains("runs = 0: must be 1 to 99"));
        assert!(error("world.robots = 101").contains("world: 101 Kilobots; 1 to 100 are allowed"));
        assert!(error("world.robots = 100\nworld.arena = [0.4, 0.4]").contains("use fewer robots or a larger arena"));
        assert!(error("world.nest = 0.01").contains("start in the food"));
        assert!(error("algorithms = []").contains("at least one"));
        assert!(error("algorithms = [\"racing\", \"racing\"]").contains("racing is listed twice"));
        assert!(error("algorithms = [\"median-stopping\"]").contains("use racing"));
        assert!(
            error("[settings.dars2017]\npopulation = 20")
                .contains("settings.dars2017: this algorithm is not in `algorithms`")
        );
        assert!(error("[settings.racing]\npopulaton = 20").contains("did you mean `population`"));
        assert!(error("[settings.racing]\npopulation = 2").contains("settings.population = 2 is outside 8 to 4096"));
    }
}

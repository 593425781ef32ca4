//! The file of a run: TOML, every key optional.

use super::ancestor::Ancestor;
use super::creature::{Creatures, Weights};
use crate::run_config::{self, ConfigError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toml::Table;
use xpuck_bodies::{Rhythm, Start, Trial};
use xpuck_evolve::checkpoint;
use xpuck_evolve::families::{FamilySettings, Sharing};

/// Children of a survivor in the document's program.
const PUBLISHED_CHILDREN: usize = 5;

/// A run of evolution of bodies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "BodiesFile")]
pub struct Config {
    /// Of all draws.
    pub seed: u64,
    /// Populations that search side by side, 1..=64.
    #[schemars(range(min = 1, max = 64))]
    pub islands: u16,
    /// Bodies that each island evaluates, 1..=1 000 000.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub evaluations: u64,
    /// Steps of 1/240 s of an evaluation, 1..=100 000.
    #[schemars(range(min = 1, max = 100_000))]
    pub steps: u32,
    /// Period of the brain's rhythm, s, 0.05 to 100; 0 for a brain that feels touch as other sensors do.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub period: f64,
    /// True for bodies that begin with the root 2 m above the ground, as in pyro-corpus, where what hangs lower is thrown out of it.
    pub thrown: bool,
    /// Generations between exchanges of islands, whose best go round a ring; 0 for none.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub exchange_every: u32,
    /// The body, as PRIF, that founders are mutations of; a single brain without it.
    pub from: Option<String>,
    /// Weights of its brain: those of all motors for its first sensor, then for the second; drawn anew for each founder without it.
    pub from_weights: Option<Vec<f64>>,
    /// Mutations that founders are made by of one brain, or, up to so many, of `from`; 0..=1000.
    #[schemars(range(min = 0, max = 1000))]
    pub founder_mutations: u32,
    /// Probability that a child's body is mutated; if it is not, its brain is.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub body: f32,
    /// Probability that a child's brain is mutated beside its body.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub brain: f32,
    /// How weights change.
    pub weights: Weights,
    /// All as pyro-corpus's program behaves: brains drawn anew, two mutations, two of a family, no rhythm.
    pub as_published: bool,
    /// Who survives.
    pub families: FamilySettings,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            seed: 1,
            islands: 1,
            evaluations: 1000,
            steps: xpuck_bodies::STEPS,
            period: 0.4,
            thrown: false,
            exchange_every: 5,
            from: None,
            from_weights: None,
            founder_mutations: 12,
            body: 0.6,
            brain: 0.5,
            weights: Weights::Readme,
            as_published: false,
            families: FamilySettings::default(),
        }
    }
}

impl Config {
    /// Of a file, if there is one, with keys given elsewhere in the place of its own.
    ///
    /// # Errors
    /// One line with the file, and the key or the line.
    pub fn load(path: Option<&Path>, overrides: Table) -> Result<Config, ConfigError> {
        run_config::load("bodies", path, overrides, Config::check).map(Config::settled)
    }

    /// As a file with every key.
    pub fn write(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    /// The number by which a checkpoint knows this run. How long it is does not count, as no generation depends on it.
    pub fn fingerprint(&self) -> u32 {
        checkpoint::fingerprint([Config { evaluations: 0, ..self.clone() }.write().as_str()])
    }

    /// The same run with more evaluations.
    ///
    /// # Errors
    /// One line: they are fewer than it has, or too many.
    pub fn prolonged(&self, evaluations: u64) -> Result<Config, String> {
        if evaluations < self.evaluations {
            return Err(format!(
                "{evaluations} evaluations; the run has {} of each island, ask for more",
                self.evaluations
            ));
        }
        let longer = Config { evaluations, ..self.clone() };
        longer.check().map(|()| longer)
    }

    fn ancestor(&self) -> Result<Option<Ancestor>, String> {
        match (&self.from, &self.from_weights) {
            (Some(text), weights) => Ancestor::read(text, weights.as_deref()).map(Some),
            (None, Some(_)) => Err("from_weights: they are a brain's of the body `from`, which is not there".into()),
            (None, None) => Ok(None),
        }
    }

    /// How creatures begin and vary.
    pub fn creatures(&self) -> Creatures {
        Creatures {
            // What is no body was refused when the file was read.
            ancestor: self.ancestor().ok().flatten(),
            founder_mutations: self.founder_mutations,
            body: self.body,
            brain: self.brain,
            weights: self.weights,
            as_published: self.as_published,
        }
    }

    /// How bodies are tried.
    pub fn trial(&self) -> Trial {
        if self.as_published {
            return Trial::AS_PUBLISHED;
        }
        Trial {
            rhythm: Rhythm::of_period(self.period),
            start: if self.thrown { Start::Published } else { Start::OnGround },
        }
    }

    /// What one key says of several.
    fn settled(mut self) -> Config {
        if self.as_published {
            self.families.sharing = Sharing::Published;
            self.families.children = PUBLISHED_CHILDREN;
            self.families.crossover = 0.0;
        }
        self
    }

    fn check(&self) -> Result<(), String> {
        let rows = [
            ("islands", f64::from(self.islands), 1.0, 64.0),
            ("evaluations", self.evaluations as f64, 1.0, 1e6),
            ("steps", f64::from(self.steps), 1.0, 1e5),
            ("period", if self.period == 0.0 { 1.0 } else { self.period }, 0.05, 100.0),
            ("exchange_every", f64::from(self.exchange_every), 0.0, 1e6),
            ("founder_mutations", f64::from(self.founder_mutations), 0.0, 1000.0),
            ("body", f64::from(self.body), 0.0, 1.0),
            ("brain", f64::from(self.brain), 0.0, 1.0),
        ];
        if let Some((name, value, low, high)) = rows.iter().find(|(_, value, low, high)| !(low..=high).contains(&value))
        {
            return Err(format!("{name} = {value}: it lies between {low} and {high}"));
        }
        self.ancestor()?;
        self.families.check().map_err(|error| format!("families.{error}"))
    }
}

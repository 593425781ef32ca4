//! The file of a run: TOML, every key optional.

use super::creature::{Creatures, Weights};
use serde::{Deserialize, Serialize};
use std::path::Path;
use toml::{Table, Value};
use xpuck_bodies::{Rhythm, Start, Trial};
use xpuck_evolve::checkpoint;
use xpuck_evolve::families::{FamilySettings, Sharing};
use xpuck_wire::file::{self, FileError};

/// Children of a survivor in the document's program.
const PUBLISHED_CHILDREN: usize = 5;
/// Longest file, bytes.
const MAX_TEXT: u64 = 1 << 16;

/// What a run is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Of all draws.
    pub seed: u64,
    /// Populations that search side by side, 1..=64.
    pub islands: u16,
    /// Bodies that each island evaluates, 1..=1 000 000.
    pub evaluations: u64,
    /// Steps of 1/240 s of an evaluation, 1..=100 000.
    pub steps: u32,
    /// Period of the brain's rhythm, s, 0.05 to 100; 0 for a brain that feels touch as other sensors do.
    pub period: f64,
    /// True for bodies that begin with the root 2 m above the ground, as in pyro-corpus, where what hangs lower is thrown out of it.
    pub thrown: bool,
    /// Generations between exchanges of islands, whose best go round a ring; 0 for none.
    pub exchange_every: u32,
    /// Mutations of one brain that founders are made by, 0..=1000.
    pub founder_mutations: u32,
    /// Probability that a child's body is mutated; if it is not, its brain is.
    pub body: f32,
    /// Probability that a child's brain is mutated beside its body.
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
        let name = path.map_or("bodies".into(), |path| path.display().to_string());
        let mut table = match path {
            None => Table::new(),
            Some(path) => {
                let text = file::text(path, MAX_TEXT)?;
                // Read on its own first, so that an error names the line.
                file::parse::<Config>(&name, &text)?;
                file::parse(&name, &text)?
            }
        };
        crate::evolution_run::file::merge(&mut table, overrides);
        let wrong = |error: toml::de::Error| ConfigError::Value(name.clone(), error.message().replace('\n', "; "));
        let config: Config = Value::Table(table).try_into().map_err(wrong)?;
        config.check().map_err(|message| ConfigError::Value(name, message))?;
        Ok(config.settled())
    }

    /// As a file with every key.
    pub fn write(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    /// The number by which a checkpoint knows this run.
    pub fn fingerprint(&self) -> u32 {
        checkpoint::fingerprint([self.write().as_str()])
    }

    /// How creatures begin and vary.
    pub fn creatures(&self) -> Creatures {
        Creatures {
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
        self.families.check().map_err(|error| format!("families.{error}"))
    }
}

/// A file that describes no run.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// It cannot be read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A key or its value.
    #[error("{0}: {1}")]
    Value(String, String),
}

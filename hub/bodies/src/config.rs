//! Configuration file of a run (TOML). All keys are optional.

use super::ancestor::Ancestor;
use super::creature::{CreatureSpecies, Weights};
use super::fitness::{Fitness, Measure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toml::Table;
use xpuck_bodies::variation::half_of_body;
use xpuck_bodies::{EvaluationConditions, PERIODS, Plan, Rhythm, Start};
use xpuck_evolve::checkpoint;
use xpuck_evolve::families::{FamilySettings, Sharing};
use xpuck_lab::run_config::{self, ConfigError};

/// Settings of a body evolution run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
#[schemars(rename = "BodiesFile")]
pub struct Config {
    /// Seed of all random numbers.
    pub seed: u64,
    /// Number of populations that evolve in parallel (1..=64).
    #[schemars(range(min = 1, max = 64))]
    pub islands: u16,
    /// Budget of each island in evaluations of `steps` steps (1..=1 000 000). Second walks of the last generation are
    /// not counted. An evaluation that ends early counts in proportion to its steps.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub evaluations: u64,
    /// Number of steps of an evaluation (1..=100 000). A step lasts 1/240 s.
    #[schemars(range(min = 1, max = 100_000))]
    pub steps: u32,
    /// Period of the brain's rhythm (s, 0.05..=100, or 0). With 0, the brain part has no rhythm, and senses touch like
    /// the sensor parts.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub period: f64,
    /// Whether each brain has its own period. It starts between 0.25 and 1.5 times `period`, and evolves.
    pub own_periods: bool,
    /// Whether the left and the right side of each body are mirror images, with respect to the walking direction
    /// [default: whether `from` is symmetric, or true without `from`].
    pub symmetric: Option<bool>,
    /// Maximum number of parts of a body (1..=256).
    #[schemars(range(min = 1, max = 256))]
    pub parts: u32,
    /// Definition of the fitness.
    pub fitness: Measure,
    /// Whether an evaluation is aborted when the body is too slow to survive, compared with the bodies that it would
    /// have to beat.
    pub early: bool,
    /// Whether a body that would become the best is evaluated a second time, from a start position one millimetre
    /// higher. The smaller distance counts.
    pub twice: bool,
    /// Number of founders (1..=10 000). All founders walk for a twentieth of the steps. The founders with the longest
    /// distances fill the population and are evaluated. Without `early`, or with `from`, the number of founders is
    /// the population size instead.
    #[schemars(range(min = 1, max = 10_000))]
    pub founders: u32,
    /// Whether bodies start with the root 2 m above the ground, as in pyro-corpus. Parts that are below the ground
    /// are then ejected from it.
    pub thrown: bool,
    /// Number of generations between migrations; 0 disables migrations. In a migration, the best body of each island
    /// moves to the next island of a ring.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub exchange_every: u32,
    /// Definition of the ancestor's body in PRIF [default: a single brain]. The founders are mutants of this body.
    pub from: Option<String>,
    /// Weights of the brain of `from`, ordered by sensor, and then by motor [default: drawn for each founder].
    pub from_weights: Option<Vec<f64>>,
    /// Own period of the brain of `from` (s). It requires `from_weights`.
    pub from_period: Option<f64>,
    /// Number of mutations by which a founder is created from a single brain (0..=1000). With `from`, the maximum
    /// number of mutations by which a founder is created from the body in `from`.
    #[schemars(range(min = 0, max = 1000))]
    pub founder_mutations: u32,
    /// Probability that a child's body is mutated; otherwise its brain is mutated.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub body: f32,
    /// Probability that a child's brain is mutated in addition to its body.
    #[schemars(range(min = 0.0, max = 1.0))]
    pub brain: f32,
    /// Method of mutating the weights of a brain.
    pub weights: Weights,
    /// Whether to reproduce the program pyro-corpus: each child gets a new brain and two mutations of its body, at
    /// most two bodies of a family survive, and brains have no rhythm.
    pub as_published: bool,
    /// Settings of the evolution with families, which include the rules of survival.
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
            own_periods: true,
            symmetric: None,
            parts: 24,
            fitness: Measure::default(),
            early: true,
            twice: true,
            founders: 400,
            thrown: false,
            exchange_every: 5,
            from: None,
            from_weights: None,
            from_period: None,
            founder_mutations: 6,
            body: 0.6,
            brain: 0.5,
            weights: Weights::Steps,
            as_published: false,
            families: FamilySettings::default(),
        }
    }
}

impl Config {
    /// Loads a configuration file, if a path is given, and replaces keys by those in `overrides`.
    ///
    /// # Errors
    /// One line with the file, and the key or the line.
    pub fn load(path: Option<&Path>, overrides: Table) -> Result<Config, ConfigError> {
        run_config::load("bodies", path, overrides, Config::check).map(Config::with_derived_keys)
    }

    /// Returns the text of a configuration file with all keys.
    pub fn write(&self) -> String {
        toml::to_string(self).unwrap_or_default()
    }

    /// Returns a hash that identifies this run in checkpoints. It does not depend on the number of evaluations,
    /// because no generation depends on this number.
    pub fn fingerprint(&self) -> u32 {
        checkpoint::fingerprint([Config { evaluations: 0, ..self.clone() }.write().as_str()])
    }

    /// Returns the configuration of the same run with more evaluations.
    ///
    /// # Errors
    /// One line, if the number is smaller than that of the run, or too large.
    pub fn prolonged(&self, evaluations: u64) -> Result<Config, String> {
        if evaluations < self.evaluations {
            return Err(format!(
                "evaluations = {evaluations}: the run already has {} per island; increase it",
                self.evaluations
            ));
        }
        let longer = Config { evaluations, ..self.clone() };
        longer.check().map(|()| longer)
    }

    fn ancestor(&self) -> Result<Option<Ancestor>, String> {
        if self.from_period.is_some() && self.from_weights.is_none() {
            return Err("from_period: requires `from_weights`".into());
        }
        match (&self.from, &self.from_weights) {
            (Some(text), weights) => {
                self.checked(Ancestor::read(text, weights.as_deref(), self.from_period)?).map(Some)
            }
            (None, Some(_)) => Err("from_weights: requires `from`, the body of the brain".into()),
            (None, None) => Ok(None),
        }
    }

    fn is_symmetric(&self) -> bool {
        // `check` has rejected invalid bodies when the file was loaded.
        let ancestor = || self.ancestor().ok().flatten();
        self.symmetric.unwrap_or_else(|| ancestor().is_none_or(|ancestor| half_of_body(ancestor.prif()).is_some()))
    }

    /// Checks that an ancestor satisfies the limits of this run, and returns it.
    fn checked(&self, ancestor: Ancestor) -> Result<Ancestor, String> {
        let parts = Plan::new(ancestor.prif()).map_or(0, |plan| plan.parts().len());
        if parts > self.parts as usize {
            return Err(format!("from: the body has {parts} parts, but parts = {}; increase `parts`", self.parts));
        }
        if self.symmetric == Some(true) && half_of_body(ancestor.prif()).is_none() {
            return Err("from: the body is not symmetric; remove symmetric = true".into());
        }
        Ok(ancestor)
    }

    /// Returns the number of founders in the first generation.
    pub fn first_founders(&self) -> usize {
        let population = self.families.population;
        // A body of the user may be slow at first. Its mutants are therefore all evaluated, without a selection by a
        // short walk (heat).
        let have_heats = self.fitness().early && self.from.is_none();
        if have_heats { population.max(self.founders as usize) } else { population }
    }

    /// Returns the rules for the creation and variation of creatures.
    pub fn creatures(&self) -> CreatureSpecies {
        CreatureSpecies {
            // `check` has rejected invalid bodies when the file was loaded.
            ancestor: self.ancestor().ok().flatten(),
            founder_mutations: self.founder_mutations,
            body: self.body,
            brain: self.brain,
            weights: self.weights,
            own_period: (self.own_periods && self.period > 0.0).then_some(self.period),
            symmetric: self.is_symmetric(),
            parts: self.parts as usize,
            as_published: self.as_published,
        }
    }

    /// Returns the fitness function.
    pub fn fitness(&self) -> Fitness {
        // Evaluations are not aborted with an archive, because a body that would not survive may still fill a cell.
        let early = self.early && self.families.cells.is_none();
        Fitness { measure: self.fitness, trial: self.trial(), steps: self.steps, early, twice: self.twice }
    }

    /// Returns the conditions of an evaluation: rhythm and start position.
    pub fn trial(&self) -> EvaluationConditions {
        EvaluationConditions {
            rhythm: Rhythm::from_period(self.period),
            start: if self.thrown { Start::Published } else { Start::OnGround },
        }
    }

    /// Sets all keys that follow from other keys.
    fn with_derived_keys(mut self) -> Config {
        if self.as_published {
            let FamilySettings { population, cells, .. } = self.families;
            let sharing = Sharing::Published;
            self.families = FamilySettings { population, cells, sharing, ..FamilySettings::document() };
            (self.symmetric, self.own_periods, self.early, self.twice) = (Some(false), false, false, false);
            // Without a period, a brain part has no rhythm and senses touch.
            (self.thrown, self.period) = (true, 0.0);
            (self.fitness, self.parts) = (Measure::Root, xpuck_bodies::prif::MAX_PARTS as u32);
        } else {
            self.symmetric = Some(self.is_symmetric());
        }
        self
    }

    fn check(&self) -> Result<(), String> {
        let rows = [
            ("islands", f64::from(self.islands), 1.0, 64.0),
            ("evaluations", self.evaluations as f64, 1.0, 1e6),
            ("steps", f64::from(self.steps), 1.0, 1e5),
            ("founders", f64::from(self.founders), 1.0, 1e4),
            ("parts", f64::from(self.parts), 1.0, xpuck_bodies::prif::MAX_PARTS as f64),
            ("from_period", self.from_period.unwrap_or(1.0), *PERIODS.start(), *PERIODS.end()),
            ("exchange_every", f64::from(self.exchange_every), 0.0, 1e6),
            ("founder_mutations", f64::from(self.founder_mutations), 0.0, 1000.0),
            ("body", f64::from(self.body), 0.0, 1.0),
            ("brain", f64::from(self.brain), 0.0, 1.0),
        ];
        if let Some((name, value, low, high)) = rows.iter().find(|(_, value, low, high)| !(low..=high).contains(&value))
        {
            return Err(format!("{name} = {value}: must be {low} to {high}"));
        }
        if !Rhythm::has_period(self.period) {
            return Err(format!("period = {}: must be 0.05 to 100, or 0", self.period));
        }
        self.ancestor()?;
        self.families.check().map_err(|error| format!("families.{error}"))
    }
}

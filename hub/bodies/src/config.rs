//! The file of a run: TOML, every key optional.

use super::ancestor::Ancestor;
use super::creature::{Creatures, Weights};
use super::fitness::{Fitness, Measure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;
use toml::Table;
use xpuck_bodies::variation::half;
use xpuck_bodies::{PERIODS, Plan, Rhythm, Start, Trial};
use xpuck_evolve::checkpoint;
use xpuck_evolve::families::{FamilySettings, Sharing};
use xpuck_lab::run_config::{self, ConfigError};

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
    /// Evaluations that each island has, 1..=1 000 000: so many times `steps` are simulated, and second walks of the last
    /// generation on top. One that ends early takes what it took.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub evaluations: u64,
    /// Steps of 1/240 s of an evaluation, 1..=100 000.
    #[schemars(range(min = 1, max = 100_000))]
    pub steps: u32,
    /// Period of the brain's rhythm, s, 0.05 to 100; 0 for a brain that feels touch as other sensors do.
    #[schemars(range(min = 0.0, max = 100.0))]
    pub period: f64,
    /// True for brains whose rhythms have periods of their own, which begin between a quarter of `period` and one and a half of it, and evolve.
    pub own_periods: bool,
    /// True for bodies that are their own mirror image, left and right of the way; by default where `from` is, or is not there.
    pub symmetric: Option<bool>,
    /// Most parts of a body, 1..=256.
    #[schemars(range(min = 1, max = 256))]
    pub parts: u32,
    /// What is the fitness of a body.
    pub fitness: Measure,
    /// True for evaluations that end early where a body cannot survive: it is given up as soon as it falls behind those that it would
    /// have to beat.
    pub early: bool,
    /// True for a second walk, from a start a millimetre higher, of what would be the best: of both ways the lesser one counts.
    pub twice: bool,
    /// Founders of the first generation, 1..=10 000: those that get furthest in a twentieth of the steps are evaluated, as many as the
    /// population has. Without `early`, and with `from`, there are no more than these.
    #[schemars(range(min = 1, max = 10_000))]
    pub founders: u32,
    /// True for bodies that begin with the root 2 m above the ground, as in pyro-corpus, where what hangs lower is thrown out of it.
    pub thrown: bool,
    /// Generations between exchanges of islands, whose best go round a ring; 0 for none.
    #[schemars(range(min = 0, max = 1_000_000))]
    pub exchange_every: u32,
    /// The body, as PRIF, that founders are mutations of; a single brain without it.
    pub from: Option<String>,
    /// Weights of its brain: those of all motors for its first sensor, then for the second; drawn anew for each founder without it.
    pub from_weights: Option<Vec<f64>>,
    /// The period of that brain's rhythm, s, if it has one of its own.
    pub from_period: Option<f64>,
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
        if self.from_period.is_some() && self.from_weights.is_none() {
            return Err("from_period: it is of the brain whose weights `from_weights` has, which are not there".into());
        }
        match (&self.from, &self.from_weights) {
            (Some(text), weights) => {
                self.fitting(Ancestor::read(text, weights.as_deref(), self.from_period)?).map(Some)
            }
            (None, Some(_)) => Err("from_weights: they are a brain's of the body `from`, which is not there".into()),
            (None, None) => Ok(None),
        }
    }

    fn is_symmetric(&self) -> bool {
        // What is no body was refused when the file was read.
        let ancestor = || self.ancestor().ok().flatten();
        self.symmetric.unwrap_or_else(|| ancestor().is_none_or(|ancestor| half(ancestor.prif()).is_some()))
    }

    /// An ancestor that bodies of this run may be like.
    fn fitting(&self, ancestor: Ancestor) -> Result<Ancestor, String> {
        let parts = Plan::new(ancestor.prif()).map_or(0, |plan| plan.parts().len());
        if parts > self.parts as usize {
            return Err(format!("from: {parts} parts, and parts = {}; make that more", self.parts));
        }
        if self.symmetric == Some(true) && half(ancestor.prif()).is_none() {
            return Err("from: the body is not its own mirror image; leave out symmetric = true".into());
        }
        Ok(ancestor)
    }

    /// Founders of the first generation.
    pub fn first_founders(&self) -> usize {
        let population = self.families.population;
        // Of a body of one's own, which may be slow at first, none is to fail in a heat.
        let have_heats = self.fitness().early && self.from.is_none();
        if have_heats { population.max(self.founders as usize) } else { population }
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
            own_period: (self.own_periods && self.period > 0.0).then_some(self.period),
            symmetric: self.is_symmetric(),
            parts: self.parts as usize,
            as_published: self.as_published,
        }
    }

    /// What their fitness is.
    pub fn fitness(&self) -> Fitness {
        // A kind that would not survive may still have a place in an archive.
        let early = self.early && self.families.cells.is_none();
        Fitness { measure: self.fitness, trial: self.trial(), steps: self.steps, early, twice: self.twice }
    }

    /// How bodies are tried.
    pub fn trial(&self) -> Trial {
        Trial {
            rhythm: Rhythm::of_period(self.period),
            start: if self.thrown { Start::Published } else { Start::OnGround },
        }
    }

    /// What one key says of several.
    fn settled(mut self) -> Config {
        if self.as_published {
            let FamilySettings { population, cells, .. } = self.families;
            let sharing = Sharing::Published;
            self.families = FamilySettings { population, cells, sharing, ..FamilySettings::document() };
            (self.symmetric, self.own_periods, self.early, self.twice) = (Some(false), false, false, false);
            // A brain whose rhythm never runs feels touch.
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
            return Err(format!("{name} = {value}: it lies between {low} and {high}"));
        }
        if !Rhythm::has_period(self.period) {
            return Err(format!("period = {}: it lies between 0.05 and 100, or is 0", self.period));
        }
        self.ancestor()?;
        self.families.check().map_err(|error| format!("families.{error}"))
    }
}

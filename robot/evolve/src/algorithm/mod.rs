//! The algorithms. What they share is [`Deme`]'s; what differs is a [`Rules`] in a file of its own.
//!
//! A new algorithm is such a file, with its settings and its rules, and its name in [`Algorithm`] and the lists there.

mod classic;
mod dars2016;
mod honest;
mod noise_aware;
mod racing;

pub(crate) use racing::Race;

use crate::deme::{Deme, Trial};
use crate::individual::{Individual, Migrant};
use crate::settings::{Representation, Settings};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// An evolutionary algorithm.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Algorithm {
    /// Thesis 4.3.1: ten trials of everybody but the elite, crossover of pairs, four mutations.
    Dars2016,
    /// Thesis 7.4.3: eight trials of everybody but the elite, every child from crossover, three mutations.
    Classic,
    /// Thesis 8.2.2: one trial of everybody, few replaced, samples accumulate; selects luck where copies meet.
    NoiseAware,
    /// The noise-aware algorithm with samples that belong to genotypes.
    Honest,
    /// A race of many new trees in the same worlds, with fresh starts, and guests from the other islands.
    #[default]
    Default,
}

/// To whom the samples of fitness belong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Form {
    /// To a genotype: no population holds two equal trees, equal migrants are dropped, and new ones start without the
    /// samples that made them look good elsewhere.
    #[default]
    Honest,
    /// To each copy, as the thesis describes it; this selects luck (docs/decisions.md, section 9).
    AsPublished,
}

impl Algorithm {
    /// Every algorithm.
    pub const ALL: [Algorithm; 5] =
        [Algorithm::Dars2016, Algorithm::Classic, Algorithm::NoiseAware, Algorithm::Honest, Algorithm::Default];

    /// The name by which it is chosen.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Dars2016 => "dars2016",
            Algorithm::Classic => "classic",
            Algorithm::NoiseAware => "noise-aware",
            Algorithm::Honest => "honest",
            Algorithm::Default => "default",
        }
    }

    /// To whom samples belong.
    pub fn form(self) -> Form {
        match self {
            Algorithm::Dars2016 | Algorithm::Classic | Algorithm::NoiseAware => Form::AsPublished,
            Algorithm::Honest | Algorithm::Default => Form::Honest,
        }
    }

    /// Its own settings.
    pub(crate) fn settings(self) -> Settings {
        match self {
            Algorithm::Dars2016 => dars2016::settings(),
            Algorithm::Classic => classic::settings(),
            Algorithm::NoiseAware => noise_aware::settings(),
            Algorithm::Honest => honest::settings(),
            Algorithm::Default => racing::settings(),
        }
    }

    /// What it decides by.
    pub(crate) fn rules(self) -> &'static dyn Rules {
        match self {
            Algorithm::Dars2016 => &dars2016::Dars2016,
            Algorithm::Classic => &classic::Classic,
            Algorithm::NoiseAware => &noise_aware::NoiseAware,
            Algorithm::Honest => &honest::Honest,
            Algorithm::Default => &racing::Racing,
        }
    }
}

/// A name that no algorithm has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no algorithm is called `{0}`; there are {names}", names = Algorithm::ALL.map(Algorithm::name).join(", "))]
pub struct UnknownAlgorithm(String);

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Algorithm, UnknownAlgorithm> {
        Algorithm::ALL.into_iter().find(|a| a.name() == name).ok_or_else(|| UnknownAlgorithm(name.into()))
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What an algorithm decides. It has no state of its own: all there is to know is in the deme.
pub(crate) trait Rules {
    /// Makes the population of a fresh start; here ramped half-and-half.
    fn populate(&self, deme: &mut Deme) {
        deme.ramp();
    }

    /// The trials of this generation; here one of everybody.
    fn trials(&self, deme: &Deme) -> Vec<Trial> {
        deme.trials_each(|_| 1)
    }

    /// What a trial's fitness counts.
    fn sample(&self, fitness: f64) -> f64 {
        fitness
    }

    /// What orders the population: the greatest first, the first of equals by age.
    fn worth(&self, individual: &Individual, settings: &Settings) -> f64;

    /// What the champion has most of.
    fn rank(&self, individual: &Individual, settings: &Settings) -> f64 {
        self.worth(individual, settings)
    }

    /// The individual to offer to other islands: from the top half of the elite, the fittest of those with 8
    /// evaluations, or failing that with 7, and so on (thesis 8.3.1). Where all have as many, this is the fittest.
    fn emigrant<'a>(&self, deme: &'a Deme, _champion: &'a Individual) -> &'a Individual {
        let (population, settings) = (deme.individuals(), deme.settings());
        let top = &population[..(settings.elites() / 2).max(1)];
        let most = top.iter().map(|i| i.samples.n().min(settings.full_evaluations)).max().unwrap_or(0);
        top.iter().find(|i| i.samples.n() >= most).unwrap_or(&population[0])
    }

    /// Takes immigrants in; here they replace the least fit.
    fn immigrate(&self, deme: &mut Deme, immigrants: &[Migrant]) {
        deme.immigrate(immigrants);
    }

    /// Makes the next population from the present one, which is in order.
    fn breed(&self, deme: &mut Deme);
}

/// What an algorithm's settings begin with: the thesis's values of Table 8.1 and 8.3.1, and sizes of our own for what the
/// thesis does not use.
fn published(algorithm: Algorithm) -> Settings {
    Settings {
        algorithm,
        representation: Representation::Tree,
        population: 256,
        elite: 0.25,
        replace: 0.25,
        crossover: 0.5,
        tournament: 3,
        depth: 6,
        mutate_parameter: 0.05,
        mutate_point: 0.05,
        mutate_subtree: 0.05,
        mutate_shrink: 0.0,
        evaluations: 1,
        full_evaluations: 8,
        immigrants: 8,
        exchange_every: 1,
        restart_every: 0,
        functions: 2,
        bits: 1024,
        mutate_bit: 0.005,
    }
}

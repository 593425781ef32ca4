//! The rules of the algorithms, each with what it remembers, in a file of its own. What all islands have is [`Deme`]'s.
//!
//! A new algorithm is such a file, a variant of [`State`], and its name and its settings in `settings/`.

mod classic;
mod dars2016;
mod noise_aware;
mod pooled_samples;
mod racing;

use crate::deme::{Deme, Trial};
use crate::genotype::Genotype;
use crate::individual::{Individual, Migrant, Operator};
use crate::settings::{Algorithm, Settings};
use classic::Classic;
use dars2016::Dars2016;
use noise_aware::NoiseAware;
use pooled_samples::PooledSamples;
use racing::Racing;
use serde::{Deserialize, Serialize};

/// An island's algorithm with what it remembers from one generation to the next.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum State {
    Dars2016(Dars2016),
    Classic(Classic),
    NoiseAware(NoiseAware),
    PooledSamples(PooledSamples),
    Racing(Racing),
}

impl State {
    /// An algorithm that has seen nothing yet.
    pub(crate) fn new(algorithm: Algorithm) -> State {
        match algorithm {
            Algorithm::Dars2016 => State::Dars2016(Dars2016),
            Algorithm::Classic => State::Classic(Classic),
            Algorithm::NoiseAware => State::NoiseAware(NoiseAware),
            Algorithm::PooledSamples => State::PooledSamples(PooledSamples),
            Algorithm::Racing => State::Racing(Racing::default()),
        }
    }

    pub(crate) fn rules(&self) -> &dyn Rules {
        match self {
            State::Dars2016(rules) => rules,
            State::Classic(rules) => rules,
            State::NoiseAware(rules) => rules,
            State::PooledSamples(rules) => rules,
            State::Racing(rules) => rules,
        }
    }

    pub(crate) fn rules_mut(&mut self) -> &mut dyn Rules {
        match self {
            State::Dars2016(rules) => rules,
            State::Classic(rules) => rules,
            State::NoiseAware(rules) => rules,
            State::PooledSamples(rules) => rules,
            State::Racing(rules) => rules,
        }
    }
}

/// What an algorithm decides.
pub(crate) trait Rules {
    /// Makes the population of a fresh start; here ramped half-and-half.
    fn populate(&mut self, deme: &mut Deme) {
        deme.ramp();
    }

    /// Makes the population of a start from trees that are worth a try; here they take the places of random ones.
    fn populate_with(&mut self, deme: &mut Deme, given: Vec<Genotype>) {
        self.populate(deme);
        for (place, genotype) in given.into_iter().take(deme.individuals().len()).enumerate() {
            let individual = deme.newborn(genotype, None, Operator::Migration);
            deme.replace(place, individual);
        }
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
    fn immigrate(&mut self, deme: &mut Deme, immigrants: &[Migrant]) {
        deme.immigrate(immigrants);
    }

    /// Makes the next population from the present one, which is in order.
    fn breed(&mut self, deme: &mut Deme);

    /// What the trials told so far is not true of those to come.
    fn forget(&mut self) {}

    /// The same where trials are a little different from now on.
    fn relearn(&mut self) {
        self.forget();
    }
}

//! Rules and state of each algorithm, one file per algorithm. [`Deme`] holds the state that every algorithm needs.
//!
//! To add an algorithm, add a file here, a variant of [`State`], and its name and settings in `settings/`.

mod classic;
mod dars2016;
mod f_race;
mod median_stopping;
mod noise_aware;
mod pooled_samples;
mod racing;

use crate::deme::{Deme, Trial};
use crate::genotype::Genotype;
use crate::individual::{Individual, Migrant, Operator};
use crate::settings::{Algorithm, Settings};
use classic::Classic;
use dars2016::Dars2016;
use f_race::FRace;
use median_stopping::MedianStopping;
use noise_aware::NoiseAware;
use pooled_samples::PooledSamples;
use racing::Racing;
use serde::{Deserialize, Serialize};

/// Algorithm of an island, with the state that it keeps between generations.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum State {
    Dars2016(Dars2016),
    Classic(Classic),
    NoiseAware(NoiseAware),
    PooledSamples(PooledSamples),
    Racing(Racing),
    MedianStopping(MedianStopping),
    FRace(FRace),
}

impl State {
    /// Creates the algorithm with its initial state.
    pub(crate) fn new(algorithm: Algorithm) -> State {
        match algorithm {
            Algorithm::Dars2016 => State::Dars2016(Dars2016),
            Algorithm::Classic => State::Classic(Classic),
            Algorithm::NoiseAware => State::NoiseAware(NoiseAware),
            Algorithm::PooledSamples => State::PooledSamples(PooledSamples),
            Algorithm::Racing => State::Racing(Racing::default()),
            Algorithm::MedianStopping => State::MedianStopping(MedianStopping::default()),
            Algorithm::FRace => State::FRace(FRace::default()),
        }
    }

    pub(crate) fn rules(&self) -> &dyn Rules {
        match self {
            State::Dars2016(rules) => rules,
            State::Classic(rules) => rules,
            State::NoiseAware(rules) => rules,
            State::PooledSamples(rules) => rules,
            State::Racing(rules) => rules,
            State::MedianStopping(rules) => rules,
            State::FRace(rules) => rules,
        }
    }

    pub(crate) fn rules_mut(&mut self) -> &mut dyn Rules {
        match self {
            State::Dars2016(rules) => rules,
            State::Classic(rules) => rules,
            State::NoiseAware(rules) => rules,
            State::PooledSamples(rules) => rules,
            State::Racing(rules) => rules,
            State::MedianStopping(rules) => rules,
            State::FRace(rules) => rules,
        }
    }
}

/// Decisions that differ between algorithms.
pub(crate) trait Rules {
    /// Creates the population of a fresh start. Default: ramped half-and-half.
    fn populate(&mut self, deme: &mut Deme) {
        deme.ramp();
    }

    /// Creates the population of a start from given genotypes. Default: the given genotypes replace the first random
    /// individuals.
    fn populate_with(&mut self, deme: &mut Deme, given: Vec<Genotype>) {
        self.populate(deme);
        for (place, genotype) in given.into_iter().take(deme.individuals().len()).enumerate() {
            let individual = deme.newborn(genotype, None, Operator::Migration);
            deme.replace(place, individual);
        }
    }

    /// Returns the trials of the current round. Default: one trial per individual.
    fn trials(&self, deme: &Deme) -> Vec<Trial> {
        deme.trials_each(|_| 1)
    }

    /// Records the results of the round's trials, and returns whether the generation is complete. Otherwise, the next
    /// round has at least one trial. Default: a generation has one round.
    fn end_round(&mut self, deme: &mut Deme, trials: &[Trial], results: &[f64]) -> bool {
        deme.record(trials, results);
        true
    }

    /// Converts the fitness of a trial to a sample.
    fn sample(&self, fitness: f64) -> f64 {
        fitness
    }

    /// Returns the sort key of an individual. The population is sorted from the greatest key to the smallest. Of two
    /// individuals with equal keys, the older one comes first.
    fn sort_key(&self, individual: &Individual, settings: &Settings) -> f64;

    /// Returns the value by which the champion is chosen. The individual with the greatest value is the champion.
    /// Default: the sort key.
    fn champion_value(&self, individual: &Individual, settings: &Settings) -> f64 {
        self.sort_key(individual, settings)
    }

    /// Returns the individual to offer to other islands. Default: the individual with the most evaluations in the top
    /// half of the elite (thesis 8.3.1). Evaluations beyond `full_evaluations` are not counted. If several individuals
    /// have the same number of evaluations, the fittest of them is returned.
    fn emigrant<'a>(&self, deme: &'a Deme, _champion: &'a Individual) -> &'a Individual {
        let (population, settings) = (deme.individuals(), deme.settings());
        let top = &population[..(settings.elites() / 2).max(1)];
        let most = top.iter().map(|i| i.samples.n().min(settings.full_evaluations)).max().unwrap_or(0);
        top.iter().find(|i| i.samples.n() >= most).unwrap_or(&population[0])
    }

    /// Inserts immigrants. Default: the immigrants replace the least fit individuals.
    fn immigrate(&mut self, deme: &mut Deme, immigrants: &[Migrant]) {
        deme.immigrate(immigrants);
    }

    /// Creates the next population from the current one, which is sorted.
    fn breed(&mut self, deme: &mut Deme);

    /// Discards state that depends on earlier trials, because later trials run in a different world.
    fn forget(&mut self) {}

    /// Adapts the state to a world that differs only slightly from the earlier one. Default: [`Rules::forget`].
    fn relearn(&mut self) {
        self.forget();
    }
}

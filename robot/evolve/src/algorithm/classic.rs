//! `classic`: the algorithm of thesis 7.4.3 with the parameters of Table 7.6. The island model of 5.5.1 is the same
//! algorithm with 32 individuals, `mutate_subtree` 0.05, and 5 immigrants every 2 generations.
//!
//! The three fittest individuals survive with their measured fitness. All others are replaced by children: two
//! parents are selected by tournaments over the whole population, then crossover and parameter, point and subtree
//! mutation follow. The fitness of a child is the mean of eight trials.

use super::Rules;
use crate::deme::{Deme, Trial};
use crate::individual::{Individual, Operator};
use crate::settings::Settings;
use crate::variation::{crossover, mutate};
use serde::{Deserialize, Serialize};

/// Algorithm `classic`, which keeps no state between generations.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Classic;

/// Returns the mean fitness over the trials of an individual.
pub(super) fn fitness(individual: &Individual) -> f64 {
    individual.samples.mean()
}

/// Returns the trials that each individual still lacks: all of them for a child, zero for an elite individual.
pub(super) fn lacking(deme: &Deme) -> Vec<Trial> {
    let evaluations = deme.settings().evaluations;
    deme.trials_each(|individual| evaluations.saturating_sub(individual.samples.n()))
}

impl Rules for Classic {
    fn trials(&self, deme: &Deme) -> Vec<Trial> {
        lacking(deme)
    }

    fn sort_key(&self, individual: &Individual, _: &Settings) -> f64 {
        fitness(individual)
    }

    fn breed(&mut self, deme: &mut Deme) {
        let all = deme.individuals().len();
        let mut children = Vec::new();
        for i in deme.settings().elites()..all {
            let mut draws = deme.draws(i);
            let mother = &deme.individuals()[deme.tournament(all, fitness, &mut draws)];
            let father = &deme.individuals()[deme.tournament(all, fitness, &mut draws)];
            let parents = [mother.id, father.id];
            let mut genotype = crossover(deme.space(), &mother.genotype, &father.genotype, &mut draws);
            mutate(deme.space(), &mut genotype, &mut draws);
            children.push(deme.newborn(genotype, Some(parents), Operator::Crossover));
        }
        deme.replace_rest(children);
    }
}

//! `classic`: the algorithm of thesis 7.4.3 with the parameters of Table 7.6; with 32 individuals, 0.05 for
//! `mutate_subtree`, and exchanges every 2 generations that bring 5 immigrants, the island model of 5.5.1.
//!
//! The three fittest stay and keep their measured fitness. All others are children: two parents from tournaments over
//! the whole population, crossover, parameter, point and subtree mutation; then eight trials, whose mean is the fitness.

use super::Rules;
use crate::deme::{Deme, Trial};
use crate::individual::{Individual, Operator};
use crate::settings::Settings;
use crate::variation::{crossover, mutate};
use serde::{Deserialize, Serialize};

/// Remembers nothing between generations.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Classic;

/// The mean of the trials.
pub(super) fn fitness(individual: &Individual) -> f64 {
    individual.samples.mean()
}

/// As many trials as each individual lacks: all of a child's, none of an elite's.
pub(super) fn lacking(deme: &Deme) -> Vec<Trial> {
    let evaluations = deme.settings().evaluations;
    deme.trials_each(|individual| evaluations.saturating_sub(individual.samples.n()))
}

impl Rules for Classic {
    fn trials(&self, deme: &Deme) -> Vec<Trial> {
        lacking(deme)
    }

    fn worth(&self, individual: &Individual, _: &Settings) -> f64 {
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

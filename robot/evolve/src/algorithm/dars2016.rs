//! `dars2016`: the algorithm of thesis 4.3.1 with the parameters of Table 4.3.
//!
//! The three fittest individuals survive with their measured fitness. The others are selected by tournaments over the
//! whole population. Pairs of selected individuals are crossed with probability 0.8, and both children are kept. Four
//! mutations may follow, each with its own probability: replacement of a subtree, shrinking of a subtree, replacement
//! of a node, and replacement of a constant. Every selected individual gets ten trials, even if variation left it
//! unchanged. This agrees with the thesis's 1.1 million simulations: 25 runs of 200 generations of 22 individuals, with
//! ten trials each.

use super::Rules;
use super::classic::{fitness, lacking};
use crate::deme::{Deme, Trial};
use crate::individual::{Individual, Operator};
use crate::settings::Settings;
use crate::variation::{exchange, mutate_once};
use serde::{Deserialize, Serialize};

/// Algorithm `dars2016`, which keeps no state between generations.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Dars2016;

impl Rules for Dars2016 {
    fn trials(&self, deme: &Deme) -> Vec<Trial> {
        lacking(deme)
    }

    fn sort_key(&self, individual: &Individual, _: &Settings) -> f64 {
        fitness(individual)
    }

    fn breed(&mut self, deme: &mut Deme) {
        let all = deme.individuals().len();
        let mut children = Vec::new();
        for i in (deme.settings().elites()..all).step_by(2) {
            let mut draws = deme.draws(i);
            let first = &deme.individuals()[deme.tournament(all, fitness, &mut draws)];
            let second = &deme.individuals()[deme.tournament(all, fitness, &mut draws)];
            // If the number of children is odd, the last child has no partner for crossover.
            let paired = i + 1 < all;
            let crossed = paired && draws.unit() < deme.settings().crossover;
            let (one, other) = if crossed {
                exchange(deme.space(), &first.genotype, &second.genotype, &mut draws)
            } else {
                (first.genotype.clone(), second.genotype.clone())
            };
            let (parents, operator) = match crossed {
                true => ([[first.id, second.id], [second.id, first.id]], Operator::Crossover),
                false => ([[first.id; 2], [second.id; 2]], Operator::Mutation),
            };
            for (mut genotype, parents) in [one, other].into_iter().zip(parents).take(1 + usize::from(paired)) {
                mutate_once(deme.space(), &mut genotype, &mut draws);
                children.push(deme.newborn(genotype, Some(parents), operator));
            }
        }
        deme.replace_rest(children);
    }
}

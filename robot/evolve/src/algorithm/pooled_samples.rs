//! `pooled-samples`: the noise-aware algorithm with samples that are pooled per genotype.
//!
//! A population never contains two equal trees. Individuals are compared by the posterior mean of their fitness minus
//! a small cost per node, so a lucky first sample has little effect. The least fit individuals are replaced, because
//! further samples of a poor individual would be wasted. Mutation makes small changes, and the island restarts after a
//! fixed number of generations.

use super::Rules;
use super::noise_aware::from_scratch;
use crate::deme::Deme;
use crate::individual::{Individual, Operator};
use crate::settings::Settings;
use crate::variation::{crossover, mutate_gently};
use serde::{Deserialize, Serialize};

/// Weight of the prior for a genotype, as a number of samples of fitness 0. The value is about (0.1 / 0.03)^2: the
/// noise of a trial is about 0.1, and the true fitness of relevant individuals differs by about 0.03.
const PRIOR_SAMPLES: f64 = 12.0;
/// Fitness cost of a node. Of two equally good trees, the smaller gets the higher value.
const NODE_COST: f64 = 5e-5;

/// Algorithm `pooled-samples`, which keeps no state between generations.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct PooledSamples;

/// Returns the posterior mean of the fitness under a prior with mean 0, minus the cost of the nodes.
fn worth(individual: &Individual) -> f64 {
    let n = f64::from(individual.samples.n());
    let estimate = individual.samples.mean() * n / (n + PRIOR_SAMPLES);
    estimate - NODE_COST * individual.tree.nodes().len() as f64
}

impl Rules for PooledSamples {
    fn sort_key(&self, individual: &Individual, _: &Settings) -> f64 {
        worth(individual)
    }

    fn breed(&mut self, deme: &mut Deme) {
        let elites = deme.settings().elites();
        let mut keys = deme.keys();
        let rest = deme.individuals().len() - elites;
        let kept = elites + ((1.0 - deme.settings().replace) * rest as f32).round() as usize;
        for i in kept..deme.individuals().len() {
            // New immigrants, which have no samples yet, are not replaced.
            if deme.individuals()[i].samples.n() == 0 {
                continue;
            }
            let mut draws = deme.draws(i);
            let child = if draws.unit() < deme.settings().crossover {
                let mother = &deme.individuals()[deme.tournament(elites, worth, &mut draws)];
                let father = &deme.individuals()[deme.tournament(elites, worth, &mut draws)];
                let genotype = deme.new_genotype(&mut keys, &mut draws, |space, draws| {
                    let mut child = crossover(space, &mother.genotype, &father.genotype, draws);
                    mutate_gently(space, &mut child, draws);
                    child
                });
                let parents = [mother.id, father.id];
                deme.newborn_with(genotype, Some(parents), Operator::Crossover)
            } else {
                let depth = deme.settings().depth;
                let genotype = deme.new_genotype(&mut keys, &mut draws, |space, draws| {
                    space.random(from_scratch(depth, draws), draws)
                });
                deme.newborn_with(genotype, None, Operator::Random)
            };
            deme.replace(i, child);
        }
    }
}

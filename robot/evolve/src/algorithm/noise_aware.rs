//! `noise-aware`: the algorithm of thesis 8.2.2 with the parameters of Table 8.1.
//!
//! Each individual gets one trial per generation, and samples accumulate. The elite survives. A quarter of the others
//! is replaced: half of this quarter by crossover of two elite individuals, half by new trees. Tournaments compare
//! the 95 % likelihood fitness. Each copy of a tree has its own samples. Therefore the algorithm tends to keep, send
//! and reproduce the copy with the luckiest samples.

use super::Rules;
use crate::deme::Deme;
use crate::generate::{Method, full, grow};
use crate::individual::{Individual, Operator};
use crate::settings::Settings;
use crate::variation::{crossover, mutate};
use serde::{Deserialize, Serialize};
use xpuck_kernels::random::Draws;

/// Number of standard errors by which the 95 % likelihood fitness is below the mean.
const LIKELIHOOD_95: f64 = 1.96;

/// Algorithm `noise-aware`, which keeps no state between generations.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NoiseAware;

/// Returns the value that tournaments compare: the 95 % likelihood fitness. For a single sample, returns half of the
/// sample.
fn likelihood(individual: &Individual) -> f64 {
    let samples = &individual.samples;
    if samples.n() < 2 {
        return samples.mean() / 2.0;
    }
    samples.mean() - LIKELIHOOD_95 * samples.deviation() / f64::from(samples.n()).sqrt()
}

/// Draws the method of a new tree (full or grow) and its depth (below `depth`).
pub(super) fn from_scratch(depth: usize, draws: &mut Draws) -> (Method, usize) {
    let level = draws.below(depth as u32) as usize;
    (if draws.unit() < 0.5 { full } else { grow }, level)
}

impl Rules for NoiseAware {
    fn sort_key(&self, individual: &Individual, _: &Settings) -> f64 {
        individual.samples.mean()
    }

    /// Returns the mean fitness, scaled down if there are fewer than `full_evaluations` evaluations (Eq. 8.1).
    fn champion_value(&self, individual: &Individual, settings: &Settings) -> f64 {
        individual.samples.derated(settings.full_evaluations)
    }

    fn breed(&mut self, deme: &mut Deme) {
        let elites = deme.settings().elites();
        for i in elites..deme.individuals().len() {
            let mut draws = deme.draws(i);
            if draws.unit() >= deme.settings().replace {
                continue;
            }
            let child = if draws.unit() < deme.settings().crossover {
                let mother = &deme.individuals()[deme.tournament(elites, likelihood, &mut draws)];
                let father = &deme.individuals()[deme.tournament(elites, likelihood, &mut draws)];
                let parents = [mother.id, father.id];
                let mut genotype = crossover(deme.space(), &mother.genotype, &father.genotype, &mut draws);
                mutate(deme.space(), &mut genotype, &mut draws);
                deme.newborn(genotype, Some(parents), Operator::Crossover)
            } else {
                let how = from_scratch(deme.settings().depth, &mut draws);
                let genotype = deme.space().random(how, &mut draws);
                deme.newborn(genotype, None, Operator::Random)
            };
            deme.replace(i, child);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Algorithm, Island, PrimitiveSet, Samples};

    #[test]
    fn likelihood_is_lower_bound_or_half_single_sample() {
        let island = Island::new(Settings::for_algorithm(Algorithm::NoiseAware), PrimitiveSet::in_swarm(), 1, 1);
        let with = |fitness: &[f64]| {
            let mut samples = Samples::default();
            fitness.iter().enumerate().for_each(|(i, f)| samples.add(i % 2, *f));
            likelihood(&Individual { samples, ..island.population()[0].clone() })
        };
        assert_eq!(with(&[0.4]), 0.2);
        assert_eq!(with(&[0.4, 0.4]), 0.4, "no spread, no doubt");
        // The four samples have the mean 0.3 and the standard deviation sqrt(0.08 / 3).
        let expected = 0.3 - 1.96 * (0.08f64 / 3.0).sqrt() / 2.0;
        assert!((with(&[0.1, 0.3, 0.3, 0.5]) - expected).abs() < 1e-12);
    }
}

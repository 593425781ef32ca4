//! Promotion of individuals from one stage of a race to the next.

use super::value;
use crate::deme::Deme;
use crate::individual::{Individual, Stage};
use std::collections::BTreeSet;

/// Number of contenders per elite individual. The number of finalists is a quarter of the number of contenders.
const CONTENDERS: usize = 3;
/// Maximum fitness deficit of a promoted newborn, relative to the elite's median fitness in the same worlds.
const MARGIN: f64 = 0.03;

/// Moves the best individuals of every stage to the next stage.
pub(super) fn promote(deme: &mut Deme) {
    let (elites, node_cost) = (deme.settings().elites(), deme.settings().node_cost);
    let (contenders, finalists) = (CONTENDERS * elites, (CONTENDERS * elites / 4).max(1));
    let mut stages: [Vec<Individual>; 5] = Default::default();
    for individual in std::mem::take(deme.individuals_mut()) {
        stages[individual.stage as usize].push(individual);
    }
    let [mut elite, guests, done, running, newborn] = stages;
    elite.extend(done);
    let elite = best(elite, elites, Stage::Elite, node_cost);
    let finalists = best(running, finalists, Stage::Finalist, node_cost);
    let mut contenders = best(passing(newborn, &elite), contenders, Stage::Contender, node_cost);
    // The samples that promoted a contender are biased upwards, so they are discarded.
    contenders.iter_mut().for_each(|i| i.samples = Default::default());
    *deme.individuals_mut() = [elite, guests, finalists, contenders].concat();
}

/// Returns the best `count` individuals by value, with their stage set to `stage`.
pub(super) fn best(mut all: Vec<Individual>, count: usize, stage: Stage, node_cost: f64) -> Vec<Individual> {
    let value = |individual: &Individual| value(individual, node_cost);
    all.sort_by(|a, b| value(b).total_cmp(&value(a)).then(a.id.cmp(&b.id)));
    all.truncate(count);
    all.iter_mut().for_each(|i| i.stage = stage);
    all
}

/// Returns the newborns whose fitness is at most [`MARGIN`] below the elite's median fitness in the same worlds. If
/// the elite has fewer than two individuals, all newborns pass. Newborns with bit-identical results behave the same,
/// so only the one with the smallest tree is kept.
fn passing(mut newborn: Vec<Individual>, elite: &[Individual]) -> Vec<Individual> {
    let mut middle: Vec<f64> = elite.iter().map(|i| i.recent).collect();
    middle.sort_by(f64::total_cmp);
    if middle.len() > 1 {
        let bar = middle[middle.len() / 2] - MARGIN;
        newborn.retain(|i| i.recent >= bar);
    }
    newborn.sort_by_key(|i| (i.tree.nodes().len(), i.id));
    let mut results = BTreeSet::new();
    newborn.retain(|i| results.insert(i.recent.to_bits()));
    newborn
}

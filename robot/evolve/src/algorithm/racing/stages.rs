//! Who goes on from one stage of a race to the next.

use super::value;
use crate::deme::Deme;
use crate::individual::{Individual, Stage};
use std::collections::BTreeSet;

/// Contenders and finalists for each elite.
const CONTENDERS: usize = 3;
/// How much worse than the middle of the elite a newborn may be in the same worlds to go on.
const MARGIN: f64 = 0.03;

/// Moves every stage's best on to the next one.
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
    // A sample that promoted somebody is one of luck as well.
    contenders.iter_mut().for_each(|i| i.samples = Default::default());
    *deme.individuals_mut() = [elite, guests, finalists, contenders].concat();
}

/// The first `count` by value, in a new stage.
pub(super) fn best(mut all: Vec<Individual>, count: usize, stage: Stage, node_cost: f64) -> Vec<Individual> {
    let value = |individual: &Individual| value(individual, node_cost);
    all.sort_by(|a, b| value(b).total_cmp(&value(a)).then(a.id.cmp(&b.id)));
    all.truncate(count);
    all.iter_mut().for_each(|i| i.stage = stage);
    all
}

/// Newborns that are not far behind the middle of the elite in the same worlds. Of those with the same results to the
/// last bit only one stays: they do the same.
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

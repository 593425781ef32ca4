//! Pareto front of a run: for each size the fittest tree that is not larger. A reader can choose between a shorter
//! and a better tree.

use serde::Serialize;
use xpuck_evolve::{Individual, Island, Settings};

/// Maximum number of trees of a front; those with the most nodes are kept.
const MOST: usize = 16;

/// A Pareto-optimal tree: no other tree is both smaller and fitter.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct FrontTree {
    /// Name, as accepted by `xpuck runs lineage`.
    pub id: String,
    /// Number of nodes, without the `avoiding` above the tree.
    pub nodes: usize,
    /// Number of evaluations.
    pub evaluations: u32,
    /// Fitness as estimated during evolution.
    pub fitness: f64,
    /// Mean fitness in fresh simulations.
    pub remeasured: f64,
    /// The tree under `avoiding`, as text.
    pub tree: String,
}

/// Returns the Pareto front of all individuals with full evaluations on all islands, the smallest tree first. Fitness
/// is the estimate of the evolution.
pub(super) fn front<'a>(islands: &'a [Island], settings: &Settings) -> Vec<&'a Individual> {
    let known = islands.iter().flat_map(Island::population).filter(|i| i.samples.n() >= settings.full_evaluations);
    let all = known.map(|i| (i.tree.nodes().len(), i.samples.mean(), i)).collect();
    let mut front = undominated(all);
    front.drain(..front.len().saturating_sub(MOST));
    front
}

/// Returns the undominated items of (cost, value, item), by cost: each has a higher value than all items of equal or
/// lower cost.
pub(super) fn undominated<T>(mut all: Vec<(usize, f64, T)>) -> Vec<T> {
    all.sort_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    let mut best = f64::NEG_INFINITY;
    let mut front = Vec::new();
    for (_, worth, one) in all {
        if worth > best {
            best = worth;
            front.push(one);
        }
    }
    front
}

#[cfg(test)]
mod tests {
    use super::undominated;

    #[test]
    fn front_fitness_rises_with_size() {
        let all = vec![
            (9, 0.3, 'd'),
            (2, 0.1, 'a'),
            (5, 0.1, 'x'),
            (4, 0.2, 'b'),
            (4, 0.25, 'c'),
            (9, 0.3, 'y'),
            (12, 0.29, 'z'),
        ];
        assert_eq!(undominated(all), ['a', 'c', 'd']);
        assert!(undominated(vec![(1, f64::NAN, 'n')]).is_empty());
    }
}

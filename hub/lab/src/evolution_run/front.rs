//! Pareto front of a run's trees: for each number of nodes, the fittest tree that is not larger. The front allows a
//! reader to choose between a small tree and a fit tree.

use serde::Serialize;
use xpuck_evolve::{Individual, Island, Settings};

/// Maximum number of trees of a front. If a front has more trees, the trees with the most nodes are kept.
const MOST: usize = 16;

/// A Pareto-optimal tree. All other trees of the same or a smaller size have a lower fitness.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct FrontTree {
    /// Identifier of the individual, as accepted by `xpuck runs lineage`.
    pub id: String,
    /// Number of nodes, without the collision avoidance (`avoiding`) with which robots run the tree.
    pub nodes: usize,
    /// Number of evaluations.
    pub evaluations: u32,
    /// Fitness as estimated during evolution.
    pub fitness: f64,
    /// Mean fitness in fresh simulations.
    pub remeasured: f64,
    /// Text of the tree, together with the collision avoidance (`avoiding`) with which robots run it.
    pub tree: String,
}

/// Returns the Pareto front of size and fitness, the smallest tree first. It considers the individuals of all islands
/// that have the full number of evaluations. Fitness is the value estimated during evolution.
pub(super) fn front<'a>(islands: &'a [Island], settings: &Settings) -> Vec<&'a Individual> {
    let known = islands.iter().flat_map(Island::population).filter(|i| i.samples.n() >= settings.full_evaluations);
    let all = known.map(|i| (i.tree.nodes().len(), i.samples.mean(), i)).collect();
    let mut front = undominated(all);
    front.drain(..front.len().saturating_sub(MOST));
    front
}

/// Returns the undominated items of a list of (cost, value, item), sorted by cost. The value of an undominated item is
/// higher than the values of all other items of equal or lower cost.
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

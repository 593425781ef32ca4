//! The Pareto front of a run: for each size the fittest tree that is not larger, so that a reader chooses between a tree
//! that is short and one that is better.

use serde::Serialize;
use xpuck_evolve::{Individual, Island, Settings};

/// Trees of a front, at most; those with the most nodes stay.
const MOST: usize = 16;

/// A tree than which none is both smaller and fitter.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct FrontTree {
    /// Its name, for `xpuck runs lineage`.
    pub id: String,
    /// Its nodes, without the `avoiding` above it.
    pub nodes: usize,
    /// Its evaluations.
    pub evaluations: u32,
    /// Its fitness as evolution estimates it.
    pub fitness: f64,
    /// Its mean fitness in fresh simulations.
    pub remeasured: f64,
    /// The tree under `avoiding`, as text.
    pub tree: String,
}

/// Of all islands' individuals with as many evaluations as count in full, those that none beats with as few nodes; by size,
/// the smallest first. What they are worth here is what evolution estimates.
pub(super) fn front<'a>(islands: &'a [Island], settings: &Settings) -> Vec<&'a Individual> {
    let known = islands.iter().flat_map(Island::population).filter(|i| i.samples.n() >= settings.full_evaluations);
    let all = known.map(|i| (i.tree.nodes().len(), i.samples.mean(), i)).collect();
    let mut front = undominated(all);
    front.drain(..front.len().saturating_sub(MOST));
    front
}

/// Of what costs something and is worth something, that which is worth more than all that costs no more, by cost.
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
    fn a_front_rises_with_every_step() {
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

//! A running ranking of emigrants, so that an exchange looks only at those it sends.

use super::offer::Offer;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;
use xpuck_evolve::Id;

/// Place in a ranking: the fitter, then the longer known, then by name. No two emigrants share one.
#[derive(Clone, Copy, Debug)]
pub struct Rank {
    fitness: f64,
    samples: u32,
    id: Id,
    sender: u16,
    generation: u32,
}

impl Rank {
    /// The place of an emigrant.
    pub fn of(emigrant: &Offer) -> Rank {
        let Offer { sender, generation, id, samples, .. } = *emigrant;
        Rank { fitness: samples.mean(), samples: samples.n(), id, sender, generation }
    }
}

impl Ord for Rank {
    fn cmp(&self, other: &Rank) -> Ordering {
        let better = other.fitness.total_cmp(&self.fitness).then(other.samples.cmp(&self.samples));
        let names = |r: &Rank| (r.id, r.sender, r.generation);
        better.then(names(self).cmp(&names(other)))
    }
}

impl PartialOrd for Rank {
    fn partial_cmp(&self, other: &Rank) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Rank {
    fn eq(&self, other: &Rank) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Rank {}

/// Whether equal trees of different islands are sent once or as often as they are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Copies {
    /// The fittest of equal trees stands for all.
    Once,
    /// Each for itself, as the thesis has it.
    Each,
}

/// The emigrants of one epoch, fittest first.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    all: BTreeMap<Rank, Arc<Offer>>,
    /// Those that carry each tree.
    trees: HashMap<Arc<str>, BTreeSet<Rank>>,
    /// The first of each tree.
    heads: BTreeSet<Rank>,
}

impl Ranking {
    /// Takes an emigrant in.
    pub fn insert(&mut self, emigrant: Arc<Offer>) {
        let rank = Rank::of(&emigrant);
        self.change(&emigrant, |carriers| carriers.insert(rank));
        self.all.insert(rank, emigrant);
    }

    /// Takes an emigrant out.
    pub fn remove(&mut self, emigrant: &Offer) {
        let rank = Rank::of(emigrant);
        self.all.remove(&rank);
        self.change(emigrant, |carriers| carriers.remove(&rank));
    }

    /// Changes who carries the emigrant's tree, and with it who is the first of them.
    fn change(&mut self, emigrant: &Offer, change: impl FnOnce(&mut BTreeSet<Rank>) -> bool) {
        let carriers = self.trees.entry(emigrant.tree.clone()).or_default();
        let before = carriers.first().copied();
        change(carriers);
        let after = carriers.first().copied();
        if after.is_none() {
            self.trees.remove(&emigrant.tree);
        }
        if before != after {
            before.map(|rank| self.heads.remove(&rank));
            after.map(|rank| self.heads.insert(rank));
        }
    }

    /// The fittest `count` that `island` did not send itself.
    pub fn best(&self, island: u16, copies: Copies, count: usize) -> Vec<&Offer> {
        match copies {
            Copies::Each => self.all.values().map(Arc::as_ref).filter(|e| e.sender != island).take(count).collect(),
            Copies::Once => self.best_trees(island, count),
        }
    }

    /// Walks over the first of each tree. Where that is the island's own, another carrier takes its turn further down.
    fn best_trees(&self, island: u16, count: usize) -> Vec<&Offer> {
        let mut heads = self.heads.iter().copied().peekable();
        let mut seconds: BTreeSet<Rank> = BTreeSet::new();
        let mut best = Vec::with_capacity(count);
        while best.len() < count {
            let second = seconds.first().copied();
            let rank = match (heads.peek().copied(), second) {
                (Some(head), Some(second)) => head.min(second),
                (Some(one), None) | (None, Some(one)) => one,
                (None, None) => break,
            };
            if second == Some(rank) {
                seconds.pop_first();
            } else {
                heads.next();
            }
            let emigrant = &self.all[&rank];
            if emigrant.sender != island {
                best.push(emigrant.as_ref());
            } else {
                let others = self.trees[&emigrant.tree].iter().filter(|r| r.sender != island);
                seconds.extend(others.take(1));
            }
        }
        best
    }

    /// Number of emigrants.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Nobody is here.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Number of different trees.
    pub fn trees(&self) -> usize {
        self.trees.len()
    }
}

//! Ranking of emigrants by fitness. It is updated incrementally, so that an exchange accesses only the emigrants that
//! it sends.

use super::offer::Offer;
use crate::individual::Id;
use crate::settings::SampleOwner;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// Sort key of a ranking: fitness and number of samples (both descending), then identifiers. Keys are unique.
#[derive(Clone, Copy, Debug)]
pub struct Rank {
    fitness: f64,
    samples: u32,
    id: Id,
    sender: u16,
    generation: u32,
}

impl Rank {
    /// Returns the sort key of an emigrant.
    pub fn from_offer(emigrant: &Offer) -> Rank {
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

/// Treatment of equal trees from different islands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Copies {
    /// Among emigrants with equal trees, only the fittest is sent.
    Once,
    /// All emigrants are sent, even if their trees are equal, as in the thesis.
    Each,
}

impl From<SampleOwner> for Copies {
    fn from(owner: SampleOwner) -> Copies {
        match owner {
            SampleOwner::Copy => Copies::Each,
            SampleOwner::Genotype => Copies::Once,
        }
    }
}

/// Emigrants of one epoch, sorted by descending fitness.
#[derive(Clone, Debug, Default)]
pub struct Ranking {
    all: BTreeMap<Rank, Arc<Offer>>,
    /// Sort keys of all emigrants with each tree.
    trees: HashMap<Arc<str>, BTreeSet<Rank>>,
    /// Sort key of the fittest emigrant with each tree.
    heads: BTreeSet<Rank>,
}

impl Ranking {
    /// Inserts an emigrant.
    pub fn insert(&mut self, emigrant: Arc<Offer>) {
        let rank = Rank::from_offer(&emigrant);
        self.change(&emigrant, |carriers| carriers.insert(rank));
        self.all.insert(rank, emigrant);
    }

    /// Removes an emigrant.
    pub fn remove(&mut self, emigrant: &Offer) {
        let rank = Rank::from_offer(emigrant);
        self.all.remove(&rank);
        self.change(emigrant, |carriers| carriers.remove(&rank));
    }

    /// Applies `change` to the set of emigrants with the same tree, and updates the set's fittest emigrant in
    /// `heads`.
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

    /// Returns the `count` fittest emigrants that were not sent by `island`, in descending order of fitness.
    pub fn best(&self, island: u16, copies: Copies, count: usize) -> Vec<&Offer> {
        match copies {
            Copies::Each => self.all.values().map(Arc::as_ref).filter(|e| e.sender != island).take(count).collect(),
            Copies::Once => self.best_trees(island, count),
        }
    }

    /// Returns at most `count` emigrants in descending order of fitness: for each tree, the fittest emigrant that was
    /// not sent by `island`.
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

    /// Returns the number of emigrants.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether the ranking is empty.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Returns the number of distinct trees.
    pub fn trees(&self) -> usize {
        self.trees.len()
    }
}

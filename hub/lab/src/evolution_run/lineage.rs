//! The ancestry of a tree, out of a run's record.
//!
//! A record is read twice: first for who came from whom, which is little, then for the trees and samples of those that
//! are asked for. So a record may be much larger than the memory.

use super::record::{Birth, Reader, RecordError, Sample};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use xpuck_evolve::{Id, Operator};
use xpuck_kernels::tree::Tree;

/// Everything the record holds of an individual.
#[derive(Clone, Debug, PartialEq)]
pub struct Individual {
    /// Its name.
    pub id: Id,
    /// The generation in which it was new, from 1.
    pub generation: u32,
    /// Mother and father; none for random trees.
    pub parents: Option<[Id; 2]>,
    /// How it came to be.
    pub operator: Operator,
    /// The genotype.
    pub tree: Tree,
    /// Its samples on all islands, in the order of time.
    pub samples: Vec<Taken>,
    /// Where and when it came as an immigrant.
    pub arrivals: Vec<Place>,
}

/// A generation of an island.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Place {
    /// The generation, from 1.
    pub generation: u32,
    /// The island.
    pub island: u16,
}

/// A sample, with when and where it was taken.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Taken {
    /// When and where.
    #[serde(flatten)]
    pub place: Place,
    /// Which start: 0 or 1 for scenario A or B.
    pub stratum: u8,
    /// The fitness; none if it was refused as not finite.
    pub fitness: Option<f32>,
}

/// The ancestors of an individual.
#[derive(Clone, Debug, PartialEq)]
pub struct Lineage {
    /// The individual itself, then its ancestors step by step backwards.
    pub members: Vec<Individual>,
    /// Of each member but the first the place in `members` of the child that named it first, and as which of its
    /// parents: the shortest way down.
    pub named_by: Vec<Option<(usize, usize)>>,
    /// Ancestors further back than was asked for, as far as the record knows them.
    pub further: usize,
}

/// What a record tells without trees and samples.
pub struct Index {
    parents: BTreeMap<Id, Option<[Id; 2]>>,
    /// The champions of the last generation, island by island.
    pub champions: Vec<Id>,
    /// The last generation that is recorded whole.
    pub generation: u32,
    /// Bytes at the end of the record that could not be read.
    pub left_over: u64,
}

impl Index {
    /// Reads who came from whom.
    ///
    /// # Errors
    /// If the file cannot be read or is no record. A record that is cut off is read as far as it goes.
    pub fn read(path: &Path) -> Result<Index, RecordError> {
        let mut index = Index { parents: BTreeMap::new(), champions: Vec::new(), generation: 0, left_over: 0 };
        let mut reader = Reader::open(path)?;
        for block in reader.by_ref() {
            let births = block.islands.iter().flat_map(|island| &island.births);
            index.parents.extend(births.map(|birth| (birth.id, birth.parents)));
            index.champions = block.islands.iter().map(|island| island.champion).collect();
            index.generation = block.generation;
        }
        index.left_over = reader.left_over();
        Ok(index)
    }

    /// Number of all ancestors that the record knows.
    pub fn ancestors(&self, id: Id) -> usize {
        let mut seen = BTreeSet::new();
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            for parent in self.parents.get(&id).into_iter().flatten().flatten() {
                if self.parents.contains_key(parent) && seen.insert(*parent) {
                    open.push(*parent);
                }
            }
        }
        seen.len()
    }

    /// The lineage of `id`, at most `depth` steps back. Its trees and samples are read from the record.
    ///
    /// # Errors
    /// If the record does not know the individual, or cannot be read.
    pub fn lineage(&self, path: &Path, id: Id, depth: usize) -> Result<Lineage, RecordError> {
        if !self.parents.contains_key(&id) {
            let generation = self.generation;
            let message =
                format!("knows no {id} up to generation {generation}; without an ID the champions are listed");
            return Err(RecordError::new(path, message));
        }
        let mut ids = vec![id];
        let mut named_by = vec![None];
        let mut seen = BTreeSet::from([id]);
        let mut level = 0..1;
        for _ in 0..depth {
            let next = ids.len();
            for child in level {
                for (which, parent) in self.parents[&ids[child]].iter().flatten().enumerate() {
                    if self.parents.contains_key(parent) && seen.insert(*parent) {
                        ids.push(*parent);
                        named_by.push(Some((child, which)));
                    }
                }
            }
            level = next..ids.len();
        }
        let further = self.ancestors(id) + 1 - ids.len();
        Ok(Lineage { members: individuals(path, &ids)?, named_by, further })
    }
}

/// Everything the record holds of these individuals, in their order; those it does not know are left out.
///
/// # Errors
/// If the record cannot be read.
pub fn individuals(path: &Path, ids: &[Id]) -> Result<Vec<Individual>, RecordError> {
    let wanted: BTreeSet<Id> = ids.iter().copied().collect();
    let mut found: BTreeMap<Id, Individual> = BTreeMap::new();
    for block in Reader::open(path)? {
        let generation = block.generation;
        for (island, entry) in (0..).zip(block.islands) {
            let place = Place { generation, island };
            for Birth { id, parents, operator, tree } in entry.births.into_iter().filter(|b| wanted.contains(&b.id)) {
                let (samples, arrivals) = (Vec::new(), Vec::new());
                found.insert(id, Individual { id, generation, parents, operator, tree, samples, arrivals });
            }
            for id in entry.arrivals {
                if let Some(individual) = found.get_mut(&id) {
                    individual.arrivals.push(place);
                }
            }
            for Sample { id, stratum, fitness } in entry.samples {
                if let Some(individual) = found.get_mut(&id) {
                    individual.samples.push(Taken { place, stratum, fitness });
                }
            }
        }
    }
    Ok(ids.iter().filter_map(|id| found.get(id).cloned()).collect())
}

impl Individual {
    /// Number of samples that count, and their mean, both strata weighing the same as in evolution; refused ones are
    /// left out.
    pub fn fitness(&self) -> (u32, f64) {
        let mut samples = xpuck_evolve::Samples::default();
        for taken in &self.samples {
            if let Some(fitness) = taken.fitness {
                samples.add(usize::from(taken.stratum.min(1)), f64::from(fitness));
            }
        }
        (samples.n(), samples.mean())
    }

    /// Number of samples that were refused.
    pub fn refused(&self) -> usize {
        self.samples.iter().filter(|s| s.fitness.is_none()).count()
    }
}

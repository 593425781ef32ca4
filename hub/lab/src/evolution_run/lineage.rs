//! Ancestry of a tree, from a run's record.
//!
//! A record is read twice. The first pass reads the parent relations, which are small. The second pass reads the trees
//! and samples of the requested individuals. A record may therefore be much larger than the memory.

use super::record::{Birth, Reader, RecordError, Sample};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use xpuck_evolve::{Id, Operator};
use xpuck_kernels::tree::Tree;

/// All recorded data of an individual.
#[derive(Clone, Debug, PartialEq)]
pub struct Individual {
    /// Identifier.
    pub id: Id,
    /// Generation of birth, from 1.
    pub generation: u32,
    /// Mother and father; `None` for random trees.
    pub parents: Option<[Id; 2]>,
    /// Operator that created the individual.
    pub operator: Operator,
    /// Genotype.
    pub tree: Tree,
    /// Samples on all islands, in chronological order.
    pub samples: Vec<Taken>,
    /// Islands on which the individual arrived as an immigrant, with the generations of the arrivals.
    pub arrivals: Vec<Place>,
}

/// A generation of an island.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Place {
    /// Number of the generation, from 1.
    pub generation: u32,
    /// Number of the island, from 0.
    pub island: u16,
}

/// A fitness sample with its generation and island.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Taken {
    /// Generation and island.
    #[serde(flatten)]
    pub place: Place,
    /// Index of the start configuration: 0 for scenario A, 1 for scenario B.
    pub stratum: u8,
    /// Fitness; `None` if the value was rejected because it was not finite.
    pub fitness: Option<f32>,
}

/// Ancestors of an individual.
#[derive(Clone, Debug, PartialEq)]
pub struct Lineage {
    /// The individual itself, then its ancestors in order of increasing distance.
    pub members: Vec<Individual>,
    /// For each member, the child through which the member was first found (index in `members`), and the member's
    /// position among the child's parents (0 or 1). These links form the shortest path from an ancestor to the
    /// individual. `None` for the individual itself.
    pub named_by: Vec<Option<(usize, usize)>>,
    /// Number of recorded ancestors beyond the requested depth.
    pub further: usize,
}

/// Parent relations and champions of a record.
pub struct Index {
    parents: BTreeMap<Id, Option<[Id; 2]>>,
    /// Champions of the last generation, one per island, in the order of the islands.
    pub champions: Vec<Id>,
    /// Last generation that is completely recorded.
    pub generation: u32,
    /// Number of unreadable bytes at the end of the record.
    pub left_over: u64,
}

impl Index {
    /// Reads the parent relations and champions from the record at `path`.
    ///
    /// # Errors
    /// The file cannot be read or is not a record. A truncated record is read up to its last valid chunk.
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

    /// Returns the number of all recorded ancestors of `id`.
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

    /// Returns the individual `id` and its ancestors that are at most `depth` parent links away. Trees and samples are
    /// read from the record at `path`.
    ///
    /// # Errors
    /// The record does not contain the individual, or cannot be read.
    pub fn lineage(&self, path: &Path, id: Id, depth: usize) -> Result<Lineage, RecordError> {
        if !self.parents.contains_key(&id) {
            let generation = self.generation;
            let message =
                format!("contains no individual {id} up to generation {generation}; omit the ID to list the champions");
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

/// Returns all recorded data of the individuals `ids`, in the given order. Individuals that are not recorded are left
/// out.
///
/// # Errors
/// The record cannot be read.
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
    /// Returns the number of valid samples and their mean. Both start configurations have the same weight, as in
    /// evolution. Rejected samples are left out.
    pub fn fitness(&self) -> (u32, f64) {
        let mut samples = xpuck_evolve::Samples::default();
        for taken in &self.samples {
            if let Some(fitness) = taken.fitness {
                samples.add(usize::from(taken.stratum.min(1)), f64::from(fitness));
            }
        }
        (samples.n(), samples.mean())
    }

    /// Returns the number of rejected samples.
    pub fn refused(&self) -> usize {
        self.samples.iter().filter(|s| s.fitness.is_none()).count()
    }
}

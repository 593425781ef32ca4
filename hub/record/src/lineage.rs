//! Ancestry of a tree that evolved on robots, from the record of their run.

use super::run_file::{RUN_FILE, RunFile};
use super::{RecordError, read};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use xpuck_evolve::Id;
use xpuck_hub_core::entry::Entry;
use xpuck_wire::message::Operator;

/// Recorded data of an individual, which is a tree with its fitness.
#[derive(Clone, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Individual {
    /// Generation in which the individual was born, on its own island. 0 if the birth is not recorded.
    pub generation: u32,
    /// Ids of mother and father. Empty for random trees.
    pub parents: Vec<Id>,
    /// Operator that created the individual.
    pub operator: Operator,
    /// Mean fitness of the samples in the individual's first generation. `None` if it is not recorded.
    pub fitness: Option<f32>,
    /// Samples after the individual's first generation. Each entry contains the island, the island's generation, and
    /// the number and mean fitness of all samples on this island up to that generation.
    pub samples: Vec<(u16, u32, u32, f32)>,
    /// Text form of the tree. `None` if the tree was never sent and never drove a robot.
    pub tree: Option<String>,
    /// Robots that the individual drove, in chronological order.
    pub drove: Vec<String>,
}

/// All individuals in the record of a run.
pub struct LineageIndex {
    known: BTreeMap<Id, Individual>,
    /// Id of the last emigrant of each robot.
    pub fittest: BTreeMap<String, Id>,
    /// Damage of the record, one line per file.
    pub damage: Vec<String>,
}

impl LineageIndex {
    /// Reads the record of a run, or one file of a record.
    ///
    /// # Errors
    /// If there is no record, or it cannot be read.
    pub fn read(path: &Path) -> Result<LineageIndex, RecordError> {
        let mut births = LineageIndex { known: BTreeMap::new(), fittest: BTreeMap::new(), damage: Vec::new() };
        let mut islands: BTreeMap<String, u16> = BTreeMap::new();
        // A recorded birth does not contain its island. The island's number is the position of the robot in run.toml,
        // from 1.
        let directory = if path.is_dir() { path } else { path.parent().unwrap_or(path) };
        let described = directory.join(RUN_FILE);
        if described.try_exists().map_err(|error| RecordError::new(&described, error))? {
            islands.extend(RunFile::read(directory)?.robots.into_iter().zip(1..));
        }
        let mut entries = read::entries_of_topics(path, &["/genes", "/loaded", "/samples"])?;
        for entry in entries.by_ref() {
            match entry? {
                Entry::Genes { robot, generation, emigrant, births: born, .. } => {
                    let Some(island) = islands.get(&robot).copied() else { continue };
                    for birth in born.rows {
                        let individual = births.known.entry(Id { island, number: birth.number }).or_default();
                        individual.generation = generation;
                        individual.operator = birth.operator;
                        individual.fitness = birth.fitness.is_finite().then_some(birth.fitness);
                        individual.parents = birth
                            .parents
                            .iter()
                            .map(|(island, number)| Id { island: *island, number: *number })
                            .collect();
                    }
                    let id = Id { island: emigrant.island, number: emigrant.number };
                    births.known.entry(id).or_default().tree = Some(emigrant.tree);
                    births.fittest.insert(robot, id);
                }
                Entry::Loaded { robot, gene, .. } => {
                    let individual = births.known.entry(Id { island: gene.island, number: gene.number }).or_default();
                    individual.tree.get_or_insert(gene.tree);
                    individual.drove.push(robot);
                }
                Entry::Samples { robot, generation, samples, .. } => {
                    let Some(island) = islands.get(&robot).copied() else { continue };
                    for sampled in samples.into_iter().filter(|sampled| sampled.fitness.is_finite()) {
                        let id = Id { island: sampled.island, number: sampled.number };
                        let row = (island, generation, sampled.samples, sampled.fitness);
                        births.known.entry(id).or_default().samples.push(row);
                    }
                }
                _ => {}
            }
        }
        births.damage = entries.damage().to_vec();
        Ok(births)
    }

    /// Returns the data of an individual. `None` if it is not in the record.
    pub fn get(&self, id: Id) -> Option<&Individual> {
        self.known.get(&id)
    }

    /// Returns the individual and its ancestors up to `depth` steps back, without duplicates. The first element of
    /// each pair is the number of steps.
    pub fn ancestry(&self, id: Id, depth: usize) -> Vec<(usize, Id)> {
        let mut seen = BTreeSet::from([id]);
        let mut found = vec![(0, id)];
        let mut at = 0;
        while at < found.len() {
            let (step, id) = found[at];
            at += 1;
            let parents = self.known.get(&id).map_or(&[][..], |i| &i.parents);
            let next = parents.iter().filter(|p| step < depth && seen.insert(**p));
            found.extend(next.map(|p| (step + 1, *p)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::McapFile;
    use xpuck_wire::message::{Birth, Emigrant};

    #[test]
    fn ancestors_are_found_over_islands() {
        let folder = tempfile::tempdir().unwrap();
        let run = "name = \"x\"\nstate = \"finished\"\nversion = \"0\"\nstarted_unix_ms = 1\nseed = 1\n\
                   robots = [\"xp01\", \"xp02\"]\nspeed = 1.0\n[experiment]\n[hub]\n";
        std::fs::write(folder.path().join("run.toml"), run).unwrap();
        let mut file = McapFile::begin(std::fs::File::create(folder.path().join("run.mcap")).unwrap()).unwrap();
        let mut genes = |robot: &str, generation: u32, number: u32, parents: Vec<(u16, u32)>| {
            let island = if robot == "xp01" { 1 } else { 2 };
            let tree = format!("ifquad v_prox {number}");
            let (count, sum, square) = ([1, 0], [0.1, 0.0], [0.01, 0.0]);
            let emigrant = Emigrant { island, number, epoch: 0, tree, count, sum, square };
            let rows = vec![Birth { number, parents, fitness: 0.1, operator: Operator::Mutation }];
            let births = xpuck_hub_core::births::Births { rows, left_out: 0 };
            let entry = Entry::Genes { time: generation.into(), robot: robot.into(), generation, emigrant, births };
            file.write(&entry).unwrap();
        };
        genes("xp01", 1, 1, vec![]);
        genes("xp02", 2, 5, vec![(1, 1), (2, 3)]);
        genes("xp01", 3, 9, vec![(2, 5), (1, 1)]);
        file.finish().unwrap();
        drop(file);
        let births = LineageIndex::read(folder.path()).unwrap();
        let id = |island, number| Id { island, number };
        let all = births.ancestry(id(1, 9), 10);
        assert_eq!(all, [(0, id(1, 9)), (1, id(2, 5)), (1, id(1, 1)), (2, id(2, 3))]);
        assert_eq!(births.ancestry(id(1, 9), 1).len(), 3);
        assert_eq!(births.get(id(2, 5)).unwrap().generation, 2);
        assert!(births.get(id(2, 3)).is_none(), "nobody told of it");
        assert_eq!(births.fittest["xp01"], id(1, 9));
    }
}

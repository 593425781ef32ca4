//! What the champions of a kept run are worth, generation by generation: each is measured again in worlds that evolution
//! has not seen.
//!
//! The fitness that a run reports is the highest of many noisy estimates, so luck flatters it, and the more so the more
//! individuals are tried. Beside what fresh simulations say of the same champions the difference shows.

mod figure;

pub use figure::draw;

use crate::evolution_run::lineage::individuals;
use crate::evolution_run::record::{Reader, RecordError, refuse_older};
use crate::evolution_run::{Config, Folder, FolderError, RECORD, on_fresh_worlds};
use crate::sweep::curves::{Quality, Step, Times, of_run};
use crate::sweep::evolution::generations;
use crate::sweep::problem::Problem;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use xpuck_evolve::Id;
use xpuck_kernels::engine::Engine;
use xpuck_kernels::tree::{Program, Tree};

/// A kept run whose champions cannot be measured: one line with the file and what is wrong.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum RemeasureError {
    /// The record is none.
    Record(#[from] RecordError),
    /// The run's own file cannot be used.
    Folder(#[from] FolderError),
    /// Something else in the folder is not as it should be.
    Problem(#[from] Problem),
}

/// A kept run: some of its generations, and who led its islands after them.
#[derive(Clone, Debug)]
pub struct RecordedRun {
    /// What the run is.
    pub config: Config,
    generations: Vec<Generation>,
    trees: BTreeMap<Id, Tree>,
}

#[derive(Clone, Debug)]
struct Generation {
    reported: Step,
    champions: Vec<Id>,
}

/// A generation, as it was reported and as it is measured again.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Row {
    /// Its number, from 1.
    pub generation: u32,
    /// Simulated time of the whole swarm up to its end, s times robots.
    pub robot_seconds: f64,
    /// Fitness of the fittest on each island as evolution estimated it, derated for few evaluations (Eq. 8.1): mean of
    /// the islands.
    pub reported: f64,
    /// Mean fitness of the islands' champions in fresh simulations.
    pub remeasured: f64,
    /// The best of these champions.
    pub best: f64,
}

impl RecordedRun {
    /// Reads every `every`-th generation and the last one out of a run's folder, as far as record and table go.
    ///
    /// # Errors
    /// If the folder holds no run, or its record is no record, holds no whole generation, or lacks a champion's birth,
    /// as that of an island whose process exchanged genes with others may.
    pub fn read(folder: &Path, every: u32) -> Result<RecordedRun, RemeasureError> {
        let path = folder.join(RECORD);
        refuse_older(&path)?;
        if !path.exists() {
            return Err(Problem::of(folder, format!("has no {RECORD}; `xpuck evolve --output DIR` keeps one")).into());
        }
        let mut blocks: Vec<(u32, Vec<Id>)> = Vec::new();
        for block in Reader::open(&path)? {
            // The last block so far stays only if its number or its place says so.
            if blocks.last().is_some_and(|(number, _)| !number.is_multiple_of(every)) {
                blocks.pop();
            }
            blocks.push((block.generation, block.islands.iter().map(|island| island.champion).collect()));
        }
        if blocks.is_empty() {
            return Err(Problem::of(&path, "holds no whole generation yet; let the run go on").into());
        }
        let config = Folder::config(folder)?;
        let steps = of_run(&generations(folder)?, &Times::new(), Quality::Derated);
        let steps: BTreeMap<u32, Step> = steps.into_iter().map(|step| (step.generation, step)).collect();
        let reported = |number: u32| {
            let missing = || Problem::of(&folder.join("generations.csv"), format!("lacks generation {number}"));
            steps.get(&number).copied().ok_or_else(missing)
        };
        let generation = |(number, champions)| -> Result<Generation, Problem> {
            Ok(Generation { reported: reported(number)?, champions })
        };
        let generations: Vec<Generation> = blocks.into_iter().map(generation).collect::<Result<_, _>>()?;
        let trees = trees(&path, &generations)?;
        Ok(RecordedRun { config, generations, trees })
    }

    /// Number of generations that [`RecordedRun::measure`] measures.
    pub fn generations(&self) -> usize {
        self.generations.len()
    }

    /// Measures every champion in `runs` simulations of 60 s, all in the same worlds, which are those of the end of
    /// `xpuck evolve`; equal trees once. `watch` is called after each generation.
    pub fn measure(&self, engine: &dyn Engine, runs: u32, mut watch: impl FnMut()) -> Vec<Row> {
        let mut known: BTreeMap<Vec<u8>, f64> = BTreeMap::new();
        let mut rows = Vec::with_capacity(self.generations.len());
        for Generation { reported, champions } in &self.generations {
            let trees: Vec<&Tree> = champions.iter().map(|id| &self.trees[id]).collect();
            self.add(engine, &mut known, &trees, runs);
            let again: Vec<f64> = trees.iter().map(|tree| known[&tree.key()]).collect();
            rows.push(Row {
                generation: reported.generation,
                robot_seconds: reported.robot_seconds,
                reported: reported.value,
                remeasured: again.iter().sum::<f64>() / again.len() as f64,
                best: again.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            });
            watch();
        }
        rows
    }

    /// Measures those trees that are not known yet. One that does not fit a robot is worth 0, as in evolution.
    fn add(&self, engine: &dyn Engine, known: &mut BTreeMap<Vec<u8>, f64>, trees: &[&Tree], runs: u32) {
        let mut new: BTreeMap<Vec<u8>, Program> = BTreeMap::new();
        for tree in trees {
            let key = tree.key();
            if !known.contains_key(&key) && !new.contains_key(&key) {
                match Program::compile(&tree.under_avoiding()) {
                    Ok(program) => drop(new.insert(key, program)),
                    Err(_) => drop(known.insert(key, 0.0)),
                }
            }
        }
        let (keys, programs): (Vec<_>, Vec<_>) = new.into_iter().unzip();
        known.extend(keys.into_iter().zip(on_fresh_worlds(engine, &self.config, &programs, runs)));
    }
}

/// The trees of all champions, out of their births.
fn trees(path: &Path, generations: &[Generation]) -> Result<BTreeMap<Id, Tree>, RemeasureError> {
    let mut ids: Vec<Id> = generations.iter().flat_map(|generation| generation.champions.iter().copied()).collect();
    ids.sort_unstable();
    ids.dedup();
    let trees: BTreeMap<Id, Tree> = individuals(path, &ids)?.into_iter().map(|i| (i.id, i.tree)).collect();
    match ids.iter().find(|id| !trees.contains_key(id)) {
        Some(id) => Err(Problem::of(path, format!("holds champion {id}, who was born in another run's record")).into()),
        None => Ok(trees),
    }
}

//! Remeasurement of the champions of a stored run, generation by generation, in worlds that the evolution has not
//! used.
//!
//! The fitness that a run reports is the maximum of many noisy estimates and is therefore biased upwards. The bias
//! grows with the number of individuals. Fresh simulations of the same champions show this bias.

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

/// Error of a stored run whose champions cannot be measured: one line with the file and the reason.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub enum RemeasureError {
    /// The record is invalid.
    Record(#[from] RecordError),
    /// The run's configuration cannot be used.
    Folder(#[from] FolderError),
    /// The folder of the run has another error.
    Problem(#[from] Problem),
}

/// Selected generations of a stored run, with the champions of the islands.
#[derive(Clone, Debug)]
pub struct RecordedRun {
    /// Configuration of the run.
    pub config: Config,
    generations: Vec<Generation>,
    trees: BTreeMap<Id, Tree>,
    /// Description of the damage of the record; `None` for a whole record.
    damage: Option<String>,
}

#[derive(Clone, Debug)]
struct Generation {
    reported: Step,
    champions: Vec<Id>,
}

/// Reported and remeasured fitness of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Row {
    /// Number of the generation, from 1.
    pub generation: u32,
    /// Simulated time of the whole swarm up to the generation's end (robot-seconds).
    pub robot_seconds: f64,
    /// Estimated fitness of the fittest individual of each island, derated for few evaluations (Eq. 8.1) and averaged
    /// over the islands.
    pub reported: f64,
    /// Mean fitness of the islands' champions in fresh simulations.
    pub remeasured: f64,
    /// Highest fitness of the islands' champions in fresh simulations.
    pub best: f64,
}

impl RecordedRun {
    /// Reads every `every`-th generation and the last complete generation of the run in a folder.
    ///
    /// # Errors
    /// If the folder does not hold a run, or if its record is invalid, holds no complete generation, or lacks a
    /// champion's birth, or if a Python function computes the fitness. A birth can be missing if the process of the run exchanged individuals with other processes.
    pub fn read(folder: &Path, every: u32) -> Result<RecordedRun, RemeasureError> {
        let path = folder.join(RECORD);
        refuse_older(&path)?;
        if !path.exists() {
            return Err(Problem::new(folder, format!("has no {RECORD}; `xpuck evolve --output DIR` writes one")).into());
        }
        let mut blocks: Vec<(u32, Vec<Id>)> = Vec::new();
        for block in Reader::open(&path)? {
            // Another block follows the newest entry of `blocks`, so this entry is not the run's last generation. It is
            // kept only if its number is a multiple of `every`.
            if blocks.last().is_some_and(|(number, _)| !number.is_multiple_of(every)) {
                blocks.pop();
            }
            blocks.push((block.generation, block.islands.iter().map(|island| island.champion).collect()));
        }
        if blocks.is_empty() {
            return Err(Problem::new(&path, "contains no complete generation yet; continue the run").into());
        }
        let config = Folder::config(folder)?;
        config.check_fitness().map_err(|message| Problem::new(folder, message))?;
        let steps = of_run(&generations(folder)?, &Times::new(), Quality::Derated);
        let steps: BTreeMap<u32, Step> = steps.into_iter().map(|step| (step.generation, step)).collect();
        let reported = |number: u32| {
            let missing =
                || Problem::new(&folder.join("generations.csv"), format!("does not contain generation {number}"));
            steps.get(&number).copied().ok_or_else(missing)
        };
        let generation = |(number, champions)| -> Result<Generation, Problem> {
            Ok(Generation { reported: reported(number)?, champions })
        };
        let generations: Vec<Generation> = blocks.into_iter().map(generation).collect::<Result<_, _>>()?;
        let trees = trees(&path, &generations)?;
        // A killed run may have a generation in its table that is not in its record yet.
        let spare = u32::from(!Folder::is_finished(folder));
        let (recorded, last) = (generations.last().map_or(0, |g| g.reported.generation), steps.keys().max().copied());
        let damage = last.filter(|last| *last > recorded + spare).map(|last| {
            format!("{RECORD} is damaged after generation {recorded} of {last}; the later champions cannot be measured")
        });
        Ok(RecordedRun { config, generations, trees, damage })
    }

    /// Returns a description of the damage of the record, which then ends before the run; `None` for a whole record.
    pub fn damage(&self) -> Option<&str> {
        self.damage.as_deref()
    }

    /// Returns the number of generations that [`RecordedRun::measure`] measures.
    pub fn generations(&self) -> usize {
        self.generations.len()
    }

    /// Measures every champion in `runs` simulations, and returns a row for each generation. The worlds are
    /// the same as in the remeasurement at the end of `xpuck evolve`. Equal trees are measured once. `watch` is
    /// called after each generation.
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

    /// Measures the trees that are not yet in `known`, and adds their fitness to it. A tree that cannot be compiled
    /// has fitness 0, as in evolution.
    fn add(&self, engine: &dyn Engine, known: &mut BTreeMap<Vec<u8>, f64>, trees: &[&Tree], runs: u32) {
        let mut new: BTreeMap<Vec<u8>, Program> = BTreeMap::new();
        for tree in trees {
            let key = tree.key();
            if !known.contains_key(&key) && !new.contains_key(&key) {
                match Program::compile(&self.config.settings.driving(tree)) {
                    Ok(program) => drop(new.insert(key, program)),
                    Err(_) => drop(known.insert(key, 0.0)),
                }
            }
        }
        let (keys, programs): (Vec<_>, Vec<_>) = new.into_iter().unzip();
        known.extend(keys.into_iter().zip(on_fresh_worlds(engine, &self.config, &programs, runs)));
    }
}

/// Returns the trees of all champions of `generations`. The trees are read from the births in the record at `path`.
fn trees(path: &Path, generations: &[Generation]) -> Result<BTreeMap<Id, Tree>, RemeasureError> {
    let mut ids: Vec<Id> = generations.iter().flat_map(|generation| generation.champions.iter().copied()).collect();
    ids.sort_unstable();
    ids.dedup();
    let trees: BTreeMap<Id, Tree> = individuals(path, &ids)?.into_iter().map(|i| (i.id, i.tree)).collect();
    match ids.iter().find(|id| !trees.contains_key(id)) {
        Some(id) => Err(Problem::new(path, format!("contains champion {id}, which was born in another run")).into()),
        None => Ok(trees),
    }
}

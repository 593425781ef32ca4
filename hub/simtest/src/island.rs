//! Simulated island of a robot. It is a real island of eight individuals, but its generations take simulated time.
//!
//! Unless real trials are enabled, fitness is a function of the tree's text and the trial's world. The tests concern
//! the exchange of genes, trees and generations. Simulated trials would double the duration of a test.

use crate::trials::Trials;
use xpuck_evolve::{Island, Migrant};
use xpuck_kernels::hash::fnv1a;
use xpuck_kernels::world::task::Task;
use xpuck_robot_core::island::{Generation, MIGRATION_WAIT, PendingGeneration};

/// Duration of a generation (ms).
const WORK: u32 = 1_300;
/// Duration of a generation with real trials (ms). It is longer, so that robots move between generations.
const REAL_WORK: u32 = 4_000;

#[derive(Debug)]
enum Work {
    /// Trials of the current generation, with the remaining time (ms).
    Trials(u32),
    /// Wait until the time `until` (ms) for the genes of other islands that answer this generation.
    Genes { generation: u32, until: u32 },
}

/// Island of a simulated robot, with its current stage of work.
#[derive(Debug)]
pub struct SimulatedIsland {
    island: Island,
    running: bool,
    work: Work,
    /// Simulator for real trials; `None`: fitness is a hash.
    real: Option<Trials>,
}

impl SimulatedIsland {
    /// Creates a stopped island.
    pub fn new(island: Island, real: Option<Trials>) -> SimulatedIsland {
        SimulatedIsland { island, running: false, work: Work::Trials(WORK), real }
    }

    /// Sets whether the island's trials make progress.
    pub fn run(&mut self, running: bool) {
        self.running = running;
    }

    /// Drops the results of earlier trials, because the kind of trials changes.
    pub fn forget(&mut self) {
        if matches!(self.work, Work::Genes { .. }) {
            self.advance(&[]);
        }
        self.island.forget();
        self.work = self.trials();
    }

    /// Returns the real island.
    pub fn island(&self) -> &Island {
        &self.island
    }

    /// Passes the genes that answer `generation` to the island. Genes that answer another generation are dropped.
    pub fn immigrate(&mut self, generation: u32, migrants: &[Migrant]) {
        if matches!(self.work, Work::Genes { generation: waits, .. } if waits == generation) {
            self.advance(migrants);
        }
    }

    fn advance(&mut self, migrants: &[Migrant]) {
        self.island.advance(migrants);
        self.work = self.trials();
    }

    fn trials(&self) -> Work {
        Work::Trials(if self.real.is_some() { REAL_WORK } else { WORK })
    }

    /// Continues the island's work for `passed` (ms). Returns a generation if it is completed at `now` (ms).
    pub fn work(&mut self, now: u32, passed: u32) -> Option<Generation> {
        match &mut self.work {
            Work::Genes { until, .. } if now >= *until => self.advance(&[]),
            Work::Trials(left) if self.running => {
                *left = left.saturating_sub(passed);
                if *left == 0 {
                    return Some(self.finish(now));
                }
            }
            _ => {}
        }
        None
    }

    fn finish(&mut self, now: u32) -> Generation {
        let island = &mut self.island;
        let mut begun = PendingGeneration::begin(island);
        let done = loop {
            let fitness: Vec<f32> = match &mut self.real {
                Some(real) => real.fitness(island),
                None => {
                    let keys: Vec<u64> = island.population().iter().map(|i| fnv1a(i.tree.key())).collect();
                    island.trials().iter().map(|t| fitness(keys[t.individual], t.world)).collect()
                }
            };
            let task = self.real.as_ref().map_or(&Task::Transport, Trials::task);
            if let Some(done) = begun.record(island, task, &fitness) {
                break done;
            }
        };
        self.work =
            Work::Genes { generation: done.progress.generation, until: now + MIGRATION_WAIT.as_millis() as u32 };
        done
    }
}

/// Returns a fitness between 0 and 0.22. The main part of the fitness depends only on the tree. A small part depends on
/// both the tree and the world.
fn fitness(tree: u64, world: u32) -> f32 {
    let part = |bits: u64| (bits >> 40) as f32 / (1u64 << 24) as f32;
    let luck = fnv1a(tree.to_le_bytes().into_iter().chain(world.to_le_bytes()));
    0.2 * part(tree) + 0.02 * part(luck)
}

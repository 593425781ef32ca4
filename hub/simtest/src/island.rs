//! A robot's island: a real one of eight individuals, whose generations take simulated time.
//!
//! Unless trials are simulated for real, a tree's fitness is a function of its text and of the trial's world, not of a simulation: what is
//! tested is how genes, trees and generations travel, and a simulated trial would cost as much as all the rest.

use crate::trials::Trials;
use xpuck_evolve::{Island, Migrant};
use xpuck_kernels::hash::fnv1a;
use xpuck_robot_core::island::{Generation, MIGRATION_WAIT};

/// Work that a generation takes, ms.
const WORK: u32 = 1_300;
/// The same where trials are simulated for real, and robots are to move about between generations, ms.
const REAL_WORK: u32 = 4_000;

#[derive(Debug)]
enum Work {
    /// So much is left of the trials, ms.
    Trials(u32),
    /// The others' genes are waited for until then, ms.
    Genes { generation: u32, until: u32 },
}

/// A simulated robot's island, and what it is at.
#[derive(Debug)]
pub struct SimulatedIsland {
    island: Island,
    running: bool,
    work: Work,
    /// Simulates trials for real.
    real: Option<Trials>,
}

impl SimulatedIsland {
    /// A new island, standing still.
    pub fn new(island: Island, real: Option<Trials>) -> SimulatedIsland {
        SimulatedIsland { island, running: false, work: Work::Trials(WORK), real }
    }

    /// Lets it live or stand still.
    pub fn run(&mut self, running: bool) {
        self.running = running;
    }

    /// Trials are of another kind from now on.
    pub fn forget(&mut self) {
        if matches!(self.work, Work::Genes { .. }) {
            self.advance(&[]);
        }
        self.island.forget();
        self.work = self.trials();
    }

    /// The trees that it holds.
    pub fn island(&self) -> &Island {
        &self.island
    }

    /// Hands over the genes that answer `generation`; others are dropped.
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

    /// Works for `passed` ms until `now`; a generation may come of it.
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
        let fitness: Vec<f32> = match &mut self.real {
            Some(real) => real.fitness(island),
            None => {
                let keys: Vec<u64> = island.population().iter().map(|i| fnv1a(i.tree.key())).collect();
                island.trials().iter().map(|t| fitness(keys[t.individual], t.world)).collect()
            }
        };
        let done = Generation::finish(island, &fitness);
        self.work =
            Work::Genes { generation: done.progress.generation, until: now + MIGRATION_WAIT.as_millis() as u32 };
        done
    }
}

/// 0 to 0.2 by the tree, and a little luck by the world.
fn fitness(tree: u64, world: u32) -> f32 {
    let part = |bits: u64| (bits >> 40) as f32 / (1u64 << 24) as f32;
    let luck = fnv1a(tree.to_le_bytes().into_iter().chain(world.to_le_bytes()));
    0.2 * part(tree) + 0.02 * part(luck)
}

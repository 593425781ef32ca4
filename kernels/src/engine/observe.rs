//! Statistics of the results of each node of a tree.

use super::Job;
use crate::tree::{Memory, Program, Status};
use crate::world::World;
use rayon::prelude::*;

/// Numbers of results of one node over all robots and updates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Number of ticks that ended in success.
    pub success: u64,
    /// Number of ticks that ended in failure.
    pub failure: u64,
    /// Number of ticks that ended in running.
    pub running: u64,
}

impl Count {
    /// Returns the total number of ticks.
    pub fn ticks(&self) -> u64 {
        self.success + self.failure + self.running
    }

    fn add(&mut self, other: &Count) {
        self.success += other.success;
        self.failure += other.failure;
        self.running += other.running;
    }
}

/// Runs jobs with the arithmetic of the reference engine, and counts the results of each node. `nodes` is the number
/// of nodes of the tree from which `program` was compiled. All robots run this program, and [`Job::team`] is ignored.
/// Counts do not depend on the number of threads.
pub fn observe(program: &Program, nodes: usize, jobs: &[Job<'_>]) -> Vec<Count> {
    let sum = |mut a: Vec<Count>, b: Vec<Count>| {
        a.iter_mut().zip(&b).for_each(|(a, b)| a.add(b));
        a
    };
    jobs.par_iter().map(|job| run(program, nodes, job)).reduce(|| vec![Count::default(); nodes], sum)
}

fn run(program: &Program, nodes: usize, job: &Job<'_>) -> Vec<Count> {
    let mut counts = vec![Count::default(); nodes];
    let mut world = World::new(job.spec, job.start, job.seed, job.world);
    let mut memories = vec![Memory::new(program); job.spec.robots];
    let mut note = |node: usize, status: Status| match status {
        Status::Success => counts[node].success += 1,
        Status::Failure => counts[node].failure += 1,
        Status::Running => counts[node].running += 1,
    };
    for _ in 0..job.updates {
        world.update_with(|i, senses, draws| memories[i].tick_observed(program, senses, draws, &mut note).1);
    }
    counts
}

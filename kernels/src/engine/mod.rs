//! Engines: things that run many worlds. All of them give, for the same jobs, the same outcomes in the same order.

mod evaluate;
mod reference;

pub use evaluate::evaluate;
pub use reference::Reference;

use crate::tree::Program;
use crate::world::Scenario;

/// One simulation to run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Job {
    /// Index of the program that all robots run.
    pub program: usize,
    /// Where the robots start.
    pub scenario: Scenario,
    /// Seed and world number fix every random choice of the run.
    pub seed: u64,
    /// See `seed`.
    pub world: u32,
    /// Number of robots.
    pub robots: usize,
    /// Number of controller updates (0.1 s each).
    pub updates: u32,
}

/// What came of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Distance the frisbee was moved along x, m; exactly 0 if it was never touched.
    pub moved_x: f32,
    /// Hash over the bits of all final positions; equal runs have equal hashes.
    pub hash: u64,
}

/// Runs worlds. Implementations agree within the tolerances that their twin tests state.
pub trait Engine: Sync {
    /// Name for reports.
    fn name(&self) -> &'static str;

    /// Runs every job and returns outcomes in the order of the jobs, whatever the number of threads.
    fn run(&self, programs: &[Program], jobs: &[Job]) -> Vec<Outcome>;
}

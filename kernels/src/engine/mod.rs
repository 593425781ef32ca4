//! Engines: things that run many worlds. All of them give, for the same jobs, the same outcomes in the same order.

mod evaluate;
mod gpu;
mod observe;
mod reference;
mod sensing;
mod simd;

pub use evaluate::evaluate;
pub use gpu::{Gpu, GpuError};
pub use observe::{Count, observe};
pub use reference::Reference;
pub use sensing::Sensing;
pub use simd::Simd;

use crate::tree::Program;
use crate::world::{Pose, Scenario};

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

    /// The device that it runs on, if it is not simply this processor.
    fn device(&self) -> Option<String> {
        None
    }

    /// What the user should know about the runs so far: that another engine had to help, and why.
    fn notice(&self) -> Option<String> {
        None
    }
}

/// Indices of the jobs, grouped by what worlds that run together must have in common.
fn alike(jobs: &[Job]) -> Vec<Vec<usize>> {
    let shape = |i: usize| (jobs[i].robots, jobs[i].updates);
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    order.sort_by_key(|i| shape(*i));
    order.chunk_by(|a, b| shape(*a) == shape(*b)).map(<[usize]>::to_vec).collect()
}

/// FNV-1a over the bits of final positions and headings.
fn hash(poses: impl Iterator<Item = Pose>) -> u64 {
    let mut h = 0xcbf2_9ce4_8422_2325u64;
    for pose in poses {
        for value in [pose.at.x, pose.at.y, pose.heading] {
            for byte in value.to_bits().to_le_bytes() {
                h = (h ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
    }
    h
}

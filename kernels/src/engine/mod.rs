//! Engines: things that run many worlds. All of them give, for the same jobs, the same outcomes in the same order.

mod choice;
mod chosen;
mod evaluate;
mod gpu;
mod meter;
mod observe;
mod reference;
mod simd;
mod team;

pub use choice::{EngineChoice, EngineKind};
pub use chosen::{ChosenEngine, EngineStatus, Machine, Notice, check_choice};
pub use evaluate::Evaluator;
pub use gpu::{Adapter, AdapterChoice, AdapterKind, AdapterLimits, Gpu, GpuError};
pub use observe::{Count, observe};
pub use reference::Reference;
pub use simd::{Driven, Simd, Wheels};
pub use team::Team;

use crate::hash::fnv1a;
use crate::tree::Program;
use crate::world::{Pose, Sensing, WorldSpec};

/// One simulation to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Job<'a> {
    /// The world.
    pub spec: &'a WorldSpec,
    /// Which of the world's starts, counted round and round.
    pub start: usize,
    /// What the robots run.
    pub team: Team,
    /// Seed and world number fix every random choice of the run.
    pub seed: u64,
    /// See `seed`.
    pub world: u32,
    /// Number of controller updates (0.1 s each).
    pub updates: u32,
}

impl Job<'_> {
    /// The senses that at least one of its robots may read.
    fn sensing(&self, programs: &[Program]) -> Sensing {
        let mut used: Vec<usize> = (0..self.spec.robots).map(|robot| self.team.program(robot)).collect();
        used.dedup();
        Sensing::of(used.iter().map(|program| &programs[*program]))
    }
}

/// What came of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The task's fitness; for transport exactly 0 if the frisbee never moved.
    pub fitness: f32,
    /// Hash over the bits of all final positions; equal runs have equal hashes.
    pub hash: u64,
}

/// Runs worlds. Implementations agree within the tolerances that their twin tests state.
pub trait Engine: Sync {
    /// Name for reports.
    fn name(&self) -> &'static str;

    /// Runs every job and returns outcomes in the order of the jobs, whatever the number of threads.
    fn run(&self, programs: &[Program], jobs: &[Job<'_>]) -> Vec<Outcome>;

    /// The device that it runs on, if it is not simply this processor.
    fn device(&self) -> Option<String> {
        None
    }

    /// What the user should know about the runs so far: that another engine had to help, and why.
    fn notice(&self) -> Option<String> {
        None
    }
}

/// Indices of the jobs, grouped by what worlds that run together have in common: their description and length.
fn alike(jobs: &[Job<'_>]) -> Vec<Vec<usize>> {
    let mut groups: Vec<(&Job<'_>, Vec<usize>)> = Vec::new();
    for (i, job) in jobs.iter().enumerate() {
        let same = |with: &Job<'_>| {
            with.updates == job.updates && (std::ptr::eq(with.spec, job.spec) || with.spec == job.spec)
        };
        match groups.iter_mut().find(|(first, _)| same(first)) {
            Some((_, indices)) => indices.push(i),
            None => groups.push((job, vec![i])),
        }
    }
    groups.into_iter().map(|(_, indices)| indices).collect()
}

/// Hash over the bits of final positions and headings.
fn hash(poses: impl Iterator<Item = Pose>) -> u64 {
    fnv1a(poses.flat_map(|p| [p.at.x, p.at.y, p.heading]).flat_map(|value| value.to_bits().to_le_bytes()))
}

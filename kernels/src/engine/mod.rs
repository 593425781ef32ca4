//! Engines, which run many worlds. For the same jobs all engines return equivalent outcomes in the same order.

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
pub use simd::{ActionKind, BatchSimulation, Simd};
pub use team::Team;

use crate::hash::fnv1a;
use crate::tree::Program;
use crate::world::{Pose, Sensing, WorldSpec};

/// One simulation to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Job<'a> {
    /// The world.
    pub spec: &'a WorldSpec,
    /// Number of the start in the world's list, modulo the number of starts.
    pub start: usize,
    /// Programs of the robots.
    pub team: Team,
    /// Seed; together with `world` it determines all random choices.
    pub seed: u64,
    /// Index of the world; see `seed`.
    pub world: u32,
    /// Number of controller updates (0.1 s each).
    pub updates: u32,
}

impl Job<'_> {
    /// Senses that at least one robot of the job may read.
    fn sensing(&self, programs: &[Program]) -> Sensing {
        let mut used: Vec<usize> = (0..self.spec.robots).map(|robot| self.team.program(robot)).collect();
        used.dedup();
        Sensing::from_programs(used.iter().map(|program| &programs[*program]))
    }
}

/// Result of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The task's fitness; for transport exactly 0 if the frisbee never moved.
    pub fitness: f32,
    /// Hash over the bits of all final poses; identical runs have equal hashes.
    pub hash: u64,
}

/// Runs worlds. Implementations agree within the tolerances of their twin tests.
pub trait Engine: Sync {
    /// Name of the engine for reports.
    fn name(&self) -> &'static str;

    /// Runs every job and returns outcomes in the order of the jobs, independent of the number of threads.
    fn run(&self, programs: &[Program], jobs: &[Job<'_>]) -> Vec<Outcome>;

    /// Device of the engine; `None` for the CPU.
    fn device(&self) -> Option<String> {
        None
    }

    /// Notice for the user about the runs so far, for example that another engine replaced this one, and why.
    fn notice(&self) -> Option<String> {
        None
    }
}

/// Groups the indices of jobs that can run together, with equal world and length.
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

//! Engines, which run many worlds. For the same jobs, all engines return equivalent outcomes in the same order. In
//! WebAssembly there is no `gpu`, and therefore no choice of an engine.

mod choice;
#[cfg(not(target_family = "wasm"))]
mod chosen;
mod evaluate;
#[cfg(not(target_family = "wasm"))]
mod gpu;
#[cfg(not(target_family = "wasm"))]
mod meter;
mod observe;
mod pieces;
mod reference;
#[cfg(not(target_family = "wasm"))]
mod service;
mod simd;
mod team;

pub use choice::{AdapterChoice, EngineChoice, EngineKind};
#[cfg(not(target_family = "wasm"))]
pub use chosen::{ChosenEngine, EngineStatus, Machine, Notice, SharedEngine, check_choice};
pub use evaluate::Evaluator;
#[cfg(not(target_family = "wasm"))]
pub use gpu::{Adapter, AdapterKind, AdapterLimits, Gpu, GpuError};
pub use observe::{Count, observe};
pub use pieces::{Piece, Suspended};
pub use reference::Reference;
pub use simd::{ActionKind, BatchSimulation, POSE_FIELDS, Simd};
pub use team::Team;

use crate::hash::fnv1a;
use crate::tree::Program;
use crate::world::{Pose, Sensing, WorldSpec};

/// A simulation run.
#[derive(Clone, Debug, PartialEq)]
pub struct Job<'a> {
    /// Specification of the world.
    pub spec: &'a WorldSpec,
    /// Index in the world's list of starts, modulo the number of starts.
    pub start: usize,
    /// Programs of the robots.
    pub team: Team,
    /// Seed of the run. The seed and `world` together determine all random choices.
    pub seed: u64,
    /// Index of the world among the worlds with the same seed.
    pub world: u32,
    /// Number of controller updates (0.1 s each).
    pub updates: u32,
}

impl Job<'_> {
    /// Returns the senses that at least one robot of the job may read.
    fn sensing(&self, programs: &[Program]) -> Sensing {
        let mut used: Vec<usize> = (0..self.spec.robots).map(|robot| self.team.program(robot)).collect();
        used.dedup();
        Sensing::from_programs(used.iter().map(|program| &programs[*program]))
    }
}

/// Result of a job.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// Fitness of the task. For transport, it is exactly 0 if the frisbee never moved.
    pub fitness: f32,
    /// Hash over the bits of all final poses. Identical runs have equal hashes.
    pub hash: u64,
}

impl Outcome {
    /// Returns a hash over the hashes of several runs, in the order of the runs.
    pub fn hash_of(hashes: impl Iterator<Item = u64>) -> u64 {
        hashes.fold(0, |all, hash| all.rotate_left(5) ^ hash)
    }
}

/// An engine, which runs worlds. Implementations agree within the tolerances of their twin tests.
pub trait Engine: Sync {
    /// Returns the name of the engine for reports.
    fn name(&self) -> &'static str;

    /// Runs all jobs and returns their outcomes in the order of the jobs. Outcomes do not depend on the number of
    /// threads.
    fn run(&self, programs: &[Program], jobs: &[Job<'_>]) -> Vec<Outcome>;

    /// Simulates pieces of jobs. Returns the outcome so far and the suspended world of each piece, in the order of the
    /// pieces. The outcomes are bit-identical to those of [`Engine::run`] for the jobs up to the same update, whatever
    /// the earlier pieces. The default simulates each job from its start.
    ///
    /// # Panics
    /// If a suspended world belongs to another job, or is later than the end of its piece.
    fn advance(&self, programs: &[Program], pieces: &[Piece<'_>]) -> Vec<(Outcome, Suspended)> {
        pieces::replay(self, programs, pieces)
    }

    /// Returns the name of the GPU on which the engine runs; `None` for the CPU.
    fn device(&self) -> Option<String> {
        None
    }

    /// Returns a notice for the user about the runs so far, for example that another engine has replaced this engine.
    /// Returns `None` if there was no such event.
    fn notice(&self) -> Option<String> {
        None
    }
}

/// Groups the indices of jobs that can run together, because their worlds and numbers of updates are equal.
pub fn alike(jobs: &[Job<'_>]) -> Vec<Vec<usize>> {
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

/// Returns a hash over the bits of positions and headings.
fn hash(poses: impl Iterator<Item = Pose>) -> u64 {
    fnv1a(poses.flat_map(|p| [p.at.x, p.at.y, p.heading]).flat_map(|value| value.to_bits().to_le_bytes()))
}

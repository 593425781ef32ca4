//! A run of a world, and what comes of it.

use super::foraging::Foraging;
use super::program::Program;
use xpuck_kernels::hash::fnv1a;

/// One run.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// What the robots run; all run the same (thesis 4.2).
    pub program: &'a Program,
    /// Seed and world number fix every random choice of the run.
    pub seed: u64,
    /// See `seed`.
    pub world: u32,
}

/// What came of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Pieces of food that robots took.
    pub picked: u32,
    /// Pieces of food that they brought home.
    pub delivered: u32,
    /// Hash over the bits of all final positions and headings; equal runs have equal hashes.
    pub hash: u64,
}

impl Outcome {
    /// The part of the most food possible that was brought home: Eq. 4.2 without derating.
    pub fn fitness(&self, foraging: &Foraging) -> f32 {
        self.delivered as f32 / foraging.most_food()
    }
}

/// Hash over the bits of final poses.
pub(super) fn hash(poses: impl Iterator<Item = [f32; 3]>) -> u64 {
    fnv1a(poses.flatten().flat_map(|value| value.to_bits().to_le_bytes()))
}

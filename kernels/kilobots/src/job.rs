//! Settings of a run in a world, and the outcome of the run.

use super::foraging::Foraging;
use super::program::Program;
use xpuck_kernels::hash::fnv1a;

/// Settings of a run.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// Program that all robots run (thesis 4.2).
    pub program: &'a Program,
    /// Seed. Together with `world`, it determines every random choice of the run.
    pub seed: u64,
    /// World number. Worlds with different numbers differ in their random choices.
    pub world: u32,
}

/// Outcome of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Number of pieces of food picked up.
    pub picked: u32,
    /// Number of pieces of food delivered to the nest.
    pub delivered: u32,
    /// Hash over the bits of all final positions and headings. Equal runs have equal hashes.
    pub hash: u64,
}

impl Outcome {
    /// Returns the fitness: deliveries as a share of the possible maximum (Eq. 4.2 without derating).
    pub fn fitness(&self, foraging: &Foraging) -> f32 {
        self.delivered as f32 / foraging.max_deliveries()
    }
}

/// Returns a hash over the bits of the final poses.
pub(super) fn hash(poses: impl Iterator<Item = [f32; 3]>) -> u64 {
    fnv1a(poses.flatten().flat_map(|value| value.to_bits().to_le_bytes()))
}

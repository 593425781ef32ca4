//! Synthetic recordings: made in the simulator, with known parameters, in the form of those of real experiments.

mod bench;
mod runs;

pub use bench::{InfraredBench, infrared};
pub use runs::{Encounters, encounters, pauses, turns};

use xpuck_kernels::random::{Draws, normal_pair};

/// A standard normal deviate.
fn normal(draws: &mut Draws) -> f32 {
    normal_pair(draws.word(), draws.word()).0
}

//! Synthetic recordings, simulated with known parameters. They have the form of real recordings.

mod bench;
mod runs;

pub use bench::{InfraredBench, infrared};
pub use runs::{Encounters, encounters, pauses, turns};

use xpuck_kernels::random::{Draws, normal_pair};

/// Draws a standard normal deviate.
fn normal(draws: &mut Draws) -> f32 {
    normal_pair(draws.word(), draws.word()).0
}

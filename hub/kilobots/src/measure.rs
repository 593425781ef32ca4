//! What a tree is worth in starts that no evolution saw.

use serde::{Deserialize, Serialize};
use xpuck_kernels::tree::Tree;
use xpuck_kilobots::{Foraging, evaluate};
use xpuck_stats::statistics::spread::Spread;

/// Fitness in some starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Their mean.
    pub mean: f64,
    /// The mean's standard error.
    pub standard_error: f64,
    /// Fitness of each start.
    pub starts: Vec<f32>,
}

/// The mean of some starts.
pub(super) fn mean(starts: &[f32]) -> f64 {
    starts.iter().copied().map(f64::from).sum::<f64>() / starts.len() as f64
}

/// Fitness of a tree in `starts` worlds of a seed: the food brought home, as a part of the most possible, derated by what the tree
/// takes of the memory (Eq. 4.2).
pub fn measure(tree: &Tree, foraging: &Foraging, seed: u64, starts: u32) -> Measured {
    let trials: Vec<(usize, u32)> = (0..starts).map(|world| (0, world)).collect();
    let starts = evaluate(foraging, &[tree], &trials, seed);
    let sample: Vec<f64> = starts.iter().copied().map(f64::from).collect();
    let spread = Spread::of(&sample);
    Measured {
        mean: spread.map_or(0.0, |spread| spread.mean),
        standard_error: spread.and_then(|spread| spread.se).unwrap_or(0.0),
        starts,
    }
}

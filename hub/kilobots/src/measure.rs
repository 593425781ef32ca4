//! Fitness of a tree in starts that are not used in evolution.

use serde::{Deserialize, Serialize};
use xpuck_kernels::tree::Tree;
use xpuck_kilobots::{Foraging, evaluate};
use xpuck_stats::statistics::spread::Spread;

/// Fitness of a tree in several starts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Mean fitness.
    pub mean: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
    /// Fitness in each start.
    pub starts: Vec<f32>,
}

/// Returns the mean fitness over starts.
pub(super) fn mean(starts: &[f32]) -> f64 {
    starts.iter().copied().map(f64::from).sum::<f64>() / starts.len() as f64
}

/// Measures the fitness of a tree in `starts` worlds of a seed. Fitness is the delivered food as a share of the
/// possible maximum, derated by memory usage (Eq. 4.2).
pub fn measure(tree: &Tree, foraging: &Foraging, seed: u64, starts: u32) -> Measurement {
    let trials: Vec<(usize, u32)> = (0..starts).map(|world| (0, world)).collect();
    let starts = evaluate(foraging, &[tree], &trials, seed);
    let sample: Vec<f64> = starts.iter().copied().map(f64::from).collect();
    let spread = Spread::from_sample(&sample);
    Measurement {
        mean: spread.map_or(0.0, |spread| spread.mean),
        standard_error: spread.and_then(|spread| spread.se).unwrap_or(0.0),
        starts,
    }
}

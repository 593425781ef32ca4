//! Training: from a plane through the samples to a map of them (Kohonen 1982; batch form: Kohonen 2013).

use super::grid::Grid;
use super::pca::Pca;
use super::quality::best;

/// How a map is trained.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Training {
    /// Passes over all samples.
    pub epochs: u32,
    /// Standard deviation of the Gaussian neighbourhood in the first epoch, distances of units.
    pub from: f64,
    /// The same in the last epoch; it shrinks by the same factor from epoch to epoch.
    pub to: f64,
}

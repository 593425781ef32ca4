//! Self-organising maps (Kohonen 1982): similar samples of many columns are placed in the same or adjacent cells of a
//! plane (thesis 8.5).

mod draw;
mod grid;
mod map;
mod pca;
mod quality;
mod standardise;
mod train;

pub use draw::draw;
pub use grid::{Grid, HEXAGONAL_ROW, MOST_SIDE, Topology};
pub use map::{Cell, Map};
pub use pca::Pca;
pub use quality::{best, best_two, quantisation_error, topographic_error, u_matrix};
pub use standardise::{LEAST_SAMPLES, MOST_COLUMNS, check, standardised};
pub use train::{Training, start, train};

#[cfg(test)]
mod check;

//! Statistics and their plots: [`statistics`], self-organising maps ([`som`]), CMA-ES ([`cma`]), [`plot`]s.
//!
//! The crate contains no robotics. Its functions are pure; tests compare them with SciPy, minisom and `cma` from
//! PyPI.

pub mod cma;
mod eigen;
pub mod figure;
pub mod plot;
#[cfg(test)]
mod python;
pub mod som;
pub mod statistics;

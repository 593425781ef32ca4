//! Numbers about samples and their pictures: [`statistics`], self-organising maps ([`som`]), CMA-ES ([`cma`]), [`plot`]s.
//!
//! Nothing here knows of robots. The functions are pure; tests compare them with SciPy, minisom and `cma` from PyPI.

pub mod cma;
mod eigen;
pub mod figure;
pub mod plot;
#[cfg(test)]
mod python;
pub mod som;
pub mod statistics;

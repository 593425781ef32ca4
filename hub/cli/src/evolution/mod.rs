//! Evolution without robots: runs, sweeps, and where trees came from.

pub mod evolve;
pub mod remeasure;
pub mod stopping;
pub mod sweep;

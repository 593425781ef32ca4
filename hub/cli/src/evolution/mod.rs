//! Evolution without robots: runs and sweeps, stopped and gone on with.

pub mod evolve;
pub mod remeasure;
pub mod stopping;
pub mod sweep;

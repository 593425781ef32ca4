//! Evolution without robots: runs and sweeps that can be stopped and resumed.

pub mod evolve;
pub mod remeasure;
pub mod stopping;
pub mod sweep;

//! Commands for Kilobots: evolution of trees that forage, and programs for real Kilobots (thesis chapter 4,
//! docs/kilobots.md).

pub mod evolve;
mod firmware;
pub mod hex;
pub mod simulate;

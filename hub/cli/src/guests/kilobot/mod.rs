//! Kilobots that evolve to forage, and programs for real Kilobots (thesis chapter 4, docs/kilobots.md).

pub mod evolve;
mod firmware;
pub mod hex;
pub mod simulate;

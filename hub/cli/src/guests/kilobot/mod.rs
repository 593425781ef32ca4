//! Kilobots that evolve to forage, and what goes onto real ones (thesis chapter 4, docs/kilobots.md).

pub mod evolve;
mod firmware;
pub mod hex;
pub mod simulate;

//! The operator's commands, one file each.

pub mod evolve;
pub mod simulate;

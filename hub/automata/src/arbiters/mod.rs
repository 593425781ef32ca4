//! Genomes of curricula that are behaviour trees. The trees arbitrate between the modules of the cargo robot.

mod primitives;
mod species;

pub use primitives::primitive_set;
pub use species::{TreeGenome, TreeSpecies};

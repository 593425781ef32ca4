//! Genotypes: the objects of crossover and mutation. [`crate::Space`] converts a genotype to its tree.
//!
//! A subtree of the primitive set is stored as one leaf, because evolution must not change its nodes. Evolution uses it
//! "as if it were a leaf node" (thesis 7.4.2). Functions are subtrees that evolve with the genotype (automatically
//! defined functions, Koza 1994).

mod bits;
mod branch;
mod weights;

pub use bits::Bits;
pub use branch::{Branch, Gene};
pub(crate) use weights::Shape;
pub use weights::Weights;

use serde::{Deserialize, Serialize};

/// Object of crossover and mutation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Genotype {
    /// Main tree, followed by the functions that it may call. A single branch is a plain tree.
    Branches(Vec<Branch>),
    /// Bit string from which a grammar generates the tree.
    Bits(Bits),
    /// Weights of a recurrent network.
    Network(Weights),
}

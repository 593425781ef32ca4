//! Genotypes: what crossover and mutation work on. Which tree one stands for, the space of genotypes says.
//!
//! A subtree of the primitive set is kept whole, as one leaf: evolution uses it "as if it were a leaf node" (thesis
//! 7.4.2), so nothing cuts into it. Functions are its evolving counterpart (automatically defined functions, Koza 1994).

mod bits;
mod branch;
mod weights;

pub use bits::Bits;
pub use branch::{Branch, Gene};
pub(crate) use weights::Shape;
pub use weights::Weights;

use serde::{Deserialize, Serialize};

/// What variation works on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Genotype {
    /// The main tree, then the functions that it may call; one branch alone is a plain tree.
    Branches(Vec<Branch>),
    /// A string from which a grammar generates the tree.
    Bits(Bits),
    /// The numbers of a recurrent network.
    Network(Weights),
}

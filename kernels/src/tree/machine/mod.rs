//! Trees as a notation for other machines, and other machines as trees (thesis 3.1.6, 3.1.8 and 3.1.9).
//!
//! All work on the memoryless [`Form`]: [`Memoryless`] brings any tree into it, [`LeafMachine`] turns it into a state
//! machine.

mod form;
mod form_memory;
mod leaf;
mod leaf_machine;
mod memoryless;
mod parallel;

pub use form::{Domain, Form};
pub use form_memory::FormMemory;
pub use leaf::{Leaf, RobotLeaf, Role, Variable};
pub use leaf_machine::{LeafMachine, LeafState, Target};
pub use memoryless::Memoryless;

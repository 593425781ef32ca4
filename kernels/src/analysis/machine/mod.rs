//! Conversion of trees to other machines, and of other machines to trees (thesis 3.1.6, 3.1.8 and 3.1.9).
//!
//! The common representation is the memoryless [`Form`]. [`Memoryless`] converts a tree to a form, and
//! [`LeafMachine`] converts a form to a state machine. [`Rasp`] is a universal computer whose program is executed by
//! a form. A [`StateMachine`] is converted to a tree that robots can run directly.

mod form;
mod form_memory;
mod fsm;
mod leaf;
mod leaf_machine;
mod memoryless;
mod parallel;
mod probability;
mod rasp;

pub use form::{Domain, Form};
pub use form_memory::FormMemory;
pub use fsm::{
    EncodedMachine, MAX_STATES, MAX_TRANSITIONS, MachineError, State, StateCode, StateMachine, Transition,
    may_condition, uses_scratch,
};
pub use leaf::{Leaf, RobotLeaf, Role, Variable};
pub use leaf_machine::{LeafMachine, LeafState, Target};
pub use memoryless::Memoryless;
pub use probability::Guard;
pub use rasp::{Fault, LIMIT, Rasp, RaspLeaf, assemble, rasp_tree};

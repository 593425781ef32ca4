//! Automata and trees that arbitrate between behaviours, and their curricula in worlds of cargo.

pub mod automaton;
pub mod curriculum;

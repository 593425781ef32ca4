//! Automata and trees that arbitrate between behaviours. Curricula in worlds of cargo train these automata and trees.

pub mod automaton;
pub mod curriculum;

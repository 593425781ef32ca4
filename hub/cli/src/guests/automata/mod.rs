//! Automata and trees that arbitrate between behaviours, and the curricula in worlds of cargo that train them.

pub mod automaton;
pub mod curriculum;

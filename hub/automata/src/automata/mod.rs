//! Post-offices as genomes: how they are made, crossed and mutated, with the probabilities of Petrovic, "Evolving automatons
//! for distributed behavior arbitration" (NTNU 05/2005).

mod crossover;
mod mutate;
mod random;
mod species;

pub use crossover::cross;
pub use mutate::{MUTATIONS, Mutation, mutate};
pub use random::{random_automaton, random_transition};
pub use species::{AutomataSpecies, Rates};

use xpuck_automata::automaton::{Kind, Module};

/// What an evolving automaton of a step may be.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// Whose post-office it is.
    pub module: Module,
    /// What can trigger transitions for incoming messages.
    pub triggers: Vec<Kind>,
    /// What can trigger transitions for outgoing messages.
    pub outgoing_triggers: Vec<Kind>,
    /// Most states, 1..=16.
    pub max_states: usize,
    /// Least and most states of a new one.
    pub new_states: [usize; 2],
    /// Least and most transitions of a state, within 0..=16.
    pub transitions: [usize; 2],
    /// Least and most transitions of a new state.
    pub new_transitions: [usize; 2],
    /// Probability that a transition broadcasts a message.
    pub out: f32,
}

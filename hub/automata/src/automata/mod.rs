//! Automata of post-offices as genomes: creation, crossover and mutation. The probabilities are those of Petrovic,
//! "Evolving automatons for distributed behavior arbitration" (NTNU 05/2005).

mod crossover;
mod mutate;
mod random;
mod species;

pub use crossover::cross;
pub use mutate::{MUTATIONS, Mutation, mutate};
pub use random::{random_automaton, random_transition};
pub use species::{AutomataSpecies, Rates};

use xpuck_automata::automaton::{Kind, Module};

/// Limits of an automaton that evolves in a step of a curriculum.
#[derive(Clone, Debug, PartialEq)]
pub struct Bounds {
    /// Module whose post-office the automaton controls.
    pub module: Module,
    /// Possible triggers of transitions for incoming messages.
    pub triggers: Vec<Kind>,
    /// Possible triggers of transitions for outgoing messages.
    pub outgoing_triggers: Vec<Kind>,
    /// Maximum number of states (1..=16).
    pub max_states: usize,
    /// Minimum and maximum number of states of a new automaton.
    pub new_states: [usize; 2],
    /// Minimum and maximum number of transitions of a state (0..=16).
    pub transitions: [usize; 2],
    /// Minimum and maximum number of transitions of a new state.
    pub new_transitions: [usize; 2],
    /// Probability that a transition broadcasts a message (0..=1).
    pub out: f32,
}

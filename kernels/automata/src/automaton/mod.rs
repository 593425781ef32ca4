//! Post-offices: finite automata through which all messages of a module pass, after Petrovic, "Evolving automatons for
//! distributed behavior arbitration" (NTNU 05/2005).
//!
//! A transition is a 6-tuple: what triggers it, the new state, a message for the other modules with its numbers, and one for
//! the module with its numbers. A message that triggers nothing is filtered.
//!
//! For people there are [`print()`], [`account()`], [`draw()`] and [`diff()`]. [`to_tree()`] makes a behaviour tree of an
//! automaton, so that it runs wherever trees run; what its messages mean there is in [`Meanings`].

mod account;
mod diff;
mod draw;
mod from_tree;
mod layout;
mod meanings;
mod message;
mod post_office;
mod simplify;
#[cfg(test)]
mod test_support;
mod text;
mod to_tree;

pub use account::account;
pub use diff::diff;
pub use draw::draw;
pub use from_tree::from_tree;
pub use meanings::{ConversionError, Meanings};
pub use message::{Kind, Message, Module};
pub use post_office::{Passed, PostOffice, Usage};
pub use simplify::{simplify, trim};
pub use text::{AutomatonError, parse, print};
pub use to_tree::to_tree;

/// Most states of an automaton.
pub const MAX_STATES: usize = 16;
/// Most transitions of a state for incoming messages, and as many for outgoing ones.
pub const MAX_TRANSITIONS: usize = 16;

/// What happens when a message comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transition {
    /// The message that triggers it.
    pub trigger: Kind,
    /// The new state, from 0.
    pub to: u8,
    /// What is then broadcast to other modules.
    pub out: Option<Message>,
    /// What the module then gets; of an outgoing message, what it gets back.
    pub inward: Option<Message>,
}

/// A state: for each direction its transitions, of which the first that a message triggers is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// For messages to the module.
    pub incoming: Vec<Transition>,
    /// For messages of the module.
    pub outgoing: Vec<Transition>,
}

/// The finite automaton of a post-office: 1 to [`MAX_STATES`] states.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Automaton {
    /// The state in which it starts, from 0.
    pub start: u8,
    /// Its states.
    pub states: Vec<State>,
}

impl Automaton {
    /// One state that hands all of `kinds` on as they are.
    pub fn forwarding(kinds: &[Kind]) -> Automaton {
        let forward = |&kind: &Kind| Transition { trigger: kind, to: 0, out: None, inward: Some(kind.into()) };
        Automaton { start: 0, states: vec![State { incoming: kinds.iter().map(forward).collect(), outgoing: vec![] }] }
    }

    /// How many transitions it has.
    pub fn transitions(&self) -> usize {
        self.states.iter().map(|state| state.incoming.len() + state.outgoing.len()).sum()
    }
}

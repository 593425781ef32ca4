//! Post-offices: finite automata that filter and translate all messages of a module, after Petrovic, "Evolving
//! automatons for distributed behavior arbitration" (NTNU 05/2005).
//!
//! A transition is a 6-tuple: trigger, new state, message for the other modules with its arguments, and message for
//! the module with its arguments. A message without a matching transition is dropped.
//!
//! [`print()`], [`account()`], [`draw()`] and [`diff()`] produce output for people. [`to_tree()`] converts an
//! automaton to a behaviour tree, which runs on every engine and robot; [`Meanings`] defines the trees of its
//! messages.

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
pub use post_office::{PostOffice, RoutedMessages, Usage};
pub use simplify::{simplify, trim};
pub use text::{AutomatonError, parse, print};
pub use to_tree::to_tree;

/// Maximum number of states of an automaton.
pub const MAX_STATES: usize = 16;
/// Maximum number of transitions of a state for each direction of messages (incoming and outgoing).
pub const MAX_TRANSITIONS: usize = 16;

/// Reaction to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Transition {
    /// Kind of the message that triggers the transition.
    pub trigger: Kind,
    /// New state, from 0.
    pub to: u8,
    /// Message broadcast to the other modules.
    pub out: Option<Message>,
    /// Message handed to the module. If the trigger is an outgoing message, it is the reply to the module.
    pub inward: Option<Message>,
}

/// Transitions from a state, for each direction of messages. The first transition that matches a message is taken.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    /// Transitions for messages to the module.
    pub incoming: Vec<Transition>,
    /// Transitions for messages from the module.
    pub outgoing: Vec<Transition>,
}

/// Finite automaton of a post-office, with 1 to [`MAX_STATES`] states.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Automaton {
    /// Start state, from 0.
    pub start: u8,
    /// States, 1 to [`MAX_STATES`].
    pub states: Vec<State>,
}

impl Automaton {
    /// Returns an automaton with one state that forwards all of `kinds` unchanged.
    pub fn forwarding(kinds: &[Kind]) -> Automaton {
        let forward = |&kind: &Kind| Transition { trigger: kind, to: 0, out: None, inward: Some(kind.into()) };
        Automaton { start: 0, states: vec![State { incoming: kinds.iter().map(forward).collect(), outgoing: vec![] }] }
    }

    /// Returns the number of transitions of all states.
    pub fn transitions(&self) -> usize {
        self.states.iter().map(|state| state.incoming.len() + state.outgoing.len()).sum()
    }
}

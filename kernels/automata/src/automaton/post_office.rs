//! Execution of an automaton.

use super::{Automaton, MAX_STATES, Message, Transition};

/// States and transitions that an automaton has used so far, as bit sets. Bit `i` of `states` is state `i`. Bit `k` of
/// `incoming[i]` and of `outgoing[i]` is transition `k` of state `i`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Entered states.
    pub states: u16,
    /// Transitions taken for incoming messages, by state.
    pub incoming: [u16; MAX_STATES],
    /// Transitions taken for outgoing messages, by state.
    pub outgoing: [u16; MAX_STATES],
}

impl Usage {
    /// Adds the used states and transitions of `other`.
    pub fn merge(&mut self, other: &Usage) {
        self.states |= other.states;
        for (mine, theirs) in self.incoming.iter_mut().zip(&other.incoming) {
            *mine |= theirs;
        }
        for (mine, theirs) in self.outgoing.iter_mut().zip(&other.outgoing) {
            *mine |= theirs;
        }
    }
}

/// Result of passing a message through a post-office.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RoutedMessages {
    /// Message for the module.
    pub inward: Option<Message>,
    /// Message for all other modules.
    pub out: Option<Message>,
}

/// Automaton with its current state.
#[derive(Clone, Debug)]
pub struct PostOffice<'a> {
    automaton: &'a Automaton,
    state: u8,
    /// Bit set of the kinds of outgoing messages that trigger a transition in at least one state.
    minded: u64,
    usage: Usage,
}

impl<'a> PostOffice<'a> {
    /// Creates a post-office in the start state. The automaton must be valid, as [`super::parse`] and the operators
    /// guarantee.
    pub fn new(automaton: &'a Automaton) -> PostOffice<'a> {
        let outgoing = automaton.states.iter().flat_map(|state| &state.outgoing);
        let minded = outgoing.fold(0, |bits, transition| bits | 1 << transition.trigger as u32);
        let usage = Usage { states: 1 << automaton.start, ..Usage::default() };
        PostOffice { automaton, state: automaton.start, minded, usage }
    }

    /// Returns the current state, from 0.
    pub fn state(&self) -> u8 {
        self.state
    }

    /// Returns the states and transitions used so far.
    pub fn usage(&self) -> &Usage {
        &self.usage
    }

    /// Passes a message to the module. A message without a matching transition is dropped.
    #[inline]
    pub fn incoming(&mut self, message: Message) -> RoutedMessages {
        let state = usize::from(self.state);
        let transitions = &self.automaton.states[state].incoming;
        match transitions.iter().position(|transition| transition.trigger == message.kind) {
            Some(taken) => {
                self.usage.incoming[state] |= 1 << taken;
                self.enter(transitions[taken])
            }
            None => RoutedMessages::default(),
        }
    }

    /// Passes a message from the module. If its kind triggers no transition of any state, the message passes unchanged.
    /// The reason is that the evolved automata in the report have no outgoing transitions, but their modules still
    /// drive. Any other message without a matching transition is dropped.
    #[inline]
    pub fn outgoing(&mut self, message: Message) -> RoutedMessages {
        if self.minded >> message.kind as u32 & 1 == 0 {
            return RoutedMessages { inward: None, out: Some(message) };
        }
        let state = usize::from(self.state);
        let transitions = &self.automaton.states[state].outgoing;
        match transitions.iter().position(|transition| transition.trigger == message.kind) {
            Some(taken) => {
                self.usage.outgoing[state] |= 1 << taken;
                self.enter(transitions[taken])
            }
            None => RoutedMessages::default(),
        }
    }

    fn enter(&mut self, transition: Transition) -> RoutedMessages {
        self.state = transition.to;
        self.usage.states |= 1 << transition.to;
        RoutedMessages { inward: transition.inward, out: transition.out }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::{Kind, Module, parse};

    #[test]
    fn messages_that_trigger_nothing_are_filtered() {
        let text = "1 -> 2: (SENSORS_TARGET_MARK), in:CARGOLOADER_LOAD, out:-\n\
                    2 -> 1: (SENSORS_TARGET_MARK), in:-, out:CARGOLOADER_OK\n";
        let automaton = parse("test", Module::Cargoloader, text).unwrap();
        let mut office = PostOffice::new(&automaton);
        assert_eq!(office.incoming(Kind::LineEnter.into()), RoutedMessages::default());
        let loaded = RoutedMessages { inward: Some(Kind::CargoloaderLoad.into()), out: None };
        assert_eq!(office.incoming(Kind::TargetMark.into()), loaded);
        assert_eq!(office.state(), 1);
        assert_eq!(office.incoming(Kind::TargetMark.into()).out, Some(Kind::CargoloaderOk.into()));
        assert_eq!(office.usage().states, 0b11);
        assert_eq!(office.outgoing(Kind::CargoloaderOk.into()).out, Some(Kind::CargoloaderOk.into()));
    }

    #[test]
    fn outgoing_messages_are_filtered_where_they_are_minded() {
        let text = "1 -> 2: outgoing (LINEFOLLOWER_LINELOST), in:LNFLWER_STOP, out:-\nstates 2\n";
        let automaton = parse("test", Module::LineFollower, text).unwrap();
        let mut office = PostOffice::new(&automaton);
        let lost = office.outgoing(Kind::LineLost.into());
        assert_eq!(lost, RoutedMessages { inward: Some(Kind::LineFollowerStop.into()), out: None });
        assert_eq!(office.outgoing(Kind::LineLost.into()), RoutedMessages::default());
    }
}

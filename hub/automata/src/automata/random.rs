//! Creation of random automata.

use super::Bounds;
use xpuck_automata::automaton::{Automaton, Kind, Message, State, Transition};
use xpuck_kernels::random::Draws;

/// Draws an integer in `low..=high`.
pub(super) fn between(low: usize, high: usize, draws: &mut Draws) -> usize {
    low + draws.below((high.max(low) - low + 1) as u32) as usize
}

/// Draws an element of a list; `None` if the list is empty.
pub(super) fn one_of<T: Copy>(list: &[T], draws: &mut Draws) -> Option<T> {
    if list.is_empty() { None } else { Some(list[draws.below(list.len() as u32) as usize]) }
}

/// Draws the message that a transition sends to its own module; `None` for no message.
pub(super) fn random_inward(bounds: &Bounds, draws: &mut Draws) -> Option<Message> {
    let inputs = bounds.module.inputs();
    let chosen = draws.below(inputs.len() as u32 + 1) as usize;
    inputs.get(chosen).map(|&kind| with_arguments(kind, draws))
}

/// Draws the message that a transition sends to other modules; `None` for no message.
pub(super) fn random_out(bounds: &Bounds, draws: &mut Draws) -> Option<Message> {
    if draws.unit() >= bounds.out {
        return None;
    }
    one_of(bounds.module.outputs(), draws).map(|kind| with_arguments(kind, draws))
}

fn with_arguments(kind: Kind, draws: &mut Draws) -> Message {
    let mut message = Message::from(kind);
    for argument in &mut message.arguments[..kind.arguments()] {
        *argument = draws.below(1000) as i16;
    }
    message
}

/// Draws a transition for an automaton with `states` states. The transition is triggered by outgoing messages if
/// `outgoing` is set, otherwise by incoming messages. Returns `None` if the bounds contain no such trigger.
pub fn random_transition(bounds: &Bounds, states: usize, outgoing: bool, draws: &mut Draws) -> Option<Transition> {
    let triggers = if outgoing { &bounds.outgoing_triggers } else { &bounds.triggers };
    let trigger = one_of(triggers, draws)?;
    let to = draws.below(states as u32) as u8;
    Some(Transition { trigger, to, inward: random_inward(bounds, draws), out: random_out(bounds, draws) })
}

/// Draws whether a new transition is for outgoing messages. The probability is the share of triggers for outgoing
/// messages among all triggers.
pub(super) fn random_direction(bounds: &Bounds, draws: &mut Draws) -> bool {
    let (incoming, outgoing) = (bounds.triggers.len() as u32, bounds.outgoing_triggers.len() as u32);
    outgoing > 0 && draws.below(incoming + outgoing) >= incoming
}

/// Adds a random transition to a state of an automaton with `states` states.
pub(super) fn add_transition(bounds: &Bounds, state: &mut State, states: usize, draws: &mut Draws) {
    let outgoing = random_direction(bounds, draws);
    if let Some(transition) = random_transition(bounds, states, outgoing, draws) {
        insert(list(state, outgoing), transition, draws);
    }
}

/// Returns the transitions of a state: those for outgoing messages if `outgoing` is set, otherwise those for incoming
/// messages.
pub(super) fn list(state: &mut State, outgoing: bool) -> &mut Vec<Transition> {
    if outgoing { &mut state.outgoing } else { &mut state.incoming }
}

/// Inserts a transition at a random index, because the order matters: the first matching transition is taken.
pub(super) fn insert(list: &mut Vec<Transition>, transition: Transition, draws: &mut Draws) {
    let place = draws.below(list.len() as u32 + 1) as usize;
    list.insert(place, transition);
}

/// Returns the number of transitions of a state.
pub(super) fn count(state: &State) -> usize {
    state.incoming.len() + state.outgoing.len()
}

/// Draws a state with `transitions` transitions for an automaton with `states` states.
pub(super) fn random_state(bounds: &Bounds, states: usize, transitions: usize, draws: &mut Draws) -> State {
    let mut state = State::default();
    for _ in 0..transitions {
        add_transition(bounds, &mut state, states, draws);
    }
    state
}

/// Draws an automaton within the bounds.
pub fn random_automaton(bounds: &Bounds, draws: &mut Draws) -> Automaton {
    let states = between(bounds.new_states[0], bounds.new_states[1].min(bounds.max_states), draws);
    let state = |draws: &mut Draws| {
        let transitions = between(bounds.new_transitions[0], bounds.new_transitions[1], draws);
        random_state(bounds, states, transitions, draws)
    };
    let made = (0..states).map(|_| state(draws)).collect();
    Automaton { start: draws.below(states as u32) as u8, states: made }
}

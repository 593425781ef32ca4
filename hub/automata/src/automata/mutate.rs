//! The eight mutations of automata.

use super::Bounds;
use super::random::{
    add_transition, count, insert, list, one_of, random_automaton, random_direction, random_inward, random_out,
    random_state, random_transition,
};
use xpuck_automata::automaton::{Automaton, State, Transition};
use xpuck_kernels::random::Draws;

/// Kinds of mutations, in the order of the project files of Petrovic's program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mutation {
    /// Adds a transition.
    NewTransition,
    /// Deletes a transition.
    DeleteTransition,
    /// Adds a state and a transition to it.
    NewState,
    /// Deletes a state and the transitions to it.
    DeleteState,
    /// Draws a new target, trigger or message of a transition.
    ChangeTransition,
    /// Draws new automata for the whole genome.
    NewIndividual,
    /// Replaces a transition by a new state and two transitions that lead through it.
    SplitTransition,
    /// Changes the start state.
    ChangeStart,
}

/// All mutations.
pub const MUTATIONS: [Mutation; 8] = [
    Mutation::NewTransition,
    Mutation::DeleteTransition,
    Mutation::NewState,
    Mutation::DeleteState,
    Mutation::ChangeTransition,
    Mutation::NewIndividual,
    Mutation::SplitTransition,
    Mutation::ChangeStart,
];

impl Mutation {
    /// Returns the name in curriculum files and statistics.
    pub fn name(self) -> &'static str {
        match self {
            Mutation::NewTransition => "new-transition",
            Mutation::DeleteTransition => "delete-transition",
            Mutation::NewState => "new-state",
            Mutation::DeleteState => "delete-state",
            Mutation::ChangeTransition => "change-transition",
            Mutation::NewIndividual => "new-individual",
            Mutation::SplitTransition => "split-transition",
            Mutation::ChangeStart => "change-start",
        }
    }
}

/// Applies a mutation to an automaton. Leaves the automaton unchanged if the bounds forbid the mutation.
pub fn mutate(automaton: &mut Automaton, mutation: Mutation, bounds: &Bounds, draws: &mut Draws) {
    let n = automaton.states.len();
    let chosen = draws.below(n as u32) as usize;
    match mutation {
        Mutation::NewTransition => {
            if count(&automaton.states[chosen]) < bounds.transitions[1] {
                add_transition(bounds, &mut automaton.states[chosen], n, draws);
            }
        }
        Mutation::DeleteTransition => {
            if let Some((state, outgoing, i)) = random_place(automaton, draws)
                && count(&automaton.states[state]) > bounds.transitions[0]
            {
                list(&mut automaton.states[state], outgoing).remove(i);
            }
        }
        Mutation::NewState => new_state(automaton, chosen, bounds, draws),
        Mutation::DeleteState => delete_state(automaton, chosen, draws),
        Mutation::ChangeTransition => change(automaton, bounds, draws),
        Mutation::NewIndividual => *automaton = random_automaton(bounds, draws),
        Mutation::SplitTransition => split(automaton, bounds, draws),
        Mutation::ChangeStart => automaton.start = chosen as u8,
    }
}

/// Draws one of an automaton's transitions. Returns the index of its state, whether it is for outgoing messages, and
/// its index in the state; `None` if the automaton has no transitions.
fn random_place(automaton: &Automaton, draws: &mut Draws) -> Option<(usize, bool, usize)> {
    let places: Vec<(usize, bool, usize)> = (0..automaton.states.len())
        .flat_map(|s| {
            let state = &automaton.states[s];
            let incoming = (0..state.incoming.len()).map(move |i| (s, false, i));
            incoming.chain((0..state.outgoing.len()).map(move |i| (s, true, i)))
        })
        .collect();
    one_of(&places, draws)
}

fn new_state(automaton: &mut Automaton, from: usize, bounds: &Bounds, draws: &mut Draws) {
    let n = automaton.states.len();
    if n >= bounds.max_states || count(&automaton.states[from]) >= bounds.transitions[1] {
        return;
    }
    automaton.states.push(random_state(bounds, n + 1, bounds.transitions[0].max(1), draws));
    let outgoing = random_direction(bounds, draws);
    if let Some(transition) = random_transition(bounds, n + 1, outgoing, draws) {
        insert(list(&mut automaton.states[from], outgoing), Transition { to: n as u8, ..transition }, draws);
    }
}

fn delete_state(automaton: &mut Automaton, gone: usize, draws: &mut Draws) {
    let n = automaton.states.len();
    if n < 2 {
        return;
    }
    automaton.states.remove(gone);
    let gone = gone as u8;
    for list in automaton.states.iter_mut().flat_map(|state| [&mut state.incoming, &mut state.outgoing]) {
        list.retain(|transition| transition.to != gone);
        for transition in list {
            transition.to -= u8::from(transition.to > gone);
        }
    }
    match automaton.start {
        start if start == gone => automaton.start = draws.below(n as u32 - 1) as u8,
        start => automaton.start = start - u8::from(start > gone),
    }
}

fn change(automaton: &mut Automaton, bounds: &Bounds, draws: &mut Draws) {
    let n = automaton.states.len() as u32;
    let Some((state, outgoing, i)) = random_place(automaton, draws) else { return };
    let triggers = if outgoing { &bounds.outgoing_triggers } else { &bounds.triggers };
    let transition = &mut list(&mut automaton.states[state], outgoing)[i];
    match draws.below(4) {
        0 => transition.to = draws.below(n) as u8,
        1 => transition.trigger = one_of(triggers, draws).unwrap_or(transition.trigger),
        2 => transition.out = random_out(bounds, draws),
        _ => transition.inward = random_inward(bounds, draws),
    }
}

/// Splits a random transition. The original transition keeps its messages and leads to a new state. A second
/// transition with a random trigger leads from the new state to the original target.
fn split(automaton: &mut Automaton, bounds: &Bounds, draws: &mut Draws) {
    let n = automaton.states.len();
    if n >= bounds.max_states {
        return;
    }
    let Some((state, outgoing, i)) = random_place(automaton, draws) else { return };
    let Some(second) = random_transition(bounds, n, outgoing, draws) else { return };
    let first = &mut list(&mut automaton.states[state], outgoing)[i];
    let second = Transition { to: std::mem::replace(&mut first.to, n as u8), ..second };
    let mut middle = State::default();
    list(&mut middle, outgoing).push(second);
    automaton.states.push(middle);
}

//! Random automata for tests.

use super::{Automaton, Kind, Message, State, Transition};
use xpuck_kernels::random::Draws;

const TRIGGERS: [Kind; 5] =
    [Kind::BumpersPressed, Kind::BumpersReleased, Kind::LightEnter, Kind::LightLeave, Kind::TargetMark];
const INWARD: [Kind; 4] = [Kind::NavigateForward, Kind::NavigateLeft, Kind::NavigateAroundRight, Kind::NavigateStop];

/// Returns an automaton with `states` states and up to six transitions per state. All messages have a meaning on an
/// e-puck, except [`Kind::TargetMark`].
pub(super) fn random(states: usize, draws: &mut Draws) -> Automaton {
    let transition = |draws: &mut Draws| Transition {
        trigger: TRIGGERS[draws.below(5) as usize],
        to: draws.below(states as u32) as u8,
        out: (draws.below(4) == 0).then(|| Message { kind: Kind::Beep, arguments: [1 + draws.below(9) as i16, 0] }),
        inward: INWARD.get(draws.below(6) as usize).map(|&kind| kind.into()),
    };
    let state = |draws: &mut Draws| State {
        incoming: (0..draws.below(7)).map(|_| transition(draws)).collect(),
        outgoing: vec![],
    };
    let all = (0..states).map(|_| state(draws)).collect();
    Automaton { start: draws.below(states as u32) as u8, states: all }
}

/// Returns the same automaton with its states in random order.
pub(super) fn renumbered(automaton: &Automaton, draws: &mut Draws) -> Automaton {
    let mut order: Vec<usize> = (0..automaton.states.len()).collect();
    for i in (1..order.len()).rev() {
        order.swap(i, draws.below(i as u32 + 1) as usize);
    }
    let name = |old: u8| order.iter().position(|&state| state == usize::from(old)).unwrap() as u8;
    let mut states: Vec<State> = order.iter().map(|&state| automaton.states[state].clone()).collect();
    for transition in states.iter_mut().flat_map(|state| state.incoming.iter_mut().chain(&mut state.outgoing)) {
        transition.to = name(transition.to);
    }
    Automaton { start: name(automaton.start), states }
}

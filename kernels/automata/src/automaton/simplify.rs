//! Removal of unused and redundant states and transitions.

use super::{Automaton, MAX_STATES, State, Transition, Usage};

/// Returns the automaton without states and transitions that were never used. The start state is kept.
pub fn trim(automaton: &Automaton, usage: &Usage) -> Automaton {
    let mut kept = automaton.clone();
    for (i, state) in kept.states.iter_mut().enumerate() {
        let mut bits = usage.incoming[i];
        state.incoming.retain(|_| shift_bit(&mut bits));
        let mut bits = usage.outgoing[i];
        state.outgoing.retain(|_| shift_bit(&mut bits));
    }
    remove_states(&kept, |state| usage.states >> state & 1 == 0 && state != usize::from(automaton.start))
}

/// Shifts out the lowest bit, and returns whether it was set.
fn shift_bit(bits: &mut u16) -> bool {
    let bit = *bits & 1 == 1;
    *bits >>= 1;
    bit
}

/// Returns an equivalent automaton, in which equivalent states are merged. Unreachable states, and transitions hidden
/// by an earlier transition, are removed.
pub fn simplify(automaton: &Automaton) -> Automaton {
    let mut kept = automaton.clone();
    for state in &mut kept.states {
        for list in [&mut state.incoming, &mut state.outgoing] {
            *list = reachable_transitions(list);
        }
    }
    let kept = merge_equals(&kept);
    let mut reached = vec![false; kept.states.len()];
    let mut open = vec![usize::from(kept.start)];
    while let Some(state) = open.pop() {
        if !std::mem::replace(&mut reached[state], true) {
            let State { incoming, outgoing } = &kept.states[state];
            open.extend(incoming.iter().chain(outgoing).map(|transition| usize::from(transition.to)));
        }
    }
    remove_states(&kept, |state| !reached[state])
}

/// Returns the transitions that are not hidden by an earlier transition with the same trigger.
pub(super) fn reachable_transitions(list: &[Transition]) -> Vec<Transition> {
    let mut seen = 0u64;
    let first = list.iter().filter(|transition| {
        let bit = 1 << transition.trigger as u32;
        let first = seen & bit == 0;
        seen |= bit;
        first
    });
    first.copied().collect()
}

/// Redirects each transition to the first state that is equivalent to its target (Moore's refinement).
fn merge_equals(automaton: &Automaton) -> Automaton {
    let n = automaton.states.len();
    let mut class = vec![0usize; n];
    // Each round splits at least one class until no class can be split. There are at most `n` classes, so `n` rounds
    // are enough.
    for _ in 0..n {
        let described = |i: usize| {
            let lists = [&automaton.states[i].incoming, &automaton.states[i].outgoing];
            lists.map(|list| {
                let mut list: Vec<_> =
                    list.iter().map(|t| (t.trigger, class[usize::from(t.to)], t.out, t.inward)).collect();
                list.sort();
                list
            })
        };
        let descriptions: Vec<_> = (0..n).map(described).collect();
        class = (0..n).map(|i| descriptions.iter().position(|d| *d == descriptions[i]).unwrap_or(i)).collect();
    }
    let mut merged = automaton.clone();
    merged.start = class[usize::from(automaton.start)] as u8;
    for state in &mut merged.states {
        for transition in state.incoming.iter_mut().chain(&mut state.outgoing) {
            transition.to = class[usize::from(transition.to)] as u8;
        }
    }
    merged
}

/// Returns the automaton without the states for which `dropped` is true, and without the transitions to them.
fn remove_states(automaton: &Automaton, dropped: impl Fn(usize) -> bool) -> Automaton {
    let mut renamed = [u8::MAX; MAX_STATES];
    let kept = (0..automaton.states.len()).filter(|&state| !dropped(state));
    for (new, old) in kept.clone().enumerate() {
        renamed[old] = new as u8;
    }
    let mut states: Vec<State> = kept.map(|state| automaton.states[state].clone()).collect();
    for list in states.iter_mut().flat_map(|state| [&mut state.incoming, &mut state.outgoing]) {
        list.retain(|transition| renamed[usize::from(transition.to)] != u8::MAX);
        for transition in list {
            transition.to = renamed[usize::from(transition.to)];
        }
    }
    Automaton { start: renamed[usize::from(automaton.start)], states }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::{Kind, Module, PostOffice, parse, print};

    fn automaton(text: &str) -> Automaton {
        parse("test", Module::LineFollower, text).unwrap()
    }

    #[test]
    fn unused_states_are_trimmed() {
        let all = automaton(
            "1 -> 2: (SENSORS_LINE_ENTER), in:LNFLWER_FOLLOW, out:-\n1 -> 3: (SENSORS_LIGHT_ENTER), in:-, out:-\n\
             2 -> 1: (SENSORS_LINE_LEAVE), in:-, out:-\n3 -> 2: (SENSORS_LINE_LEAVE), in:-, out:-\n",
        );
        let mut office = PostOffice::new(&all);
        office.incoming(Kind::LineEnter.into());
        let text = "states 2\nstart 1\n1 -> 2: (SENSORS_LINE_ENTER), in:LNFLWER_FOLLOW, out:-\n";
        assert_eq!(print(&trim(&all, office.usage())), text);
    }

    #[test]
    fn hidden_unreachable_and_equal_parts_go() {
        let all = automaton(
            "1 -> 2: (SENSORS_LINE_ENTER), in:LNFLWER_FOLLOW, out:-\n1 -> 1: (SENSORS_LINE_ENTER), in:-, out:-\n\
             2 -> 3: (SENSORS_LINE_LEAVE), in:-, out:-\n3 -> 2: (SENSORS_LINE_LEAVE), in:-, out:-\n\
             4 -> 1: (SENSORS_LINE_LEAVE), in:-, out:-\n",
        );
        let text = "states 2\nstart 1\n1 -> 2: (SENSORS_LINE_ENTER), in:LNFLWER_FOLLOW, out:-\n\
                    2 -> 2: (SENSORS_LINE_LEAVE), in:-, out:-\n";
        assert_eq!(print(&simplify(&all)), text);
    }
}

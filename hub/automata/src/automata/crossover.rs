//! Crossover of automata by subsets of their states. Four random maps (M1 to M4 in Petrovic's report) replace the
//! targets of transitions that would leave a child.

use xpuck_automata::automaton::{Automaton, State};
use xpuck_kernels::random::Draws;

/// Distribution of a parent's states to two children, and the numbers of the states in their children.
struct StateAssignment {
    /// Whether each state goes to the first child; the other states go to the second child.
    first: Vec<bool>,
    number: Vec<u8>,
    /// Stand-in for each state, which replaces the state in the child that does not contain it. A stand-in is a state
    /// of the other parent, given by its number in that child.
    replacement: Vec<u8>,
}

/// Returns two children of two parents; `None` if a child would have no state or more than `max_states`.
///
/// The states of each parent are distributed to the children at random. Transitions between states of the same child
/// are kept. If the target of a transition is in the other child, the transition leads to a stand-in. The stand-in is
/// drawn once per target state, so transitions with a common target keep a common target.
pub fn cross(mother: &Automaton, father: &Automaton, max_states: usize, draws: &mut Draws) -> Option<[Automaton; 2]> {
    let mut part =
        |automaton: &Automaton| -> Vec<bool> { automaton.states.iter().map(|_| draws.word() & 1 == 1).collect() };
    // The first child gets the drawn states of the mother, and the states of the father that were not drawn.
    let from_mother = part(mother);
    let from_father: Vec<bool> = part(father).into_iter().map(|chosen| !chosen).collect();
    let number = |mine: &[bool], others: Option<&[bool]>| {
        let mut next = others.map_or([0, 0], |others| [true, false].map(|child| count(others, child)));
        let numbers = mine.iter().map(|&first| {
            let place = &mut next[usize::from(!first)];
            *place += 1;
            (*place - 1) as u8
        });
        numbers.collect::<Vec<u8>>()
    };
    let mother_number = number(&from_mother, None);
    let father_number = number(&from_father, Some(&from_mother));
    let sizes = [true, false].map(|child| count(&from_mother, child) + count(&from_father, child));
    if sizes.iter().any(|size| !(1..=max_states).contains(size)) {
        return None;
    }
    let mother_parts = StateAssignment {
        replacement: stand_ins(&from_mother, &from_father, &father_number, draws),
        first: from_mother,
        number: mother_number,
    };
    let father_parts = StateAssignment {
        replacement: stand_ins(&from_father, &mother_parts.first, &mother_parts.number, draws),
        first: from_father,
        number: father_number,
    };
    Some([true, false].map(|child| {
        let mut states = kept(mother, &mother_parts, child);
        states.extend(kept(father, &father_parts, child));
        // The first child has the start state of the mother, the second child that of the father. If the start state
        // is in the other child, its stand-in replaces it.
        let (parent, parts) = if child { (mother, &mother_parts) } else { (father, &father_parts) };
        Automaton { start: parts.target(parent.start, child), states }
    }))
}

fn count(parts: &[bool], child: bool) -> usize {
    parts.iter().filter(|&&first| first == child).count()
}

/// Returns a stand-in for each state of a parent. The stand-in is a random state of the other parent in the child that
/// does not contain the replaced state, and is given by its number in that child. It is 0 if that child contains no
/// state of the other parent.
fn stand_ins(mine: &[bool], others: &[bool], other_numbers: &[u8], draws: &mut Draws) -> Vec<u8> {
    let numbers = |child: bool| -> Vec<u8> {
        others.iter().zip(other_numbers).filter(|&(&first, _)| first == child).map(|(_, &n)| n).collect()
    };
    let candidates = [numbers(false), numbers(true)];
    let stand_in = |&first: &bool| {
        let of_other_child = &candidates[usize::from(!first)];
        super::random::one_of(of_other_child, draws).unwrap_or(0)
    };
    mine.iter().map(stand_in).collect()
}

impl StateAssignment {
    /// Returns the number that the target of a transition has in the first or second child. `state` is the number of
    /// the target in the parent.
    fn target(&self, state: u8, child: bool) -> u8 {
        let state = usize::from(state);
        if self.first[state] == child { self.number[state] } else { self.replacement[state] }
    }
}

/// Returns the states of a parent that belong to a child, with the targets of their transitions renumbered.
fn kept(parent: &Automaton, parts: &StateAssignment, child: bool) -> Vec<State> {
    let mut states = Vec::new();
    for (state, _) in parent.states.iter().zip(&parts.first).filter(|&(_, &first)| first == child) {
        let mut state = state.clone();
        for transition in state.incoming.iter_mut().chain(&mut state.outgoing) {
            transition.to = parts.target(transition.to, child);
        }
        states.push(state);
    }
    states
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_automata::automaton::{Module, parse};
    use xpuck_kernels::random::Stream;

    #[test]
    fn children_share_the_states_and_keep_what_stays_together() {
        // In the automata of this test, triggers identify the parents, and messages identify the states.
        let ring = |trigger: &str| {
            let text: String = (1..=4)
                .map(|i| {
                    let (next, two) = (i % 4 + 1, (i + 1) % 4 + 1);
                    format!("{i} -> {next}: ({trigger}), in:-, out:BEEP_BEEP {i}\n{i} -> {two}: ({trigger}), in:-, out:BEEP_BEEP {i}\n")
                })
                .collect();
            parse("test", Module::LineFollower, &text).unwrap()
        };
        let parents = [ring("SENSORS_LINE_ENTER"), ring("SENSORS_LINE_LEAVE")];
        let mut crossed = 0;
        for seed in 0..200 {
            let mut draws = Draws::new(seed, 0, 0, 0, Stream::Evolution);
            let Some(children) = cross(&parents[0], &parents[1], 6, &mut draws) else { continue };
            crossed += 1;
            assert_eq!(children.iter().map(|child| child.states.len()).sum::<usize>(), 8);
            for child in &children {
                assert!(usize::from(child.start) < child.states.len());
                let mark = |state: usize| {
                    let first = child.states[state].incoming[0];
                    (first.trigger, first.out.unwrap().arguments[0])
                };
                let mut led = std::collections::BTreeMap::new();
                for (i, state) in child.states.iter().enumerate() {
                    for (k, transition) in state.incoming.iter().enumerate() {
                        let (trigger, number) = mark(i);
                        let target = (number + k as i16) % 4 + 1;
                        let now = usize::from(transition.to);
                        // Transitions with a common target in a parent have a common target in the child.
                        assert_eq!(*led.entry((trigger, target)).or_insert(now), now);
                        let stayed = (0..child.states.len()).find(|&s| mark(s) == (trigger, target));
                        assert!(stayed.is_none_or(|stayed| stayed == now));
                    }
                }
            }
        }
        assert!(crossed > 100);
    }
}

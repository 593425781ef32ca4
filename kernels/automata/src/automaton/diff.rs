//! Differences between two automata.

use super::text::transition_text;
use super::{Automaton, State, Transition};
use std::fmt::Write;

/// Returns the differences between two automata, one per line: `-` for lines only in `old`, `+` for lines only in
/// `new`. A changed transition gives one line of each kind. A removed or added state also gives a line of its own. The
/// text is empty if the automata are equal up to state numbers.
///
/// States of `new` are printed with the numbers of their matching states in `old`. Unmatched states are numbered after
/// the last state of `old`. States are matched by following equal transitions from an initial pair that is assumed to
/// match. Every initial pair is tried, and the shortest text is returned. A matching with a shorter text may exist.
pub fn diff(old: &Automaton, new: &Automaton) -> String {
    // The pair of start states comes first, so that it is preferred among equally short texts.
    let starts = (usize::from(old.start), usize::from(new.start));
    let pairs = (0..old.states.len()).flat_map(|i| (0..new.states.len()).map(move |j| (i, j)));
    let texts = std::iter::once(starts).chain(pairs).map(|pair| Matching::from(old, new, pair).lines());
    texts.min_by_key(Vec::len).unwrap_or_default().concat()
}

/// Matching between the states of two automata.
struct Matching<'a> {
    old: &'a Automaton,
    new: &'a Automaton,
    /// Index of the matching state in `new` for each state of `old`; `old_of_new` is the reverse.
    forth: Vec<Option<usize>>,
    old_of_new: Vec<Option<usize>>,
}

impl<'a> Matching<'a> {
    fn from(old: &'a Automaton, new: &'a Automaton, pair: (usize, usize)) -> Matching<'a> {
        let (forth, back) = (vec![None; old.states.len()], vec![None; new.states.len()]);
        let mut matching = Matching { old, new, forth, old_of_new: back };
        let mut next = Some(pair);
        while let Some((i, j)) = next {
            matching.follow(i, j);
            next = matching.nearest();
        }
        matching
    }

    /// Matches two states. Also matches the target states of equal transitions from matched states.
    fn follow(&mut self, i: usize, j: usize) {
        let mut open = vec![(i, j)];
        while let Some((i, j)) = open.pop() {
            if self.forth[i].is_some() || self.old_of_new[j].is_some() {
                continue;
            }
            (self.forth[i], self.old_of_new[j]) = (Some(j), Some(i));
            let same = self.alike(i, j).map(|(old, new)| (usize::from(old.to), usize::from(new.to)));
            // The list is reversed because `open` is a stack: the first transition is followed first.
            let same: Vec<_> = same.collect();
            open.extend(same.into_iter().rev());
        }
    }

    /// Returns the pairs of transitions of two states that are equal except for their target.
    fn alike(&self, i: usize, j: usize) -> impl Iterator<Item = (&'a Transition, &'a Transition)> + use<'a> {
        let (old, new) = (&self.old.states[i], &self.new.states[j]);
        let lists = [(&old.incoming, &new.incoming), (&old.outgoing, &new.outgoing)];
        lists.into_iter().flat_map(|(old, new)| {
            let mut free = vec![true; new.len()];
            old.iter().filter_map(move |a| {
                let k = (0..new.len()).find(|&k| free[k] && equal_except_target(a, &new[k]))?;
                free[k] = false;
                Some((a, &new[k]))
            })
        })
    }

    /// Returns the first pair of unmatched states with the highest similarity. Returns `None` if [`Self::likeness`]
    /// returns `None` for every pair.
    fn nearest(&self) -> Option<(usize, usize)> {
        let alone = |matched: &[Option<usize>]| -> Vec<usize> {
            (0..matched.len()).filter(|&state| matched[state].is_none()).collect()
        };
        let new = alone(&self.old_of_new);
        let pairs = alone(&self.forth).into_iter().flat_map(|i| new.iter().map(move |&j| (i, j)));
        let scored = pairs.filter_map(|(i, j)| Some((self.likeness(i, j)?, (i, j))));
        scored.min_by_key(|&(score, pair)| (std::cmp::Reverse(score), pair)).map(|(_, pair)| pair)
    }

    /// Returns the similarity of two states: the weighted number of shared transitions minus the number of unshared
    /// transitions. Returns `None` if the states share no transition, unless both states have no transitions.
    fn likeness(&self, i: usize, j: usize) -> Option<i32> {
        let ends = |(a, b): (&Transition, &Transition)| {
            let (to, new) = (usize::from(a.to), usize::from(b.to));
            let certain = self.forth[to] == Some(new) || (to, new) == (i, j);
            let possible = self.forth[to].is_none() && self.old_of_new[new].is_none() && (to == i) == (new == j);
            if certain {
                4
            } else if possible {
                3
            } else {
                2
            }
        };
        let leaving: Vec<i32> = self.alike(i, j).map(ends).collect();
        let matched = self.forth.iter().enumerate().filter_map(|(p, q)| Some((p, (*q)?)));
        let arriving = matched.flat_map(|(p, q)| self.alike(p, q));
        let arriving = arriving.filter(|(a, b)| (usize::from(a.to), usize::from(b.to)) == (i, j)).count();
        let all = [&self.old.states[i], &self.new.states[j]].map(|s| s.incoming.len() + s.outgoing.len());
        let alone = (all[0] + all[1] - 2 * leaving.len()) as i32;
        let common = leaving.iter().sum::<i32>() + 4 * arriving as i32;
        (common > 0 || all == [0, 0]).then_some(common - alone)
    }

    /// Returns the lines that differ.
    fn lines(&self) -> Vec<String> {
        let named = self.new_as_old();
        let mut lines = Vec::new();
        if self.forth[usize::from(self.old.start)] != Some(usize::from(self.new.start)) {
            lines.push(format!("-start {}\n", self.old.start + 1));
            lines.push(format!("+start {}\n", named.start + 1));
        }
        let nothing = State::default();
        for number in 0..named.states.len().max(self.old.states.len()) {
            let old = self.old.states.get(number);
            let new = named.states[number].as_ref();
            for (mark, this, other) in [('-', old, new), ('+', new, old)] {
                if this.is_some() && other.is_none() {
                    lines.push(format!("{mark}state {}\n", number + 1));
                }
            }
            let (old, new) = (old.unwrap_or(&nothing), new.unwrap_or(&nothing));
            changes(number, false, &old.incoming, &new.incoming, &mut lines);
            changes(number, true, &old.outgoing, &new.outgoing, &mut lines);
        }
        lines
    }

    /// Returns the new automaton with the state numbers of the old automaton. Removed states are `None`.
    fn new_as_old(&self) -> RenumberedAutomaton {
        let mut names = Vec::new();
        let mut last = self.old.states.len();
        for old in &self.old_of_new {
            names.push(old.unwrap_or(last));
            last += usize::from(old.is_none());
        }
        let mut states = vec![None; last];
        for (state, &name) in self.new.states.iter().zip(&names) {
            let mut state = state.clone();
            for transition in state.incoming.iter_mut().chain(&mut state.outgoing) {
                transition.to = names[usize::from(transition.to)] as u8;
            }
            states[name] = Some(state);
        }
        RenumberedAutomaton { start: names[usize::from(self.new.start)], states }
    }
}

/// Automaton whose state numbers may have gaps.
struct RenumberedAutomaton {
    start: usize,
    states: Vec<Option<State>>,
}

/// Returns whether two transitions are equal except for their target.
fn equal_except_target(a: &Transition, b: &Transition) -> bool {
    (a.trigger, a.inward, a.out) == (b.trigger, b.inward, b.out)
}

/// Appends a line for each transition of two lists that is not in the longest common subsequence of the lists.
fn changes(from: usize, outgoing: bool, old: &[Transition], new: &[Transition], lines: &mut Vec<String>) {
    let mut longest = vec![vec![0usize; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            let skipped = longest[i + 1][j].max(longest[i][j + 1]);
            longest[i][j] = if old[i] == new[j] { longest[i + 1][j + 1] + 1 } else { skipped };
        }
    }
    let (mut i, mut j) = (0, 0);
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            (i, j) = (i + 1, j + 1);
            continue;
        }
        let gone = i < old.len() && (j == new.len() || longest[i + 1][j] >= longest[i][j + 1]);
        let (mark, transition) = if gone { ('-', &old[i]) } else { ('+', &new[j]) };
        let mut line = String::new();
        let _ = writeln!(line, "{mark}{}", transition_text(from, outgoing, transition));
        lines.push(line);
        (i, j) = if gone { (i + 1, j) } else { (i, j + 1) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::test_support::{random, renumbered};
    use crate::automaton::{Module, parse};
    use xpuck_kernels::random::{Draws, Stream};

    fn automaton(text: &str) -> Automaton {
        parse("test", Module::LineFollower, text).unwrap()
    }

    const THREE: &str = "1 -> 2: (SENSORS_LIGHT_ENTER), in:-, out:-\n\
                         2 -> 3: (SENSORS_LINE_ENTER), in:LNFLWER_FOLLOW, out:-\n\
                         2 -> 1: (SENSORS_LIGHT_LEAVE), in:-, out:-\n\
                         3 -> 1: (SENSORS_TARGET_MARK), in:LNFLWER_STOP, out:-\n";

    #[test]
    fn automata_that_are_equal_but_for_numbers_differ_in_nothing() {
        let mut draws = Draws::new(1, 0, 0, 0, Stream::Evolution);
        for _ in 0..300 {
            let states = 1 + draws.below(16) as usize;
            let one = random(states, &mut draws);
            let other = renumbered(&one, &mut draws);
            assert_eq!(
                diff(&one, &other),
                "",
                "{}\n{}",
                crate::automaton::print(&one),
                crate::automaton::print(&other)
            );
        }
    }

    #[test]
    fn removed_new_and_changed_transitions_are_listed() {
        let old = automaton(THREE);
        let changed = "start 2\n1 -> 2: (SENSORS_LIGHT_ENTER), in:-, out:-\n\
                       2 -> 3: (SENSORS_LINE_ENTER), in:LNFLWER_FOLLOW, out:-\n\
                       2 -> 2: (SENSORS_LIGHT_LEAVE), in:-, out:-\n\
                       3 -> 4: (SENSORS_TARGET_MARK), in:LNFLWER_STOP, out:-\n\
                       4 -> 1: (SENSORS_LINE_LEAVE), in:-, out:LINEFOLLOWER_LINELOST\n";
        assert_eq!(
            diff(&old, &automaton(changed)),
            "-start 1\n+start 2\n\
             -2 -> 1: (SENSORS_LIGHT_LEAVE), in:-, out:-\n+2 -> 2: (SENSORS_LIGHT_LEAVE), in:-, out:-\n\
             -3 -> 1: (SENSORS_TARGET_MARK), in:LNFLWER_STOP, out:-\n\
             +3 -> 4: (SENSORS_TARGET_MARK), in:LNFLWER_STOP, out:-\n\
             +state 4\n+4 -> 1: (SENSORS_LINE_LEAVE), in:-, out:LINEFOLLOWER_LINELOST\n"
        );
        let fewer = "1 -> 2: (SENSORS_LIGHT_ENTER), in:-, out:-\n2 -> 1: (SENSORS_LIGHT_LEAVE), in:-, out:-\n";
        assert_eq!(
            diff(&old, &automaton(fewer)),
            "-2 -> 3: (SENSORS_LINE_ENTER), in:LNFLWER_FOLLOW, out:-\n\
             -state 3\n-3 -> 1: (SENSORS_TARGET_MARK), in:LNFLWER_STOP, out:-\n"
        );
    }

    #[test]
    fn order_of_transitions_matters() {
        let old = "1 -> 1: (SENSORS_LINE_ENTER), in:-, out:-\n1 -> 1: (SENSORS_LIGHT_ENTER), in:-, out:-\n";
        let new = "1 -> 1: (SENSORS_LIGHT_ENTER), in:-, out:-\n1 -> 1: (SENSORS_LINE_ENTER), in:-, out:-\n";
        assert_eq!(
            diff(&automaton(old), &automaton(new)),
            "-1 -> 1: (SENSORS_LINE_ENTER), in:-, out:-\n+1 -> 1: (SENSORS_LINE_ENTER), in:-, out:-\n"
        );
    }

    #[test]
    fn diff_is_minimal_for_renumbered_states() {
        let mut draws = Draws::new(2, 0, 0, 0, Stream::Evolution);
        for _ in 0..100 {
            let one = random(8, &mut draws);
            let mut other = renumbered(&one, &mut draws);
            let Some(state) = other.states.iter_mut().find(|state| !state.incoming.is_empty()) else { continue };
            state.incoming.pop();
            let text = diff(&one, &other);
            assert!(text.lines().count() == 1 && text.starts_with('-'), "{text}");
        }
    }
}

//! Conversion of a tree to a state machine (thesis 3.1.8, after Colledanchise 2017). Each leaf becomes a state, and
//! each result of a leaf becomes a transition.

use super::form::{Domain, Form};
use super::leaf::Leaf;
use crate::tree::{Results, Status};
use std::fmt::{self, Write};

/// Target of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// State with this index. A target state always has a greater index than the state from which the transition
    /// starts.
    State(usize),
    /// End of the tick with this status.
    Exit(Status),
}

/// State of a [`LeafMachine`]: a leaf, which is ticked on entry, and the targets of its results.
#[derive(Clone, Debug, PartialEq)]
pub struct LeafState<L> {
    /// Leaf that is ticked on entry.
    pub leaf: L,
    /// Target after success.
    pub success: Target,
    /// Target after failure.
    pub failure: Target,
    /// Target after running.
    pub running: Target,
}

/// State machine of a tree. Each tick starts at `start` and continues until an exit.
#[derive(Clone, Debug, PartialEq)]
pub struct LeafMachine<L> {
    /// Entry point of a tick.
    pub start: Target,
    /// States of the leaves, in the order of the leaves in the tree.
    pub states: Vec<LeafState<L>>,
}

/// Targets to which the machine continues after a subtree, one for each result of the subtree (thesis Figure 3.12).
#[derive(Clone, Copy)]
struct Exits {
    success: Target,
    failure: Target,
    running: Target,
}

impl<L: Clone> LeafMachine<L> {
    /// Converts a tree of memoryless nodes to a state machine.
    pub fn from_form(form: &Form<L>) -> LeafMachine<L> {
        let exits = Exits {
            success: Target::Exit(Status::Success),
            failure: Target::Exit(Status::Failure),
            running: Target::Exit(Status::Running),
        };
        let mut states = Vec::new();
        let start = fragment(form, exits, &mut states);
        // `fragment` creates the states from last to first, so their order and their indices are reversed.
        let last = states.len().saturating_sub(1);
        let turn = |target| if let Target::State(at) = target { Target::State(last - at) } else { target };
        for state in &mut states {
            (state.success, state.failure, state.running) =
                (turn(state.success), turn(state.failure), turn(state.running));
        }
        states.reverse();
        LeafMachine { start: turn(start), states }
    }
}

/// Appends the states of a subtree (thesis Figures 3.13 and 3.14) and returns its entry point. The last child is
/// processed first, because each child refers to the next one.
fn fragment<L: Clone>(form: &Form<L>, exits: Exits, states: &mut Vec<LeafState<L>>) -> Target {
    let Exits { success, failure, running } = exits;
    match form {
        Form::Seq(children) => {
            children.iter().rev().fold(success, |next, c| fragment(c, Exits { success: next, ..exits }, states))
        }
        Form::Sel(children) => {
            children.iter().rev().fold(failure, |next, c| fragment(c, Exits { failure: next, ..exits }, states))
        }
        Form::Successd(child) => fragment(child, Exits { failure: success, ..exits }, states),
        Form::Failed(child) => fragment(child, Exits { success: failure, ..exits }, states),
        Form::Invert(child) => fragment(child, Exits { success: failure, failure: success, running }, states),
        Form::Leaf(leaf) => {
            states.push(LeafState { leaf: leaf.clone(), success, failure, running });
            Target::State(states.len() - 1)
        }
    }
}

impl<L> LeafMachine<L> {
    /// Performs one tick, from the start to an exit. The loop terminates, because every target state has a greater
    /// index than its source.
    pub fn walk<D: Domain<Leaf = L>>(&self, domain: &mut D) -> Status {
        let mut at = self.start;
        loop {
            match at {
                Target::Exit(status) => return status,
                Target::State(i) => at = self.states[i].target(domain.leaf(&self.states[i].leaf)),
            }
        }
    }
}

impl<L> LeafState<L> {
    /// Returns the target of the transition for `status`.
    pub fn target(&self, status: Status) -> Target {
        match status {
            Status::Success => self.success,
            Status::Failure => self.failure,
            Status::Running => self.running,
        }
    }
}

impl LeafState<Leaf> {
    /// Returns the possible results of the leaf with their targets.
    pub fn transitions(&self) -> impl Iterator<Item = (Status, Target)> {
        let results: Results = self.leaf.results();
        let all = [Status::Success, Status::Failure, Status::Running];
        all.into_iter().filter(move |s| results.allow(*s)).map(|s| (s, self.target(s)))
    }
}

impl LeafMachine<Leaf> {
    /// Returns the machine as a DOT graph with states numbered from 1. `dot -Tsvg` draws the graph.
    pub fn to_dot(&self) -> String {
        let mut dot = String::from("digraph machine {\n  node [fontname=\"monospace\", shape=box, style=rounded];\n");
        dot.push_str("  tick [shape=circle];\n");
        for exit in [Status::Success, Status::Failure, Status::Running] {
            let _ = writeln!(dot, "  \"{exit}\" [shape=doublecircle];");
        }
        for (i, state) in self.states.iter().enumerate() {
            // The label needs no escapes, because names, registers and numbers contain neither quotes nor
            // backslashes.
            let _ = writeln!(dot, "  \"{}\" [label=\"{} {}\"];", i + 1, i + 1, state.leaf);
        }
        let _ = writeln!(dot, "  tick -> \"{}\";", self.start);
        for (i, state) in self.states.iter().enumerate() {
            for (status, target) in state.transitions() {
                let _ = writeln!(dot, "  \"{}\" -> \"{target}\" [label=\"{status}\"];", i + 1);
            }
        }
        dot.push_str("}\n");
        dot
    }
}

impl fmt::Display for Target {
    /// Writes the number of the state (from 1), or the status of the exit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Target::State(i) => write!(f, "{}", i + 1),
            Target::Exit(status) => write!(f, "{status}"),
        }
    }
}

impl fmt::Display for LeafMachine<Leaf> {
    /// Writes the start, then one line per state: its number (from 1), its leaf, and the targets of its results.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "tick > {}", self.start)?;
        for (i, state) in self.states.iter().enumerate() {
            let results: Vec<String> = state.transitions().map(|(s, target)| format!("{s} > {target}")).collect();
            writeln!(f, "{} {}: {}", i + 1, state.leaf, results.join(", "))?;
        }
        Ok(())
    }
}

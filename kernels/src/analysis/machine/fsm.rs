//! Finite state machines, also probabilistic ones, as trees that robots run (thesis 3.1.8, Figures 3.10 and 3.11).
//!
//! A tick of a machine: the transitions of the current state are tried in their order, and the first one whose
//! condition holds and whose draw passes is taken; then the action of the state now current is ticked, and its result
//! is the machine's. So there is at most one transition a tick. What an action remembers starts afresh when another
//! state was current in the tick before. Conditions see v_goal unwritten.
//!
//! v_scr holds the current state: short, as it starts, in the initial state, and a direction in every other one.

use super::probability::Guard;
use crate::math::Vec2;
use crate::tree::registers::SCRATCH;
use crate::tree::{
    AsPublished, CompileError, Group, Kind, MAX_DEPTH, Node, Program, Tree, decode, expand, holds, shorten, suggest,
};
use std::fmt;

/// Most states: the initial one and 128 directions two steps of pi/128 apart.
pub const MAX_STATES: usize = 129;
/// Most transitions out of a state.
pub const MAX_TRANSITIONS: usize = 64;

/// Width of the sector that a state's direction is looked for in: one step to either side.
const WIDTH: f32 = 2.0;

/// A state machine as data.
#[derive(Clone, Debug, PartialEq)]
pub struct StateMachine {
    /// Name of the state that it starts in.
    pub initial: String,
    /// The states, 1 to [`MAX_STATES`].
    pub states: Vec<State>,
}

/// A state and what leads out of it.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Its name: 1 to 32 letters, digits, `-` or `_`.
    pub name: String,
    /// Ticked while the state is current. It may not use v_scr.
    pub action: Tree,
    /// At most [`MAX_TRANSITIONS`], the most important one first.
    pub transitions: Vec<Transition>,
}

/// A way to another state.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// Queries, also under composites and decorators, that must succeed; without them the way is always open. They
    /// may not use v_scr.
    pub condition: Option<Tree>,
    /// Probability that an open way is taken, above 0 and at most 1; 1 if it is missing.
    pub probability: Option<f64>,
    /// Name of the state that it leads to.
    pub to: String,
}

/// A machine that is no tree.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MachineError {
    /// Too few or too many states.
    #[error("the machine has {0} states; 1 to {MAX_STATES} fit")]
    States(usize),
    /// A name that cannot stand in a comment.
    #[error("state `{0}`: a name has 1 to 32 letters, digits, `-` or `_`")]
    Name(String),
    /// Two states of one name.
    #[error("two states are called `{0}`; rename one")]
    Twice(String),
    /// A name without a state.
    #[error("{place}: there is no state `{name}`{hint}")]
    Unknown {
        /// Where it is named.
        place: String,
        /// The name.
        name: String,
        /// A near name, if there is one.
        hint: String,
    },
    /// Too many ways out of a state.
    #[error("state `{0}` has {1} transitions; at most {MAX_TRANSITIONS} are allowed")]
    Transitions(String, usize),
    /// A node that touches the current state.
    #[error("{place}: `{node}` uses v_scr, which holds the machine's state; use s_scr")]
    Scratch {
        /// Where it stands.
        place: String,
        /// The node.
        node: Node,
    },
    /// A condition that does something.
    #[error(
        "{place}: `{node}` is no query; a condition has queries, also under seq, sel, par, successd, failed, invert"
    )]
    Condition {
        /// Where it stands.
        place: String,
        /// The node.
        node: Node,
    },
    /// A probability that is none.
    #[error("{0}: the probability {1} is not above 0 and at most 1")]
    Probability(String, f64),
    /// An action or condition that is too deep.
    #[error("the tree is {0} levels deep; {MAX_DEPTH} fit: make the deepest action or condition flatter")]
    Depth(usize),
    /// A tree that is too large.
    #[error(transparent)]
    Compile(#[from] CompileError),
}

/// A machine as a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// The tree.
    pub tree: Tree,
    /// What its readers should know: the states' encoding and the probabilities really achieved, a line each.
    pub notes: Vec<String>,
}

impl fmt::Display for Encoded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.notes.iter().try_for_each(|note| writeln!(f, "# {note}"))?;
        self.tree.fmt(f)
    }
}

impl StateMachine {
    /// The machine as a tree.
    pub fn to_tree(&self) -> Result<Encoded, MachineError> {
        self.check()?;
        let initial = self.find(&self.initial, || "initial".into())?;
        let codes = Code::of_states(self.states.len(), initial);
        let mut notes: Vec<String> = Vec::new();
        for (state, code) in self.states.iter().zip(&codes) {
            notes.push(format!("state `{}` is current if `{}`", state.name, code.test().nodes()[0]));
        }
        let mut ways = Vec::new();
        let mut actions = Vec::new();
        for (state, code) in self.states.iter().zip(&codes) {
            let out = self.ways_out(state, &codes, &mut notes)?;
            if !out.is_empty() {
                ways.push(over(Kind::Seq, vec![code.test(), over(Kind::Sel, out)]));
            }
            actions.push(over(Kind::Seq, vec![code.test(), state.action.clone()]));
        }
        let actions = over(Kind::Sel, actions);
        let tree = if ways.is_empty() {
            actions
        } else {
            let ways = Tree::inner(Kind::Successd, &[], &[over(Kind::Sel, ways)]);
            over(Kind::Seq, vec![ways, actions])
        };
        if tree.depth() > MAX_DEPTH {
            return Err(MachineError::Depth(tree.depth()));
        }
        Program::compile(&tree)?;
        Ok(Encoded { tree, notes })
    }

    /// The transitions of a state, each a sequence of its guards and the entry into the next state (Figure 3.11).
    fn ways_out(&self, state: &State, codes: &[Code], notes: &mut Vec<String>) -> Result<Vec<Tree>, MachineError> {
        let way = |(i, transition): (usize, &Transition)| {
            let place = || place(state, i);
            let to = codes[self.find(&transition.to, place)?];
            let mut steps: Vec<Tree> = transition.condition.iter().cloned().collect();
            if let Some(wanted) = transition.probability {
                let guard = Guard::nearest(wanted).ok_or_else(|| MachineError::Probability(place(), wanted))?;
                notes.push(format!("{}: probability {wanted} becomes {:.4}", place(), guard.achieved));
                steps.push(guard.tree());
            }
            steps.push(to.enter());
            Ok(over(Kind::Seq, steps))
        };
        state.transitions.iter().enumerate().map(way).collect()
    }

    fn check(&self) -> Result<(), MachineError> {
        if !(1..=MAX_STATES).contains(&self.states.len()) {
            return Err(MachineError::States(self.states.len()));
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        for (i, state) in self.states.iter().enumerate() {
            let name = &state.name;
            if !(1..=32).contains(&name.len()) || !name.chars().all(plain) {
                return Err(MachineError::Name(shown(name)));
            }
            if self.states[..i].iter().any(|other| other.name == *name) {
                return Err(MachineError::Twice(name.clone()));
            }
            if state.transitions.len() > MAX_TRANSITIONS {
                return Err(MachineError::Transitions(name.clone(), state.transitions.len()));
            }
            if let Some(node) = state.action.nodes().iter().find(|n| uses_scratch(n)) {
                return Err(MachineError::Scratch { place: format!("state `{name}`, action"), node: *node });
            }
            for (j, transition) in state.transitions.iter().enumerate() {
                check_condition(transition, || place(state, j))?;
            }
        }
        Ok(())
    }

    fn find(&self, name: &str, place: impl Fn() -> String) -> Result<usize, MachineError> {
        self.states.iter().position(|s| s.name == name).ok_or_else(|| {
            let hint = suggest(name, self.states.iter().map(|s| s.name.clone()));
            MachineError::Unknown { place: place(), name: shown(name), hint }
        })
    }
}

/// How v_scr says which state is current.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Code {
    /// It is shorter than any direction.
    Short,
    /// It points there, in steps of pi/128.
    Direction(f32),
}

const STATE: f32 = SCRATCH as f32;

impl Code {
    /// The codes of so many states, of which one is initial: directions spread over the circle, by right angles if they are
    /// few.
    pub fn of_states(states: usize, initial: usize) -> Vec<Code> {
        let step = (256 / states.saturating_sub(1).max(1)).min(64) as f32;
        let mut angle = -step;
        let code = |i| {
            if i == initial {
                return Code::Short;
            }
            angle += step;
            Code::Direction(if angle > 127.0 { angle - 256.0 } else { angle })
        };
        (0..states).map(code).collect()
    }

    /// Succeeds in the state.
    pub fn test(self) -> Tree {
        match self {
            Code::Short => Tree::leaf(Kind::Ifsect, &[STATE, 0.0, 0.0]),
            Code::Direction(angle) => Tree::leaf(Kind::Ifsect, &[STATE, angle, WIDTH]),
        }
    }

    /// True if v_scr says it.
    pub fn holds(self, scratch: Vec2) -> bool {
        self.test().nodes().iter().all(|node| holds(&decode(node), scratch))
    }

    /// The code that a node tests for, if it is such a test.
    pub fn of_test(node: &Node) -> Option<Code> {
        let [vector, angle, width, _] = node.operands;
        let code = if width == 0.0 { Code::Short } else { Code::Direction(angle) };
        (node.kind == Kind::Ifsect && vector == STATE).then_some(code)
    }

    /// The code that a node writes, if it is such a write.
    pub fn of_entry(node: &Node) -> Option<Code> {
        let code = match node.kind {
            Kind::Mulav => Code::Short,
            Kind::Movcv => Code::Direction(node.operands[1]),
            _ => return None,
        };
        (node.operands[0] == STATE).then_some(code)
    }

    /// Makes the state current.
    pub fn enter(self) -> Tree {
        match self {
            Code::Short => Tree::leaf(Kind::Mulav, &[STATE, 0.0, 0.0, 0.0]),
            Code::Direction(angle) => Tree::leaf(Kind::Movcv, &[STATE, angle]),
        }
    }
}

/// A composite, or its only child.
fn over(kind: Kind, mut children: Vec<Tree>) -> Tree {
    if children.len() == 1 { children.remove(0) } else { Tree::inner(kind, &[], &children) }
}

/// A name from outside, fit for one line of a message.
fn shown(name: &str) -> String {
    shorten(&name.escape_debug().to_string())
}

fn place(state: &State, transition: usize) -> String {
    format!("state `{}`, transition {} to `{}`", state.name, transition + 1, shown(&state.transitions[transition].to))
}

fn check_condition(transition: &Transition, place: impl Fn() -> String) -> Result<(), MachineError> {
    for node in transition.condition.iter().flat_map(Tree::nodes) {
        if !may_condition(node) {
            return Err(MachineError::Condition { place: place(), node: *node });
        }
        if uses_scratch(node) {
            return Err(MachineError::Scratch { place: place(), node: *node });
        }
    }
    Ok(())
}

/// True if a condition may have the node: it does nothing and ends in this tick.
pub fn may_condition(node: &Node) -> bool {
    let spec = node.kind.spec();
    !spec.writes && spec.group != Group::Action && !matches!(node.kind, Kind::Repeati | Kind::Repeatr)
}

/// True if the node, or the subtree that it stands for, reads or writes v_scr.
pub fn uses_scratch(node: &Node) -> bool {
    let mut nodes = Vec::new();
    expand(node, AsPublished::No, &mut nodes);
    nodes.iter().any(|n| {
        let registers = n.operands.iter().zip(n.kind.spec().operands).filter(|(_, o)| o.operand.is_register());
        registers.into_iter().any(|(cell, _)| *cell as usize & !1 == SCRATCH)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{decode, holds};

    #[test]
    fn each_state_is_told_from_every_other_one_by_its_code() {
        for states in 1..=MAX_STATES {
            let codes = Code::of_states(states, states / 2);
            for (i, entered) in codes.iter().enumerate() {
                let entry = decode(&entered.enter().nodes()[0]);
                let held = if *entered == Code::Short { Vec2::ZERO } else { crate::math::vec2(entry.a, entry.b) };
                for (j, code) in codes.iter().enumerate() {
                    assert_eq!(holds(&decode(&code.test().nodes()[0]), held), i == j, "{states} states: {i}, {j}");
                }
            }
        }
    }
}

//! Conversion of deterministic and probabilistic finite state machines to trees (thesis 3.1.8, Figures 3.10 and 3.11).
//!
//! In each tick, the transitions of the current state are tried in order. The first transition whose condition holds
//! and whose random draw succeeds is taken. Then the action of the new current state is ticked, and its result is the
//! result of the machine. There is at most one transition per tick. The memory of an action is reset if another state
//! was current in the previous tick. Conditions are evaluated while v_goal is unwritten.
//!
//! The register v_scr encodes the current state. A short vector, which is also the initial value, encodes the initial
//! state. A direction encodes every other state.

use super::probability::Guard;
use crate::math::Vec2;
use crate::tree::registers::SCRATCH;
use crate::tree::{
    CompileError, Group, Kind, LegacyBlueSides, MAX_DEPTH, Node, Program, Tree, decode, expand, holds, shorten, suggest,
};
use std::fmt;

/// Maximum number of states: the initial state, and one state for each of 128 directions in intervals of 2 pi/128.
pub const MAX_STATES: usize = 129;
/// Maximum number of transitions of a state.
pub const MAX_TRANSITIONS: usize = 64;

/// Width of the sector in which v_scr encodes a state (steps of pi/128). The sector extends by one step to either side
/// of the state's direction.
const WIDTH: f32 = 2.0;

/// State machine as data.
#[derive(Clone, Debug, PartialEq)]
pub struct StateMachine {
    /// Name of the initial state.
    pub initial: String,
    /// States of the machine, 1 to [`MAX_STATES`].
    pub states: Vec<State>,
}

/// State with its outgoing transitions.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Name of the state: 1 to 32 letters, digits, `-` or `_`.
    pub name: String,
    /// Tree that is ticked while the state is current. It must not use v_scr.
    pub action: Tree,
    /// Transitions in order of descending priority, at most [`MAX_TRANSITIONS`].
    pub transitions: Vec<Transition>,
}

/// Transition to another state.
#[derive(Clone, Debug, PartialEq)]
pub struct Transition {
    /// Condition of the transition: queries, optionally under composites and decorators, that must succeed. `None`:
    /// the condition always holds. The condition must not use v_scr.
    pub condition: Option<Tree>,
    /// Probability of the transition if the condition holds, above 0 and at most 1. `None`: the probability is 1.
    pub probability: Option<f64>,
    /// Name of the target state.
    pub to: String,
}

/// Reason why a machine cannot be converted.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MachineError {
    /// The number of states is too small or too large.
    #[error("the machine has {0} states; 1 to {MAX_STATES} are allowed")]
    States(usize),
    /// The name of a state has invalid characters or an invalid length.
    #[error("state `{0}`: a name must have 1 to 32 letters, digits, `-` or `_`")]
    Name(String),
    /// Several states have the same name.
    #[error("duplicate state name `{0}`; rename one")]
    DuplicateName(String),
    /// A name refers to a state that does not exist.
    #[error("{place}: state `{name}` does not exist{hint}")]
    Unknown {
        /// Place of the reference, for example a transition.
        place: String,
        /// Name of the missing state.
        name: String,
        /// Suggestion of a similar name; empty if there is none.
        hint: String,
    },
    /// A state has too many transitions.
    #[error("state `{0}` has {1} transitions; at most {MAX_TRANSITIONS} are allowed")]
    Transitions(String, usize),
    /// A node uses the register that holds the current state.
    #[error("{place}: `{node}` uses v_scr, which holds the machine's state; use s_scr")]
    Scratch {
        /// Place of the node.
        place: String,
        /// Node that uses v_scr.
        node: Node,
    },
    /// A condition has a node with side effects, or a node that does not complete in one tick.
    #[error(
        "{place}: `{node}` is not allowed in a condition; use queries, optionally under seq, sel, par, successd, failed, invert"
    )]
    Condition {
        /// Place of the node.
        place: String,
        /// Node that is not allowed.
        node: Node,
    },
    /// The probability of a transition is invalid.
    #[error("{0}: the probability is {1}; it must be above 0 and at most 1")]
    Probability(String, f64),
    /// The resulting tree is too deep.
    #[error(
        "the tree is {0} levels deep; at most {MAX_DEPTH} are allowed; make the deepest action or condition \
             flatter"
    )]
    Depth(usize),
    /// The resulting tree is too large.
    #[error(transparent)]
    Compile(#[from] CompileError),
}

/// State machine that has been converted to a tree.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedMachine {
    /// Tree that behaves like the machine.
    pub tree: Tree,
    /// Notes for readers, one line each. They describe the encoding of the states and the achieved probabilities.
    pub notes: Vec<String>,
}

impl fmt::Display for EncodedMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.notes.iter().try_for_each(|note| writeln!(f, "# {note}"))?;
        self.tree.fmt(f)
    }
}

impl StateMachine {
    /// Converts the machine to a tree.
    ///
    /// # Errors
    /// Returns an error if the machine is invalid, or if the resulting tree is too deep or too large.
    pub fn to_tree(&self) -> Result<EncodedMachine, MachineError> {
        self.check()?;
        let initial = self.find(&self.initial, || "initial".into())?;
        let codes = StateCode::of_states(self.states.len(), initial);
        let mut notes: Vec<String> = Vec::new();
        for (state, code) in self.states.iter().zip(&codes) {
            notes.push(format!("state `{}` is current if `{}`", state.name, code.test().nodes()[0]));
        }
        let mut ways = Vec::new();
        let mut actions = Vec::new();
        for (state, code) in self.states.iter().zip(&codes) {
            let out = self.transition_trees(state, &codes, &mut notes)?;
            if !out.is_empty() {
                ways.push(composite_or_child(Kind::Seq, vec![code.test(), composite_or_child(Kind::Sel, out)]));
            }
            actions.push(composite_or_child(Kind::Seq, vec![code.test(), state.action.clone()]));
        }
        let actions = composite_or_child(Kind::Sel, actions);
        let tree = if ways.is_empty() {
            actions
        } else {
            let ways = Tree::inner(Kind::Successd, &[], &[composite_or_child(Kind::Sel, ways)]);
            composite_or_child(Kind::Seq, vec![ways, actions])
        };
        if tree.depth() > MAX_DEPTH {
            return Err(MachineError::Depth(tree.depth()));
        }
        Program::compile(&tree)?;
        Ok(EncodedMachine { tree, notes })
    }

    /// Returns one tree per transition of a state. The tree is a sequence of the transition's guards, followed by the
    /// node that makes the target state current (Figure 3.11).
    fn transition_trees(
        &self,
        state: &State,
        codes: &[StateCode],
        notes: &mut Vec<String>,
    ) -> Result<Vec<Tree>, MachineError> {
        let way = |(i, transition): (usize, &Transition)| {
            let place = || place(state, i);
            let to = codes[self.find(&transition.to, place)?];
            let mut steps: Vec<Tree> = transition.condition.iter().cloned().collect();
            if let Some(wanted) = transition.probability {
                let guard = Guard::nearest(wanted).ok_or_else(|| MachineError::Probability(place(), wanted))?;
                notes.push(format!("{}: probability {wanted} is rounded to {:.4}", place(), guard.achieved));
                steps.push(guard.tree());
            }
            steps.push(to.enter());
            Ok(composite_or_child(Kind::Seq, steps))
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
                return Err(MachineError::Name(escape_name(name)));
            }
            if self.states[..i].iter().any(|other| other.name == *name) {
                return Err(MachineError::DuplicateName(name.clone()));
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
            MachineError::Unknown { place: place(), name: escape_name(name), hint }
        })
    }
}

/// Encoding of a state in v_scr.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StateCode {
    /// Vector that is shorter than all vectors that encode a direction.
    Short,
    /// Direction (steps of pi/128).
    Direction(f32),
}

const STATE: f32 = SCRATCH as f32;

impl StateCode {
    /// Returns the codes of all states. `initial` is the index of the initial state. All other states have directions
    /// in equal steps around the circle. The steps are at most a right angle.
    pub fn of_states(states: usize, initial: usize) -> Vec<StateCode> {
        let step = (256 / states.saturating_sub(1).max(1)).min(64) as f32;
        let mut angle = -step;
        let code = |i| {
            if i == initial {
                return StateCode::Short;
            }
            angle += step;
            StateCode::Direction(if angle > 127.0 { angle - 256.0 } else { angle })
        };
        (0..states).map(code).collect()
    }

    /// Returns a tree that succeeds while the state is current.
    pub fn test(self) -> Tree {
        match self {
            StateCode::Short => Tree::leaf(Kind::Ifsect, &[STATE, 0.0, 0.0]),
            StateCode::Direction(angle) => Tree::leaf(Kind::Ifsect, &[STATE, angle, WIDTH]),
        }
    }

    /// Returns whether the value of v_scr encodes this state.
    pub fn holds(self, scratch: Vec2) -> bool {
        self.test().nodes().iter().all(|node| holds(&decode(node), scratch))
    }

    /// Returns the code that a node tests; `None` if the node does not test v_scr.
    pub fn of_test(node: &Node) -> Option<StateCode> {
        let [vector, angle, width, _] = node.operands;
        let code = if width == 0.0 { StateCode::Short } else { StateCode::Direction(angle) };
        (node.kind == Kind::Ifsect && vector == STATE).then_some(code)
    }

    /// Returns the code that a node writes to v_scr; `None` if the node does not write a code.
    pub fn of_entry(node: &Node) -> Option<StateCode> {
        let code = match node.kind {
            Kind::Mulav => StateCode::Short,
            Kind::Movcv => StateCode::Direction(node.operands[1]),
            _ => return None,
        };
        (node.operands[0] == STATE).then_some(code)
    }

    /// Returns a tree that makes the state current.
    pub fn enter(self) -> Tree {
        match self {
            StateCode::Short => Tree::leaf(Kind::Mulav, &[STATE, 0.0, 0.0, 0.0]),
            StateCode::Direction(angle) => Tree::leaf(Kind::Movcv, &[STATE, angle]),
        }
    }
}

/// Returns a composite of the children. A single child is returned without a composite.
fn composite_or_child(kind: Kind, mut children: Vec<Tree>) -> Tree {
    if children.len() == 1 { children.remove(0) } else { Tree::inner(kind, &[], &children) }
}

/// Escapes and shortens a name from outside the program for use in a message.
fn escape_name(name: &str) -> String {
    shorten(&name.escape_debug().to_string())
}

fn place(state: &State, transition: usize) -> String {
    format!(
        "state `{}`, transition {} to `{}`",
        state.name,
        transition + 1,
        escape_name(&state.transitions[transition].to)
    )
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

/// Returns whether a node is allowed in a condition: it has no side effects and completes in one tick.
pub fn may_condition(node: &Node) -> bool {
    let spec = node.kind.spec();
    !spec.writes && spec.group != Group::Action && !matches!(node.kind, Kind::Repeati | Kind::Repeatr)
}

/// Returns whether the node, or the subtree to which it expands, reads or writes v_scr.
pub fn uses_scratch(node: &Node) -> bool {
    let mut nodes = Vec::new();
    expand(node, LegacyBlueSides::No, &mut nodes);
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
    fn state_codes_are_mutually_exclusive() {
        for states in 1..=MAX_STATES {
            let codes = StateCode::of_states(states, states / 2);
            for (i, entered) in codes.iter().enumerate() {
                let entry = decode(&entered.enter().nodes()[0]);
                let held = if *entered == StateCode::Short { Vec2::ZERO } else { crate::math::vec2(entry.a, entry.b) };
                for (j, code) in codes.iter().enumerate() {
                    assert_eq!(holds(&decode(&code.test().nodes()[0]), held), i == j, "{states} states: {i}, {j}");
                }
            }
        }
    }
}

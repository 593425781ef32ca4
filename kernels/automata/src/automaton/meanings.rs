//! Meanings of an automaton's messages for a robot that runs behaviour trees.

use super::text::message_text;
use super::{Kind, Message};
use xpuck_kernels::analysis::machine::{may_condition, uses_scratch};
use xpuck_kernels::tree::registers::{BLUE, GOAL, PROX};
use xpuck_kernels::tree::{self, CompileError, MAX_DEPTH, Node, Tree};

/// Behaviour trees that represent messages on a robot. These trees must not use v_scr, which holds the automaton's
/// state. If a message has several entries, the first entry applies.
#[derive(Clone, Debug, PartialEq)]
pub struct Meanings {
    /// Conditions of triggers. A message arrives in every tick in which its condition succeeds, even if the condition
    /// also succeeded in the previous tick. A condition consists of queries, possibly under composites, `successd`,
    /// `failed` and `invert`.
    pub conditions: Vec<(Kind, Tree)>,
    /// Actions for messages handed inward. The robot repeats an action until the next message is handed inward.
    /// Messages with different arguments are different messages, such as NAVIGATE_FORWARD 0 and NAVIGATE_FORWARD 200.
    pub inward: Vec<(Message, Tree)>,
    /// Actions that the robot performs once, in the tick in which it sends the message.
    pub out: Vec<(Message, Tree)>,
    /// Action that the robot repeats until the first message is handed inward.
    pub idle: Tree,
}

/// Error in the conversion between an automaton and a tree.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConversionError {
    /// Trigger without a condition.
    #[error("state {state}: {name} has no condition on this robot; remove the transition or add a condition", name = trigger.name())]
    Trigger {
        /// Number of the state, from 1.
        state: usize,
        /// Trigger of the transition.
        trigger: Kind,
    },
    /// Message without an action.
    #[error("state {state}: {message}, {way}, has no meaning on this robot; remove it or add an action")]
    Message {
        /// Number of the state, from 1.
        state: usize,
        /// Message with its arguments.
        message: String,
        /// Direction: "handed inward" or "sent out".
        way: &'static str,
    },
    /// State with transitions for outgoing messages. The number is the state's, from 1.
    #[error("state {0} has transitions for outgoing messages, which a tree cannot have; remove them")]
    Outgoing(usize),
    /// Too many pairs of a state and a message for the codes of v_scr.
    #[error(
        "the automaton has {0} pairs of a state and the last message handed inward; at most {1} are allowed; use \
             fewer states or messages"
    )]
    Pairs(usize, usize),
    /// Meaning that uses v_scr.
    #[error("the meaning of {0}: `{1}` uses v_scr, which holds the automaton's state; use s_scr")]
    Scratch(String, Node),
    /// Condition with a node that is not a query.
    #[error(
        "the condition of {0}: `{1}` is not a query; use queries, optionally under composites, successd, failed, invert"
    )]
    Condition(String, Node),
    /// Two messages with the same meaning.
    #[error(
        "{0} and {1} mean the same tree, so a reader of the tree cannot distinguish them; change one of the meanings"
    )]
    Ambiguous(String, String),
    /// Node that does not fit the form of a converted automaton.
    #[error("node {node} (`{text}`): {wanted}")]
    Form {
        /// Number of the node in preorder, from 1.
        node: usize,
        /// Text of the node.
        text: String,
        /// Expected content.
        wanted: &'static str,
    },
    /// Meanings that make the tree too deep. The number is the tree's depth.
    #[error("the tree is {0} levels deep; at most {MAX_DEPTH} are allowed; reduce the depth of the deepest meaning")]
    Depth(usize),
    /// Tree that is too large.
    #[error(transparent)]
    Compile(#[from] CompileError),
}

/// Name of the idle meaning in error messages. Both the idle meaning and NAVIGATE_STOP make the robot stand still, but
/// their trees differ.
const IDLE: &str = "idling";

impl Meanings {
    /// Returns the meanings for an e-puck as [`Module::Navigate`](super::Module::Navigate). These meanings are this
    /// project's interpretation, because the robot of Petrovic's report has other sensors.
    ///
    /// | message | meaning |
    /// |---|---|
    /// | SENSORS_BUMPERS_PRESSED | v_prox points ahead, to the left or to the right |
    /// | SENSORS_BUMPERS_RELEASED | v_prox does not point ahead |
    /// | SENSORS_LIGHT_ENTER | v_blue is not short, because a blue lamp is in view |
    /// | SENSORS_LIGHT_LEAVE | v_blue is short |
    /// | NAVIGATE_FORWARD 0 | v_goal is straight ahead |
    /// | NAVIGATE_LEFT 0, NAVIGATE_RIGHT 0 | v_goal is 45 degrees to the left or right (pivot) |
    /// | NAVIGATE_AROUNDLEFT 0, NAVIGATE_AROUNDRIGHT 0 | v_goal is 90 degrees to the left or right (on the spot) |
    /// | NAVIGATE_STOP | v_goal is zero |
    /// | BEEP_BEEP n, n from 1 to 255, sent out | `signal n` |
    ///
    /// Until the first command, v_goal is not written and the robot stands still. Timed commands have no meaning,
    /// because no trigger reports their end. NAVIGATE_BACKWARD has no meaning, because no value of v_goal makes the
    /// robot drive backward.
    pub fn epuck() -> Meanings {
        use tree::Kind::{Ifquad, Invert, Movcv, Mulav, Sel, Signal, Successl};
        let (goal, zero) = (GOAL as f32, 0.0);
        let quadrant = |vector: usize, i: f32| Tree::leaf(Ifquad, &[vector as f32, i]);
        let not = |tree: &Tree| Tree::inner(Invert, &[], std::slice::from_ref(tree));
        let obstacle = Tree::inner(Sel, &[], &[quadrant(PROX, 1.0), quadrant(PROX, -1.0)]);
        let dark = quadrant(BLUE, 0.0);
        let heading = |kind: Kind, steps: f32| (Message::from(kind), Tree::leaf(Movcv, &[goal, steps]));
        let beep = |n: i16| (Message { kind: Kind::Beep, arguments: [n, 0] }, Tree::leaf(Signal, &[f32::from(n)]));
        Meanings {
            conditions: vec![
                (Kind::BumpersReleased, not(&obstacle)),
                (Kind::BumpersPressed, obstacle),
                (Kind::LightEnter, not(&dark)),
                (Kind::LightLeave, dark),
            ],
            inward: vec![
                heading(Kind::NavigateForward, 0.0),
                heading(Kind::NavigateLeft, 32.0),
                heading(Kind::NavigateRight, -32.0),
                heading(Kind::NavigateAroundLeft, 64.0),
                heading(Kind::NavigateAroundRight, -64.0),
                (Kind::NavigateStop.into(), Tree::leaf(Mulav, &[goal, zero, 0.0, zero])),
            ],
            out: (1..=255).map(beep).collect(),
            idle: Tree::leaf(Successl, &[]),
        }
    }

    /// Returns the condition of a trigger.
    pub(super) fn condition(&self, trigger: Kind) -> Option<&Tree> {
        find(&self.conditions, trigger)
    }

    /// Returns the action for the last message handed inward, or for no message.
    pub(super) fn inward(&self, message: Option<Message>) -> Option<&Tree> {
        message.map_or(Some(&self.idle), |message| find(&self.inward, message))
    }

    /// Returns the action for a message sent out.
    pub(super) fn out(&self, message: Message) -> Option<&Tree> {
        find(&self.out, message)
    }

    /// Checks that conditions contain only queries and that no meaning uses v_scr.
    pub(super) fn check(&self) -> Result<(), ConversionError> {
        for (kind, tree) in &self.conditions {
            if let Some(node) = tree.nodes().iter().find(|node| !may_condition(node)) {
                return Err(ConversionError::Condition(kind.name().into(), *node));
            }
        }
        for (name, tree) in self.conditions().chain(self.inwards()).chain(self.outs()) {
            if let Some(node) = tree.nodes().iter().find(|node| uses_scratch(node)) {
                return Err(ConversionError::Scratch(name, *node));
            }
        }
        Ok(())
    }

    /// Checks that no two messages of the same list have the same tree.
    pub(super) fn check_distinct(&self) -> Result<(), ConversionError> {
        distinct(self.conditions())?;
        distinct(self.inwards())?;
        distinct(self.outs())
    }

    fn conditions(&self) -> impl Iterator<Item = (String, &Tree)> {
        self.conditions.iter().map(|(kind, tree)| (kind.name().into(), tree))
    }

    fn inwards(&self) -> impl Iterator<Item = (String, &Tree)> {
        let named = self.inward.iter().map(|(message, tree)| (message_text(Some(*message)), tree));
        named.chain([(IDLE.into(), &self.idle)])
    }

    fn outs(&self) -> impl Iterator<Item = (String, &Tree)> {
        self.out.iter().map(|(message, tree)| (message_text(Some(*message)), tree))
    }
}

/// Returns the first tree with this key; `None` without such a tree.
fn find<K: Copy + PartialEq>(list: &[(K, Tree)], key: K) -> Option<&Tree> {
    list.iter().find(|(other, _)| *other == key).map(|(_, tree)| tree)
}

fn distinct<'a>(list: impl Iterator<Item = (String, &'a Tree)>) -> Result<(), ConversionError> {
    let mut list: Vec<_> = list.map(|(name, tree)| (tree.key(), name)).collect();
    list.sort();
    match list.windows(2).find(|pair| pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1) {
        Some(pair) => Err(ConversionError::Ambiguous(pair[0].1.clone(), pair[1].1.clone())),
        None => Ok(()),
    }
}

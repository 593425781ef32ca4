//! What the messages of an automaton mean to a robot that runs behaviour trees.

use super::text::message_text;
use super::{Kind, Message};
use xpuck_kernels::analysis::machine::{may_condition, uses_scratch};
use xpuck_kernels::tree::registers::{BLUE, GOAL, PROX};
use xpuck_kernels::tree::{self, CompileError, MAX_DEPTH, Node, Tree};

/// What stands for messages in a behaviour tree. None of the trees may use v_scr, which holds the automaton's state. Of
/// several entries for the same message the first counts.
#[derive(Clone, Debug, PartialEq)]
pub struct Meanings {
    /// When a message comes: in each tick in which the condition succeeds, also when it went on from the tick before. A
    /// condition has queries, also under composites, `successd`, `failed` and `invert`.
    pub conditions: Vec<(Kind, Tree)>,
    /// What the robot does from the message on until it is handed another one. Numbers count: NAVIGATE_FORWARD 0 and
    /// NAVIGATE_FORWARD 200 are two messages.
    pub inward: Vec<(Message, Tree)>,
    /// What the robot does once, in the tick in which it sends the message.
    pub out: Vec<(Message, Tree)>,
    /// What it does as long as it has been handed no message.
    pub idle: Tree,
}

/// Why an automaton is no tree, or a tree no automaton.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ConversionError {
    /// A trigger without a condition.
    #[error("state {state}: nothing tells this robot of {name}; take the transition out or give it a condition", name = trigger.name())]
    Trigger {
        /// The state, from 1.
        state: usize,
        /// What triggers its transition.
        trigger: Kind,
    },
    /// A message without an action.
    #[error("state {state}: {message} means nothing {way} on this robot; take it out or give it an action")]
    Message {
        /// The state, from 1.
        state: usize,
        /// The message with its numbers.
        message: String,
        /// "handed inward" or "sent out".
        way: &'static str,
    },
    /// A transition for outgoing messages.
    #[error(
        "state {0} has transitions for outgoing messages; a tree has no module behind it that sends any: take them out"
    )]
    Outgoing(usize),
    /// More to remember than v_scr can tell apart.
    #[error("states and the messages last handed inward in them make {0} pairs; {1} fit: use fewer states or messages")]
    Pairs(usize, usize),
    /// A meaning that touches the state.
    #[error("the meaning of {0}: `{1}` uses v_scr, which holds the automaton's state; use s_scr")]
    Scratch(String, Node),
    /// A condition that does something.
    #[error(
        "the condition of {0}: `{1}` is no query; a condition has queries, also under composites, successd, failed, invert"
    )]
    Condition(String, Node),
    /// Two messages that no reader can tell apart.
    #[error("{0} and {1} mean the same tree, so that reading it back cannot tell them apart; change one")]
    Ambiguous(String, String),
    /// A tree that no automaton becomes.
    #[error("node {node} (`{text}`): {wanted}")]
    Form {
        /// The node's number in preorder, from 1.
        node: usize,
        /// The node.
        text: String,
        /// What should be there.
        wanted: &'static str,
    },
    /// A meaning that is too deep.
    #[error("the tree is {0} levels deep; {MAX_DEPTH} fit: make the deepest meaning flatter")]
    Depth(usize),
    /// A tree that is too large.
    #[error(transparent)]
    Compile(#[from] CompileError),
}

/// What the robot does at first: nothing, so that it stands, but another tree than that of NAVIGATE_STOP.
const IDLE: &str = "idling";

impl Meanings {
    /// Meanings for an e-puck, for post-offices of [`Module::Navigate`](super::Module::Navigate). They are our reading: the
    /// document's robot has other senses.
    ///
    /// | message | meaning |
    /// |---|---|
    /// | SENSORS_BUMPERS_PRESSED | v_prox points ahead, to the left or right |
    /// | SENSORS_BUMPERS_RELEASED | it does not |
    /// | SENSORS_LIGHT_ENTER | v_blue is not short: a blue lamp is in view |
    /// | SENSORS_LIGHT_LEAVE | v_blue is short |
    /// | NAVIGATE_FORWARD 0 | v_goal is straight ahead |
    /// | NAVIGATE_LEFT 0, NAVIGATE_RIGHT 0 | v_goal is 45 degrees to the left or right, where one wheel stands |
    /// | NAVIGATE_AROUNDLEFT 0, NAVIGATE_AROUNDRIGHT 0 | v_goal is 90 degrees to the left or right: on the spot |
    /// | NAVIGATE_STOP | v_goal is zero |
    /// | BEEP_BEEP n, n from 1 to 255, sent out | `signal n` |
    ///
    /// Until the first command v_goal stays unwritten, and the robot stands. Commands for a time have no meaning, as
    /// nothing tells when it is over, and neither has NAVIGATE_BACKWARD, as no v_goal makes the robot go backward.
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

    /// The condition of a trigger.
    pub(super) fn condition(&self, trigger: Kind) -> Option<&Tree> {
        find(&self.conditions, trigger)
    }

    /// What the robot does once it has been handed a message, or none.
    pub(super) fn inward(&self, message: Option<Message>) -> Option<&Tree> {
        message.map_or(Some(&self.idle), |message| find(&self.inward, message))
    }

    /// What the robot does as it sends a message.
    pub(super) fn out(&self, message: Message) -> Option<&Tree> {
        find(&self.out, message)
    }

    /// Says whether every tree can stand where it is meant to.
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

    /// Says whether trees can be told apart where they stand.
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

/// The first tree of a key.
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

//! Automatic reduction: a smaller tree that drives the wheels the same (thesis 3.1.7 and 8.6.1).
//!
//! Two trees are equal here if v_goal after every tick is the same, bit for bit, for everything that a robot can sense.
//! The result of the root and the scratch registers are nobody's output. A random draw is removed only if no other may
//! follow in the same tick, because draws are numbered and those after it would change. `bleft` and `bright` count as
//! meaning what they say; a tree for a program compiled [as published](crate::tree::AsPublished) must not be reduced.
//!
//! Every pass runs one tick abstractly from all states that can begin one: forwards for results and register values,
//! backwards for what is still read. Rules then rewrite, until nothing changes.

pub(super) mod branch;
mod context;
pub(super) mod flow;
mod live;
mod rules;
pub(super) mod state;
mod value;

use crate::tree::Tree;
use branch::Branch;
use rules::Pass;

/// How to reduce.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Keep composites at 2 to 4 children, as the thesis's interpreter needs them; else they become as wide as they can.
    pub executable: bool,
}

/// What a step did. Numbers in meanings are those of the rules in thesis 8.6.1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "`meaning` holds each rule's meaning")]
pub enum Rule {
    UselessAction,
    KnownQuery,
    KnownResult,
    Decorator,
    Repeat,
    SingleChild,
    Memoryless,
    AsDecorator,
    Flatten,
    SubtreeLeaf,
    Unreachable,
    NoEffect,
}

impl Rule {
    /// The rule in one line.
    pub fn meaning(self) -> &'static str {
        match self {
            Rule::UselessAction => "what it writes is read-only, never read or there already",
            Rule::KnownQuery => "its result is known here, or does not matter",
            Rule::KnownResult => "without effect, and its result is known or does not matter (rule 1)",
            Rule::Decorator => "the decorator changes no result that occurs and matters (rule 2)",
            Rule::Repeat => "counting changes no result that matters",
            Rule::SingleChild => "a composite of one child is the child (rule 7)",
            Rule::Memoryless => "no child but the first can be running, so nothing is resumed",
            Rule::AsDecorator => "a constant last child is a decorator",
            Rule::Flatten => "nested composites of one kind are one wide composite (rule 8)",
            Rule::SubtreeLeaf => "part of what the leaf stands for is known",
            Rule::Unreachable => "never ticked (rules 3 and 4)",
            Rule::NoEffect => "no effect and no influence on the result (rules 5 and 6)",
        }
    }
}

/// One rewriting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Why it is allowed.
    pub rule: Rule,
    /// The node that was replaced with all below it, or removed.
    pub before: String,
    /// The node that took its place; empty if none did.
    pub after: String,
}

/// A reduced tree and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    /// The tree; never larger than the original.
    pub tree: Tree,
    /// What was done, in order.
    pub steps: Vec<Step>,
}

/// Reduces a tree as far as the rules go. They are about an e-puck's senses and wheels: a Kilobot's tree stays as it is.
pub fn reduce(tree: &Tree, options: Options) -> Reduction {
    let mut steps = Vec::new();
    let mut tree = tree.clone();
    if tree.nodes().iter().any(|node| node.kind.is_kilobots_own()) {
        return Reduction { tree, steps };
    }
    // Every step removes a node or turns one into a simpler kind, so this many passes are more than enough.
    for _ in 0..4 * tree.nodes().len() + 4 {
        let (root, nodes) = Branch::of(&tree);
        let visits = flow::analyse(&root, nodes);
        let uses = live::analyse(&root, &visits);
        let done = steps.len();
        let next = Pass { visits: &visits, uses: &uses, options, steps: &mut steps }.rewrite(&root, None);
        if steps.len() == done {
            break;
        }
        tree = next.tree();
    }
    Reduction { tree, steps }
}

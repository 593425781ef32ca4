//! Automatic reduction to a smaller tree that drives the wheels identically (thesis 3.1.7 and 8.6.1).
//!
//! Two trees are equivalent if v_goal is bitwise equal after every tick for all possible sensor values. The result of
//! the root and the scratch registers are not outputs. A random draw is removed only if no other draw can follow in
//! the same tick, because draws are numbered and later draws would change. `bleft` and `bright` are assumed to work
//! as specified. A tree for a program compiled [as published](crate::tree::LegacyBlueSides) must not be reduced.
//!
//! Every pass analyses one abstract tick from all possible start states. A forward analysis determines results and
//! register values, and a backward analysis determines live values. Rules then rewrite the tree until no rule applies.

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

/// Options of the reduction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Whether composites keep 2 to 4 children, as the thesis's interpreter requires. Otherwise, composites are
    /// merged as far as possible.
    pub executable: bool,
}

/// Rewriting rule of a step. The rule numbers in [`Rule::meaning`] refer to thesis 8.6.1.
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
    /// Returns a one-line description of the rule.
    pub fn meaning(self) -> &'static str {
        match self {
            Rule::UselessAction => "it writes a read-only or unused register, or the value that is already there",
            Rule::KnownQuery => "its result is known here, or does not matter",
            Rule::KnownResult => "it has no effect, and its result is known or does not matter (rule 1)",
            Rule::Decorator => "the decorator changes no result that occurs and matters (rule 2)",
            Rule::Repeat => "counting changes no result that matters",
            Rule::SingleChild => "a composite of one child is the child (rule 7)",
            Rule::Memoryless => "no child but the first can be running, so nothing is resumed",
            Rule::AsDecorator => "a constant last child is a decorator",
            Rule::Flatten => "nested composites of one kind are one wide composite (rule 8)",
            Rule::SubtreeLeaf => "part of the subtree for which the leaf stands is known",
            Rule::Unreachable => "never ticked (rules 3 and 4)",
            Rule::NoEffect => "no effect and no influence on the result (rules 5 and 6)",
        }
    }
}

/// One rewriting step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Applied rule.
    pub rule: Rule,
    /// Root of the replaced or removed subtree, as text.
    pub before: String,
    /// Replacement node as text; empty if the subtree was removed.
    pub after: String,
}

/// A reduced tree with the steps of its reduction.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    /// Reduced tree, never larger than the original.
    pub tree: Tree,
    /// Steps in the order of their application.
    pub steps: Vec<Step>,
}

/// Reduces a tree with all rules. The rules assume an e-puck's senses and wheels, so a Kilobot's tree is returned
/// unchanged.
pub fn reduce(tree: &Tree, options: Options) -> Reduction {
    let mut steps = Vec::new();
    let mut tree = tree.clone();
    if tree.nodes().iter().any(|node| node.kind.is_kilobots_own()) {
        return Reduction { tree, steps };
    }
    // Every step removes a node or converts it to a simpler kind, so this number of passes is sufficient.
    for _ in 0..4 * tree.nodes().len() + 4 {
        let (root, nodes) = Branch::from_tree(&tree);
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

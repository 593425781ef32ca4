//! Variation of rule lists: rules are added, removed and changed, conditions are inserted before subtrees, and
//! numbers change by small steps.

use super::graft;
use crate::genotype::{Branch, Gene, Genotype};
use crate::individual::Operator;
use crate::operands::step_size;
use crate::rule_list::{RuleListBuilder, inner, join};
use crate::space::Space;
use xpuck_kernels::random::{Draws, normal_pair};
use xpuck_kernels::tree::{Kind, Node, Operand};

/// Probability that a structural change is followed by a change of numbers.
const ALSO_NUMBERS: f32 = 0.3;
/// Probability that a number changes by a step. Otherwise the number is replaced by a new random number.
const STEP: f32 = 0.75;
/// Probability that a step inverts the sign of a gain instead of changing its magnitude.
const TURN_SIGN: f32 = 0.1;

/// Kinds of change with the probability of each kind (percent).
const CHANGES: [(Change, u32); 7] = [
    (Change::Numbers, 35),
    (Change::Replace, 13),
    (Change::Condition, 8),
    (Change::Rule, 8),
    (Change::Other, 4),
    (Change::Hoist, 10),
    (Change::Cross, 22),
];

/// Change of a rule list in one place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    /// Changes one to three numbers or registers.
    Numbers,
    /// Replaces a subtree: a condition by a new condition, any other subtree by a new rule or action.
    Replace,
    /// Inserts a condition before a subtree.
    Condition,
    /// Inserts a rule before a subtree.
    Rule,
    /// Adds an alternative, a node with memory, a repetition or an inversion to a subtree.
    Other,
    /// Replaces a subtree by one of its own subtrees.
    Hoist,
    /// Replaces a subtree by a subtree of the mate.
    Cross,
}

/// Returns a child of `parent` with one random change in the main branch, and the operator that produced the child. A
/// structural change that would not fit a robot is discarded. With probability [`ALSO_NUMBERS`], a structural change is
/// followed by a change of numbers.
pub(crate) fn vary(
    space: Space<'_>,
    builder: &RuleListBuilder<'_>,
    parent: &Genotype,
    mate: &Genotype,
    draws: &mut Draws,
) -> (Genotype, Operator) {
    let (Genotype::Branches(branches), Genotype::Branches(others)) = (parent, mate) else {
        return (parent.clone(), Operator::Mutation);
    };
    let change = any_change(draws);
    let operator = if change == Change::Cross { Operator::Crossover } else { Operator::Mutation };
    let branch = &branches[0];
    let at = draws.below(branch.genes().len() as u32) as usize;
    let with = match change {
        Change::Numbers => return (numbers(space, builder, parent, draws), operator),
        Change::Cross => {
            let from = draws.below(others[0].genes().len() as u32) as usize;
            others[0].subtree(from).to_vec()
        }
        _ => changed(builder, branch, at, change, draws),
    };
    let child = graft(space, branches, 0, at, &with).unwrap_or_else(|| parent.clone());
    if draws.unit() < ALSO_NUMBERS {
        return (numbers(space, builder, &child, draws), operator);
    }
    (child, operator)
}

/// Applies `change` to one place of the main branch. [`Change::Numbers`] and [`Change::Cross`] have no effect in this
/// function. The genotype is unchanged if the result would not fit a robot.
pub fn change(
    space: Space<'_>,
    builder: &RuleListBuilder<'_>,
    genotype: &Genotype,
    change: Change,
    draws: &mut Draws,
) -> Genotype {
    let Genotype::Branches(branches) = genotype else { return genotype.clone() };
    let at = draws.below(branches[0].genes().len() as u32) as usize;
    let with = changed(builder, &branches[0], at, change, draws);
    graft(space, branches, 0, at, &with).unwrap_or_else(|| genotype.clone())
}

fn any_change(draws: &mut Draws) -> Change {
    let mut ticket = draws.below(CHANGES.iter().map(|(_, share)| share).sum());
    for (change, share) in CHANGES {
        if ticket < share {
            return change;
        }
        ticket -= share;
    }
    Change::Numbers
}

/// Returns the genes that replace the subtree at `at`.
fn changed(builder: &RuleListBuilder<'_>, branch: &Branch, at: usize, change: Change, draws: &mut Draws) -> Vec<Gene> {
    let here = branch.subtree(at).to_vec();
    let tests = builder.tests(&here);
    match change {
        Change::Replace if tests => builder.condition(draws),
        Change::Replace if here[0].children() > 1 && draws.unit() < 0.5 => builder.rule(draws),
        Change::Replace => builder.action(draws),
        Change::Condition => {
            let kind = if tests && draws.unit() < 0.5 { builder.sel() } else { builder.seq() };
            join(kind, builder.condition(draws), here)
        }
        Change::Rule => join(builder.sel(), builder.rule(draws), here),
        Change::Other => other(builder, here, draws),
        Change::Hoist => {
            let inside = at + draws.below(here.len() as u32) as usize;
            branch.subtree(inside).to_vec()
        }
        Change::Numbers | Change::Cross => here,
    }
}

/// Adds a random structure to the subtree `here`: an alternative, a node with memory, a repetition or an inversion. If
/// the primitive set lacks the required nodes, the subtree is inverted or unchanged.
fn other(builder: &RuleListBuilder<'_>, here: Vec<Gene>, draws: &mut Draws) -> Vec<Gene> {
    let has = |kind, children| builder.primitive_set().has(kind, children);
    let repeat = |genes: Vec<Gene>, draws: &mut Draws| {
        let mut operands = [0.0; 4];
        operands[0] = builder.number(Operand::Count, draws);
        let mut repeated = vec![Gene::Node(Node { kind: Kind::Repeati, children: 1, operands })];
        repeated.extend(genes);
        repeated
    };
    match draws.below(5) {
        0 => join(builder.sel(), here, builder.action(draws)),
        1 if has(Kind::Seqm, 2) => join(Kind::Seqm, here, builder.action(draws)),
        2 if has(Kind::Selm, 2) => join(Kind::Selm, builder.rule(draws), here),
        3 if has(Kind::Repeati, 1) => repeat(here, draws),
        4 if has(Kind::Repeati, 1) && has(Kind::Seqm, 2) => {
            let action = builder.action(draws);
            join(Kind::Seqm, repeat(action, draws), here)
        }
        _ if has(Kind::Invert, 1) => {
            let mut inverted = vec![inner(Kind::Invert, 1)];
            inverted.extend(here);
            inverted
        }
        _ => here,
    }
}

/// Returns the genotype with one to three changed operands in the main branch.
fn numbers(space: Space<'_>, builder: &RuleListBuilder<'_>, genotype: &Genotype, draws: &mut Draws) -> Genotype {
    let mut genotype = genotype.clone();
    let Genotype::Branches(branches) = &mut genotype else { return genotype };
    let operands = |gene: &Gene| match gene {
        Gene::Node(node) => node.kind.spec().operands.len(),
        _ => 0,
    };
    let places: Vec<(usize, usize)> =
        branches[0].genes().iter().enumerate().flat_map(|(i, g)| (0..operands(g)).map(move |k| (i, k))).collect();
    if places.is_empty() {
        return genotype;
    }
    let count = 1 + u32::from(draws.unit() < 0.5) + u32::from(draws.unit() < 0.25);
    for _ in 0..count {
        let (at, k) = places[draws.below(places.len() as u32) as usize];
        let Gene::Node(mut node) = branches[0].genes()[at] else { continue };
        let operand = node.kind.spec().operands[k].operand;
        node.operands[k] = if operand.is_register() {
            builder.register(operand, draws)
        } else if operand != Operand::Quadrant && draws.unit() < STEP {
            step(node.operands[k], operand, draws)
        } else {
            builder.number(operand, draws)
        };
        branches[0].set(at, Gene::Node(node));
    }
    assert!(space.fits(&genotype), "operands do not change what a tree takes");
    genotype
}

/// Draws a number near `value`. Angles wrap around, and gains change by a factor or change their sign.
fn step(value: f32, operand: Operand, draws: &mut Draws) -> f32 {
    let by = normal_pair(draws.word(), draws.word()).0;
    let (low, high) = operand.range();
    let moved = match operand {
        Operand::Angle => (value + 20.0 * by).round().rem_euclid(256.0),
        Operand::Int8 | Operand::Width | Operand::Count => value + 20.0 * by,
        Operand::Fixed => value + 2.0 * by,
        _ if draws.unit() < TURN_SIGN => -value,
        _ => value * (0.7 * by).exp(),
    };
    let moved = if operand == Operand::Angle && moved > high { moved - 256.0 } else { moved };
    // Adding zero turns a negative zero into a positive zero.
    let moved = step_size(operand).map_or(moved, |grain| (moved / grain).round() * grain) + 0.0;
    moved.clamp(low, high)
}

//! Rules for Kilobots, whose actions are manoeuvres of several consecutive moves.
//!
//! A move runs a Kilobot's motors for one update. The motors are off in the update in which the move's node succeeds.
//! With a tree that tests a condition before every move, the robot therefore does not move half of the time. With
//! several moves per test, the robot covers a greater distance.

use super::{RuleListBuilder, inner};
use crate::genotype::Gene;
use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::{Kind, Node, Operand};

/// Maximum number of consecutive moves of one kind in a new manoeuvre. A node of a Kilobot has up to four children.
const MOST_MOVES: u32 = 4;
/// Probability that a second series of moves follows the first series. Its kind of move is drawn independently.
const SECOND_MOVE_PROBABILITY: f32 = 0.3;
/// Probability that a manoeuvre begins by setting a blackboard entry.
const SET_PROBABILITY: f32 = 0.1;
/// Probability that a constant is small, and the minimum and maximum binary exponent of a small constant. Small
/// constants are needed, because distances change by millimetres.
const SMALL_CONSTANTS: (f32, f32, f32) = (0.5, -10.0, 0.0);

/// Creates a manoeuvre of one or two series of moves. With probability [`SET_PROBABILITY`], the manoeuvre first sets a
/// blackboard entry.
pub(super) fn manoeuvre(builder: &RuleListBuilder<'_>, draws: &mut Draws) -> Vec<Gene> {
    let mut genes = moves(builder, draws);
    if draws.unit() < SECOND_MOVE_PROBABILITY {
        genes = super::join(Kind::Seqm, genes, moves(builder, draws));
    }
    if builder.sets && draws.unit() < SET_PROBABILITY {
        let first = builder.leaf(Kind::Set, |operand, draws| builder.number(operand, draws), draws);
        genes = super::join(Kind::Seqm, vec![first], genes);
    }
    genes
}

/// Creates a series of one to four moves of one kind.
fn moves(builder: &RuleListBuilder<'_>, draws: &mut Draws) -> Vec<Gene> {
    let kind = builder.actions[draws.below(builder.actions.len() as u32) as usize];
    let count = 1 + draws.below(MOST_MOVES) as u16;
    let mut genes = if count > 1 && builder.primitive_set.has(Kind::Seqm, count) {
        vec![inner(Kind::Seqm, count)]
    } else {
        return vec![leaf(kind)];
    };
    genes.extend((0..count).map(|_| leaf(kind)));
    genes
}

/// Draws a constant that is compared with a blackboard entry or assigned to it.
pub(super) fn constant(builder: &RuleListBuilder<'_>, draws: &mut Draws) -> f32 {
    let drawn = builder.primitive_set.operands().draw(Operand::Float, draws);
    let (share, low, high) = SMALL_CONSTANTS;
    if draws.unit() < share { drawn.signum() * draws.range(low, high).exp2() } else { drawn }
}

fn leaf(kind: Kind) -> Gene {
    Gene::Node(Node { kind, children: 0, operands: [0.0; 4] })
}

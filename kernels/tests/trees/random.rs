//! Seeded random operands, trees and senses.

use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{Group, Kind, Node, Operand, Senses, Tree};

/// Returns the random numbers for one step of a test.
pub fn draws(seed: u64, step: u32) -> Draws {
    Draws::new(seed, 0, 0, step, Stream::Evolution)
}

/// Returns a node with random operands, which are drawn from their whole ranges.
pub fn node(kind: Kind, children: u16, draws: &mut Draws) -> Node {
    let operands: Vec<f32> = kind.spec().operands.iter().map(|o| operand(o.operand, draws)).collect();
    Node::new(kind, children, &operands)
}

fn operand(operand: Operand, draws: &mut Draws) -> f32 {
    let (low, high) = operand.range();
    match operand {
        Operand::ScalarDest | Operand::Scalar => draws.below(20) as f32,
        Operand::VectorDest | Operand::Vector => 2.0 * draws.below(10) as f32,
        Operand::Float | Operand::Gain => loop {
            let value = f32::from_bits(draws.word());
            if value.is_finite() {
                break value;
            }
        },
        Operand::Fixed => draws.below(256) as f32 / 8.0 - 16.0,
        _ => low + draws.below((high - low) as u32 + 1) as f32,
    }
}

/// Replaces large operands of a node by small numbers, so that tests reach counts and thresholds. Each operand with a
/// magnitude above 4 is replaced with probability 1/2. Registers are not changed.
pub fn shrink(node: &mut Node, draws: &mut Draws) {
    for (value, spec) in node.operands.iter_mut().zip(node.kind.spec().operands) {
        if !spec.operand.is_register() && value.abs() > 4.0 && draws.below(2) == 0 {
            *value = 1.0 + draws.below(3) as f32;
        }
    }
}

/// Returns a random tree with many small operands, and with at most `depth` levels below its root.
pub fn small_tree(depth: u32, draws: &mut Draws) -> Tree {
    let mut nodes = tree(depth, draws).nodes().to_vec();
    nodes.iter_mut().for_each(|node| shrink(node, draws));
    Tree::from_preorder(nodes)
}

/// Returns a random tree with nodes of all kinds except networks, and with at most `depth` levels below its root.
pub fn tree(depth: u32, draws: &mut Draws) -> Tree {
    let mut nodes = Vec::new();
    grow(depth, draws, &mut nodes);
    Tree::from_preorder(nodes)
}

fn grow(depth: u32, draws: &mut Draws, nodes: &mut Vec<Node>) {
    let inner = depth > 0 && draws.below(4) > 0;
    let fits = |k: &Kind| matches!(k.spec().group, Group::Composite | Group::Decorator) == inner;
    let kinds: Vec<Kind> = Kind::outside_networks().filter(fits).collect();
    let kind = kinds[draws.below(kinds.len() as u32) as usize];
    let children = match kind.spec().group {
        Group::Composite => 1 + draws.below(4),
        Group::Decorator => 1,
        _ => 0,
    };
    nodes.push(node(kind, children as u16, draws));
    (0..children).for_each(|_| grow(depth - 1, draws, nodes));
}

/// Returns random realistic senses: any heading, zero to three neighbours, and one of the camera's eight patterns for
/// each colour.
pub fn senses(draws: &mut Draws) -> Senses {
    let mut unit = || Vec2::unit(draws.range(-3.1, 3.1));
    let (up, attr, prox) = (unit(), unit(), unit());
    let neighbours = draws.below(4) as f32;
    let size = if draws.below(3) == 0 { 0.0 } else { draws.range(0.0, 2.0) };
    let colours = [0; 3].map(|_| {
        let side = 18.7f32.to_radians();
        let seen = draws.below(8);
        [Vec2::unit(side), vec2(1.0, 0.0), Vec2::unit(-side)]
            .into_iter()
            .enumerate()
            .filter(|(bit, _)| seen >> bit & 1 == 1)
            .fold(Vec2::ZERO, |sum, (_, v)| sum + v)
    });
    let attr = if neighbours > 0.0 { attr * neighbours } else { vec2(1.0, 0.0) };
    Senses { prox: prox * size, up, attr, colours, neighbours, ..Senses::default() }
}

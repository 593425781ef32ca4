//! New trees: Koza's full and grow methods and ramped half-and-half (Algorithm 11).

use crate::palette::Palette;
use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::{MAX_NODES, Node, Program, Tree};

/// A tree whose every branch is `depth` edges deep.
pub fn full(palette: &Palette, depth: usize, draws: &mut Draws) -> Tree {
    fitting(|draws| branch(palette, depth, 0.0, draws), palette, draws)
}

/// A tree whose branches end at random, at most `depth` edges deep.
pub fn grow(palette: &Palette, depth: usize, draws: &mut Draws) -> Tree {
    fitting(|draws| branch(palette, depth, palette.leaf_share(), draws), palette, draws)
}

/// Member `index` of a ramped half-and-half population of `count`: depth rises with the index, methods alternate.
pub fn ramped(palette: &Palette, index: usize, count: usize, depth: usize, draws: &mut Draws) -> Tree {
    let level = (index / 2) * 2 * depth / count.max(1);
    if index.is_multiple_of(2) { full(palette, level, draws) } else { grow(palette, level, draws) }
}

/// Draws until a tree fits a robot's memory; after a few misses a single leaf, which always fits.
fn fitting(mut make: impl FnMut(&mut Draws) -> Option<Tree>, palette: &Palette, draws: &mut Draws) -> Tree {
    for _ in 0..8 {
        if let Some(tree) = make(draws).filter(|t| Program::compile(t).is_ok()) {
            return tree;
        }
    }
    Tree::from_preorder(vec![palette.leaf(draws)])
}

/// Preorder growth with an explicit stack of depths still to fill; `None` past the node limit.
fn branch(palette: &Palette, depth: usize, stop: f32, draws: &mut Draws) -> Option<Tree> {
    let mut nodes: Vec<Node> = Vec::new();
    let mut open = vec![depth];
    while let Some(left) = open.pop() {
        if nodes.len() == MAX_NODES {
            return None;
        }
        if left == 0 || (stop > 0.0 && draws.unit() < stop) {
            nodes.push(palette.leaf(draws));
        } else {
            let node = palette.inner(draws);
            open.extend(std::iter::repeat_n(left - 1, node.children as usize));
            nodes.push(node);
        }
    }
    Some(Tree::from_preorder(nodes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::random::Stream;

    #[test]
    fn full_trees_are_full_and_ramps_rise() {
        let palette = Palette::in_swarm();
        for i in 0..50 {
            let mut draws = Draws::new(1, 0, i, 0, Stream::Evolution);
            let tree = full(&palette, 3, &mut draws);
            assert_eq!(tree.depth(), 3);
            assert!(grow(&palette, 4, &mut draws).depth() <= 4);
            assert!(palette.allows(&tree));
            assert_eq!(Tree::parse(&tree.to_string()).unwrap(), tree, "the text form holds evolved trees exactly");
        }
        let mut draws = Draws::new(1, 0, 0, 1, Stream::Evolution);
        assert_eq!(ramped(&palette, 0, 256, 6, &mut draws).depth(), 0);
        assert_eq!(ramped(&palette, 254, 256, 6, &mut draws).depth(), 5);
    }
}

//! Generation of new branches: Koza's full and grow methods (Algorithm 11).

use crate::genotype::{Branch, Gene};
use crate::primitive_set::PrimitiveSet;
use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::MAX_NODES;

/// Primitives of a branch: the nodes and subtrees of a primitive set, and calls of functions.
#[derive(Clone, Copy, Debug)]
pub struct Primitives<'a> {
    /// Primitive set.
    pub primitive_set: &'a PrimitiveSet,
    /// Number of functions that the branch may call.
    pub functions: u16,
}

/// Function that creates a branch with at most the given depth (edges).
pub type Method = fn(Primitives<'_>, usize, &mut Draws) -> Branch;

/// Creates a branch in which every path from the root to a leaf is `depth` edges long. If eight such branches in
/// sequence do not fit a robot, returns a single leaf.
pub fn full(primitives: Primitives<'_>, depth: usize, draws: &mut Draws) -> Branch {
    fitting(|draws| branch(primitives, depth, 0.0, draws), primitives, draws)
}

/// Creates a branch whose paths from the root to a leaf end at random. A path is at most `depth` edges long.
pub fn grow(primitives: Primitives<'_>, depth: usize, draws: &mut Draws) -> Branch {
    let stop = primitives.primitive_set.leaf_share(primitives.functions);
    fitting(|draws| branch(primitives, depth, stop, draws), primitives, draws)
}

/// Returns the method and the depth for member `index` of a ramped half-and-half population of `count` members. The
/// depth increases with the index from 0 to `depth` - 1 (edges), and the methods alternate.
pub fn ramped(index: usize, count: usize, depth: usize) -> (Method, usize) {
    let level = (index / 2) * 2 * depth / count.max(1);
    (if index.is_multiple_of(2) { full } else { grow }, level)
}

/// Creates branches until one fits a robot's memory. After eight failures, returns a single leaf, which always fits.
fn fitting(
    mut make: impl FnMut(&mut Draws) -> Option<Branch>,
    primitives: Primitives<'_>,
    draws: &mut Draws,
) -> Branch {
    for _ in 0..8 {
        if let Some(branch) = make(draws).filter(|b| primitives.primitive_set.fits(std::slice::from_ref(b))) {
            return branch;
        }
    }
    Branch::from_preorder(vec![primitives.primitive_set.leaf(primitives.functions, draws)])
}

/// Creates a branch in preorder, with an explicit stack of remaining depths; `None` if the node limit is exceeded.
fn branch(primitives: Primitives<'_>, depth: usize, stop: f32, draws: &mut Draws) -> Option<Branch> {
    let mut genes: Vec<Gene> = Vec::new();
    let mut open = vec![depth];
    while let Some(left) = open.pop() {
        if genes.len() == MAX_NODES {
            return None;
        }
        if left == 0 || (stop > 0.0 && draws.unit() < stop) {
            genes.push(primitives.primitive_set.leaf(primitives.functions, draws));
        } else {
            let gene = primitives.primitive_set.inner(draws);
            open.extend(std::iter::repeat_n(left - 1, usize::from(gene.children())));
            genes.push(gene);
        }
    }
    Some(Branch::from_preorder(genes))
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::random::Stream;
    use xpuck_kernels::tree::Tree;

    #[test]
    fn full_trees_are_full_and_ramps_rise() {
        let primitive_set = PrimitiveSet::in_swarm();
        let primitives = Primitives { primitive_set: &primitive_set, functions: 0 };
        let tree = |branch: Branch| primitive_set.express(&[branch]);
        for i in 0..50 {
            let mut draws = Draws::new(1, 0, i, 0, Stream::Evolution);
            let made = tree(full(primitives, 3, &mut draws));
            assert_eq!(made.depth(), 3);
            assert!(tree(grow(primitives, 4, &mut draws)).depth() <= 4);
            assert!(primitive_set.allows(&made));
            assert_eq!(Tree::parse(&made.to_string()).unwrap(), made, "the text form holds evolved trees exactly");
        }
        let mut draws = Draws::new(1, 0, 0, 1, Stream::Evolution);
        for (index, depth) in [(0, 0), (254, 5)] {
            let (method, level) = ramped(index, 256, 6);
            assert_eq!(tree(method(primitives, level, &mut draws)).depth(), depth);
        }
    }
}

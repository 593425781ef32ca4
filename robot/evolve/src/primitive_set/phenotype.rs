//! Tree of a genotype (its phenotype), and its size on a robot.

use super::PrimitiveSet;
use crate::genotype::{Branch, Gene};
use xpuck_kernels::tree::{Footprint, MAX_DEPTH, Node, Tree};

impl PrimitiveSet {
    /// Builds the tree of the branches, in which each call is replaced by the tree of the called function or subtree.
    pub(crate) fn express(&self, branches: &[Branch]) -> Tree {
        let mut nodes = Vec::with_capacity(branches[0].genes().len());
        append(&branches[0], &branches[1..], self, &mut nodes);
        Tree::from_preorder(nodes)
    }

    /// Returns whether the tree of these branches fits a robot, without building the tree. Calls of functions that are
    /// not among the branches count as empty.
    pub(crate) fn fits(&self, branches: &[Branch]) -> bool {
        let functions: Vec<Extent> = branches[1..].iter().map(|b| extent(b, &[], self)).collect();
        let whole = extent(&branches[0], &functions, self);
        whole.depth <= MAX_DEPTH && whole.footprint.check().is_ok()
    }
}

fn append(branch: &Branch, functions: &[Branch], primitive_set: &PrimitiveSet, nodes: &mut Vec<Node>) {
    for gene in branch.genes() {
        match *gene {
            Gene::Node(node) => nodes.push(node),
            Gene::Subtree(i) => nodes.extend_from_slice(primitive_set.subtree(i).nodes()),
            // Functions cannot call functions, so the list of functions is empty for the called branch.
            Gene::Function(i) => append(&functions[usize::from(i)], &[], primitive_set, nodes),
        }
    }
}

/// Memory of a tree on a robot, and depth of the tree (edges).
#[derive(Clone, Copy, Default)]
struct Extent {
    footprint: Footprint,
    depth: usize,
}

fn extent(branch: &Branch, functions: &[Extent], primitive_set: &PrimitiveSet) -> Extent {
    let mut whole = Extent::default();
    // For each level above the current node, the number of children still to be visited.
    let mut open = [0u16; MAX_DEPTH + 1];
    let mut level = 0;
    for gene in branch.genes() {
        let leaf = match *gene {
            Gene::Node(node) => Extent { footprint: Footprint::of_node(&node), depth: 0 },
            Gene::Subtree(i) => {
                let tree = primitive_set.subtree(i);
                Extent { footprint: Footprint::of_tree(tree), depth: tree.depth() }
            }
            Gene::Function(i) => functions.get(usize::from(i)).copied().unwrap_or_default(),
        };
        whole.footprint += leaf.footprint;
        whole.depth = whole.depth.max(level + leaf.depth);
        if gene.children() > 0 {
            if level == MAX_DEPTH {
                return Extent { depth: MAX_DEPTH + 1, ..whole };
            }
            open[level] = gene.children();
            level += 1;
            continue;
        }
        while level > 0 {
            open[level - 1] -= 1;
            if open[level - 1] > 0 {
                break;
            }
            level -= 1;
        }
    }
    whole
}

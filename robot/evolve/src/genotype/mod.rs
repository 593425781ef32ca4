//! Genotypes: what crossover and mutation work on. Which tree one stands for, [`crate::space::Space`] says.
//!
//! A subtree of the palette is kept whole, as one leaf: evolution uses it "as if it were a leaf node" (thesis 7.4.2),
//! so nothing cuts into it. Functions are its evolving counterpart (automatically defined functions, Koza 1994).

mod bits;
mod branch;

pub use bits::Bits;
pub use branch::{Branch, Gene};

use crate::palette::Palette;
use serde::{Deserialize, Serialize};
use xpuck_kernels::tree::{Footprint, MAX_DEPTH, Node, Tree};

/// What variation works on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Genotype {
    /// The main tree, then the functions that it may call; one branch alone is a plain tree.
    Branches(Vec<Branch>),
    /// A string from which a grammar generates the tree.
    Bits(Bits),
}

/// The tree of branches: calls replaced by what they stand for.
pub(crate) fn express(branches: &[Branch], palette: &Palette) -> Tree {
    let mut nodes = Vec::with_capacity(branches[0].genes().len());
    append(&branches[0], &branches[1..], palette, &mut nodes);
    Tree::from_preorder(nodes)
}

fn append(branch: &Branch, functions: &[Branch], palette: &Palette, nodes: &mut Vec<Node>) {
    for gene in branch.genes() {
        match *gene {
            Gene::Node(node) => nodes.push(node),
            Gene::Subtree(i) => nodes.extend_from_slice(palette.subtree(i).nodes()),
            // Functions call no functions.
            Gene::Function(i) => append(&functions[usize::from(i)], &[], palette, nodes),
        }
    }
}

/// True if the tree of these branches fits a robot; found without making it. A call of a function that is not among them
/// counts nothing.
pub(crate) fn fits(branches: &[Branch], palette: &Palette) -> bool {
    let functions: Vec<Extent> = branches[1..].iter().map(|b| extent(b, &[], palette)).collect();
    let whole = extent(&branches[0], &functions, palette);
    whole.depth <= MAX_DEPTH && whole.footprint.check().is_ok()
}

/// What a tree takes of a robot's memory, and its depth in edges.
#[derive(Clone, Copy, Default)]
struct Extent {
    footprint: Footprint,
    depth: usize,
}

fn extent(branch: &Branch, functions: &[Extent], palette: &Palette) -> Extent {
    let mut whole = Extent::default();
    // Children still to come at each level above.
    let mut open = [0u16; MAX_DEPTH + 1];
    let mut level = 0;
    for gene in branch.genes() {
        let leaf = match *gene {
            Gene::Node(node) => Extent { footprint: Footprint::of(&node), depth: 0 },
            Gene::Subtree(i) => {
                let tree = palette.subtree(i);
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

//! Memory that a tree needs on a robot, computed without compiling the tree.

use super::expand::{LegacyBlueSides, expand};
use super::nodes::{Group, Kind};
use super::parse::MAX_NODES;
use super::{Node, Tree};
use std::ops::AddAssign;
use std::sync::LazyLock;

/// Memory of a robot for one tree in the binary form (bytes, thesis 5.3.3).
pub const BYTES_BUDGET: usize = 16384;

/// Error for a tree that cannot be compiled for a robot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CompileError {
    /// Too many nodes. The value is the number of nodes after expansion of subtrees.
    #[error("the tree has {0} nodes with its subtrees expanded; at most {MAX_NODES} are allowed")]
    Nodes(usize),
    /// Too large. The value is the size of the tree in the binary form (bytes).
    #[error("the tree needs {0} bytes; a robot has room for {BYTES_BUDGET}")]
    Bytes(usize),
    /// A Kilobot node in an e-puck's tree. The value is the name of the node.
    #[error("`{0}` is a node of the Kilobot; an e-puck does not have it")]
    Foreign(&'static str),
    /// A neuron or synapse outside a network.
    #[error("a neuron or synapse is outside a network")]
    Network,
    /// A tree with a network, which has no memoryless form.
    #[error("a tree with a network has no memoryless form or state machine: networks keep state")]
    HasMemory,
}

/// Size of a tree or of a node, after expansion of subtrees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    /// Number of nodes.
    pub nodes: usize,
    /// Size in the binary form (bytes).
    pub bytes: usize,
}

/// Footprint of a leaf of each kind, in the order of the node table.
static LEAVES: LazyLock<Vec<Footprint>> = LazyLock::new(|| {
    let mut nodes = Vec::new();
    let measure = |kind| {
        nodes.clear();
        expand(&Node::new(kind, 0, &[]), LegacyBlueSides::No, &mut nodes);
        Footprint { nodes: nodes.len(), bytes: nodes.iter().map(|n| n.kind.bytes(n.children as usize)).sum() }
    };
    Kind::all().map(measure).collect()
});

impl Footprint {
    /// Returns the footprint of a node without its children.
    pub fn of_node(node: &Node) -> Footprint {
        match node.kind.spec().group {
            Group::Composite | Group::Decorator | Group::Network | Group::Part => {
                Footprint { nodes: 1, bytes: node.kind.bytes(node.children as usize) }
            }
            _ => LEAVES[node.kind as usize],
        }
    }

    /// Returns the footprint of a whole tree.
    pub fn of_tree(tree: &Tree) -> Footprint {
        let mut sum = Footprint::default();
        tree.nodes().iter().for_each(|node| sum += Footprint::of_node(node));
        sum
    }

    /// Checks that a robot has enough memory for a tree with this footprint.
    ///
    /// # Errors
    /// Returns the number of nodes or the number of bytes if it exceeds its limit.
    pub fn check(self) -> Result<(), CompileError> {
        if self.nodes > MAX_NODES {
            return Err(CompileError::Nodes(self.nodes));
        }
        if self.bytes > BYTES_BUDGET {
            return Err(CompileError::Bytes(self.bytes));
        }
        Ok(())
    }
}

impl AddAssign for Footprint {
    fn add_assign(&mut self, other: Footprint) {
        self.nodes += other.nodes;
        self.bytes += other.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::super::Program;
    use super::*;

    #[test]
    fn footprint_matches_compiled_program() {
        for kind in Kind::outside_networks() {
            let leaf = Tree::leaf(Kind::Successl, &[]);
            let tree = match kind.spec().group {
                Group::Composite => Tree::inner(kind, &[1.0], &vec![leaf; 3]),
                Group::Decorator => Tree::inner(kind, &[1.0], &[leaf]),
                _ => Tree::leaf(kind, &[]),
            };
            let program = Program::compile(&tree).unwrap();
            let footprint = Footprint::of_tree(&tree);
            assert_eq!(program.len(), footprint.nodes, "{kind:?}");
            let free = 1.0 - (footprint.bytes as f32 / BYTES_BUDGET as f32).max(footprint.nodes as f32 / 2048.0);
            assert_eq!(program.parsimony(), free, "{kind:?}");
        }
    }
}

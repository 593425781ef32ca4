//! Behaviour trees: the node table, the text form, the compiled program and its tick.
//!
//! A [`Tree`] is the editable form for users and evolution: nodes in preorder with plain operands. A [`Program`] is
//! the executable form for robots. Its subtrees are expanded and its operands are decoded, and its layout allows a
//! tick without recursion or allocation.

mod driver;
mod entries;
pub mod exchange;
mod expand;
mod footprint;
pub mod lanes;
mod listing;
pub(crate) mod network;
mod nodes;
mod operand;
mod parse;
mod print;
mod program;
mod reference;
pub mod registers;
mod status;
mod table;
mod tick;

pub use entries::{ENTRIES, ENTRY_COUNT, Entry};
pub use expand::LegacyBlueSides;
pub(crate) use expand::{expand, expanded};
pub use footprint::{BYTES_BUDGET, CompileError, Footprint};
pub use listing::{InstructionLine, NeuronLine, ProgramListing};
pub use network::{MAX_NEURONS, neuron_of_source, source_of_neuron};
pub(crate) use nodes::PROX_GAIN;
pub use nodes::{Group, Kind, NodeSpec, Operand, OperandSpec, Results};
pub(crate) use operand::shorten;
pub use operand::suggest;
pub use parse::{MAX_DEPTH, MAX_NODES, MAX_TEXT, ParseError, hints};
pub use program::Program;
pub(crate) use program::{Instruction, decode};
pub use reference::{operand_domain, reference_page};
pub use registers::{Access, GOAL, GROUND, REGISTERS, Register, RegisterMap, register_of, scalar_name};
pub use status::Status;
pub use tick::{Blackboard, Memory, Senses};
pub(crate) use tick::{PAR_RUNNING, RUNNING_FLAG, SHORT, decorate, holds, leaf};

use serde::{Deserialize, Serialize};

/// One node: its kind, its number of children, and its operands as numbers.
///
/// Register operands are indices of the full register map (thesis Table 6.3). Angles and widths are numbers of steps
/// of pi/128. Other operands are plain numbers. [`Kind::spec`] gives the type of each operand. Unused operands are 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// Kind of the node.
    pub kind: Kind,
    /// Number of children: 0 for leaves, 1 for decorators.
    pub children: u16,
    /// Operands in the order of the node table.
    pub operands: [f32; 4],
}

/// A behaviour tree, stored as its nodes in preorder. It always contains at least one node and all children of every
/// node.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(into = "Vec<u8>", try_from = "Vec<u8>")]
pub struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    /// Creates a tree from nodes in preorder.
    ///
    /// # Panics
    /// If the child counts do not describe exactly one tree, which is a programming error.
    pub fn from_preorder(nodes: Vec<Node>) -> Tree {
        assert!(!nodes.is_empty(), "a tree has at least one node");
        let tree = Tree { nodes };
        assert_eq!(tree.end(0), tree.nodes.len(), "child counts must describe one whole tree");
        tree
    }

    /// Returns a tree of one leaf.
    pub fn leaf(kind: Kind, operands: &[f32]) -> Tree {
        Tree::from_preorder(vec![Node::new(kind, 0, operands)])
    }

    /// Returns a tree with the given root and subtrees.
    pub fn inner(kind: Kind, operands: &[f32], children: &[Tree]) -> Tree {
        let mut nodes = vec![Node::new(kind, children.len() as u16, operands)];
        for child in children {
            nodes.extend_from_slice(&child.nodes);
        }
        Tree::from_preorder(nodes)
    }

    /// Returns `sel2(avoiding, self)`. Every evolved tree runs in this form, so that the robot avoids collisions
    /// (thesis 7.2.3).
    pub fn under_avoiding(&self) -> Tree {
        Tree::inner(Kind::Sel, &[], &[Tree::leaf(Kind::Avoiding, &[]), self.clone()])
    }

    /// Returns the nodes in preorder.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the index after the last node of the subtree that starts at `at`.
    pub fn end(&self, at: usize) -> usize {
        let mut open = 1usize;
        let mut i = at;
        while open > 0 {
            open = open - 1 + self.nodes[i].children as usize;
            i += 1;
        }
        i
    }

    /// Returns the subtree that starts at `at`.
    pub fn subtree(&self, at: usize) -> Tree {
        Tree { nodes: self.nodes[at..self.end(at)].to_vec() }
    }

    /// Returns the tree with the subtree at `at` replaced by `with`.
    pub fn replace(&self, at: usize, with: &Tree) -> Tree {
        let mut nodes = Vec::with_capacity(self.nodes.len() + with.nodes.len());
        nodes.extend_from_slice(&self.nodes[..at]);
        nodes.extend_from_slice(&with.nodes);
        nodes.extend_from_slice(&self.nodes[self.end(at)..]);
        Tree { nodes }
    }

    /// Returns the tree with node `at` replaced by a node of the same arity.
    pub fn with_node(&self, at: usize, node: Node) -> Tree {
        assert_eq!(node.children, self.nodes[at].children, "only a node of the same arity fits");
        let mut nodes = self.nodes.clone();
        nodes[at] = node;
        Tree { nodes }
    }

    /// Returns the number of edges from the root to the deepest node.
    pub fn depth(&self) -> usize {
        let mut open: Vec<u16> = Vec::new();
        let mut deepest = 0;
        for node in &self.nodes {
            deepest = deepest.max(open.len());
            if node.children > 0 {
                open.push(node.children);
            } else {
                while let Some(last) = open.last_mut() {
                    *last -= 1;
                    if *last > 0 {
                        break;
                    }
                    open.pop();
                }
            }
        }
        deepest
    }

    /// Returns a key for bitwise comparison. Unlike `==`, the key distinguishes 0 from -0, so trees with equal keys
    /// behave identically.
    pub fn key(&self) -> Vec<u8> {
        let mut key = Vec::with_capacity(self.nodes.len() * 12);
        for node in &self.nodes {
            key.push(node.kind as u8);
            key.extend_from_slice(&node.children.to_le_bytes());
            for (value, _) in node.operands.iter().zip(node.kind.spec().operands) {
                key.extend_from_slice(&value.to_bits().to_le_bytes());
            }
        }
        key
    }
}

impl Node {
    /// Creates a node; missing operands are 0.
    pub fn new(kind: Kind, children: u16, operands: &[f32]) -> Node {
        let mut all = [0.0; 4];
        all[..operands.len()].copy_from_slice(operands);
        Node { kind, children, operands: all }
    }
}

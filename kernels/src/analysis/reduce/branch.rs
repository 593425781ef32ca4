//! Recursive form of a tree for analysis and rewriting.

use crate::tree::network;
use crate::tree::registers::{GOAL, SCRATCH};
use crate::tree::{Group, Instruction, Kind, LegacyBlueSides, Node, Tree, decode, expand};

/// A node with its children. A subtree leaf has its expansion as its only child, which is analysed but not printed.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct Branch {
    pub node: Node,
    pub code: Instruction,
    /// Index of the node in preorder, including the nodes of expansions.
    pub id: usize,
    pub kids: Vec<Branch>,
    /// Nodes of a network, starting with the network node; empty for all other nodes. Neurons are not branches,
    /// because a network is ticked as a leaf.
    pub parts: Vec<Node>,
    /// Whether the subtree may return `running`, derived only from the kinds and operands of its nodes.
    pub may_run: bool,
    /// Bit mask of the registers that any node of the subtree changes: scratch cells, [`DRAW`] and [`DRIVE`]. A
    /// `signal` leaf sets the bit [`DRIVE`].
    pub touches: u8,
}

/// Bit of the pseudo-register that represents the sequence of random draws.
pub(super) const DRAW: u8 = 0x80;
/// Bit of the pseudo-register that represents v_goal.
pub(super) const DRIVE: u8 = 0x40;

/// Returns the bit mask of the scratch cells of a register operand. Bit 0 is s_scr; bits 1 and 2 are v_scr.
pub(super) fn scratch_bits(cell: u8, vector: bool) -> u8 {
    let scratch = SCRATCH - 1..SCRATCH + 2;
    let bit = |cell: u8| if scratch.contains(&usize::from(cell)) { 1 << (usize::from(cell) + 1 - SCRATCH) } else { 0 };
    if vector { bit(cell & !1) | bit(cell | 1) } else { bit(cell) }
}

impl Branch {
    /// Returns the recursive form of a tree and the number of its nodes.
    pub fn from_tree(tree: &Tree) -> (Branch, usize) {
        let (mut at, mut id) = (0, 0);
        let root = build(tree.nodes(), &mut at, &mut id);
        (root, id)
    }

    /// Creates a leaf without operands.
    pub fn constant(kind: Kind) -> Branch {
        Branch::over(Node::new(kind, 0, &[]), Vec::new())
    }

    /// Creates a node with children. Until the tree is rebuilt, ids are invalid, and the other analysis fields have
    /// the most general values.
    pub fn over(node: Node, kids: Vec<Branch>) -> Branch {
        Branch { code: decode(&node), node, id: 0, kids, parts: Vec::new(), may_run: true, touches: u8::MAX }
    }

    /// Returns a copy of this node with the given children instead of its own.
    pub fn with(&self, kids: Vec<Branch>) -> Branch {
        Branch::over(self.node, kids)
    }

    pub fn kind(&self) -> Kind {
        self.node.kind
    }

    /// Returns true for a leaf that expands to a small tree.
    pub fn is_subtree_leaf(&self) -> bool {
        self.kind().spec().group == Group::Subtree
    }

    pub fn tree(&self) -> Tree {
        let mut nodes = Vec::new();
        self.write(&mut nodes);
        Tree::from_preorder(nodes)
    }

    fn write(&self, nodes: &mut Vec<Node>) {
        if self.is_subtree_leaf() {
            nodes.push(self.node);
            return;
        }
        if !self.parts.is_empty() {
            nodes.extend_from_slice(&self.parts);
            return;
        }
        nodes.push(Node { children: self.kids.len() as u16, ..self.node });
        for kid in &self.kids {
            kid.write(nodes);
        }
    }
}

fn build(nodes: &[Node], at: &mut usize, id: &mut usize) -> Branch {
    let node = nodes[*at];
    let (my_at, my_id) = (*at, *id);
    *at += 1;
    *id += 1;
    let mut parts = Vec::new();
    if node.kind == Kind::Network {
        let end = my_at + network::parts(&nodes[my_at..]);
        parts.extend_from_slice(&nodes[my_at..end]);
        *at = end;
    }
    let children = if parts.is_empty() { node.children } else { 0 };
    let mut kids: Vec<Branch> = (0..children).map(|_| build(nodes, at, id)).collect();
    if node.kind.spec().group == Group::Subtree {
        let mut body = Vec::new();
        expand(&node, LegacyBlueSides::No, &mut body);
        kids = vec![build(&body, &mut 0, id)];
    }
    let code = decode(&node);
    let goal = usize::from(code.d & !1) == GOAL;
    let own = match node.kind {
        Kind::Movcs | Kind::Movcv | Kind::Mulas | Kind::Mulav | Kind::Rotav if goal => DRIVE,
        Kind::Movcs | Kind::Mulas => scratch_bits(code.d, false),
        Kind::Movcv | Kind::Mulav | Kind::Rotav => scratch_bits(code.d, true),
        Kind::Upfield | Kind::Attract | Kind::Network => DRIVE,
        Kind::Ifprob | Kind::Repeatr => DRAW,
        _ => 0,
    };
    let seen = if node.kind == Kind::Signal { DRIVE } else { own };
    let touches = kids.iter().fold(seen, |bits, kid| bits | kid.touches);
    let counts = matches!(node.kind, Kind::Repeati | Kind::Repeatr) && code.a > 1.0;
    let may_run = counts || own == DRIVE || kids.iter().any(|kid| kid.may_run);
    Branch { node, code, id: my_id, kids, parts, may_run, touches }
}

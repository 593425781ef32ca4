//! The recursive form of a tree that analysis and rewriting work on.

use crate::tree::network;
use crate::tree::registers::{GOAL, SCRATCH};
use crate::tree::{AsPublished, Group, Instruction, Kind, Node, Tree, decode, expand};

/// A node with its children. The children of a subtree leaf are its expansion: seen by the analysis, never printed.
#[derive(Clone, Debug)]
pub(in crate::analysis) struct Branch {
    pub node: Node,
    pub code: Instruction,
    /// Place in preorder, expansions counted.
    pub id: usize,
    pub kids: Vec<Branch>,
    /// The nodes of a network, itself first; its neurons are no branches, since a network is ticked as one leaf.
    pub parts: Vec<Node>,
    /// Whether the form of the subtree allows `running` at all.
    pub may_run: bool,
    /// What the subtree could touch if all of it were ticked: scratch cells as bits, [`DRAW`] and [`DRIVE`].
    pub touches: u8,
}

/// Pseudo-register: the numbers of random draws.
pub(super) const DRAW: u8 = 0x80;
/// Pseudo-register: v_goal.
pub(super) const DRIVE: u8 = 0x40;

/// The bits of scratch cells in a register operand, from s_scr on.
pub(super) fn scratch_bits(cell: u8, vector: bool) -> u8 {
    let scratch = SCRATCH - 1..SCRATCH + 2;
    let bit = |cell: u8| if scratch.contains(&usize::from(cell)) { 1 << (usize::from(cell) + 1 - SCRATCH) } else { 0 };
    if vector { bit(cell & !1) | bit(cell | 1) } else { bit(cell) }
}

impl Branch {
    /// The recursive form of a tree and the number of its nodes.
    pub fn of(tree: &Tree) -> (Branch, usize) {
        let (mut at, mut id) = (0, 0);
        let root = build(tree.nodes(), &mut at, &mut id);
        (root, id)
    }

    /// A leaf without operands.
    pub fn constant(kind: Kind) -> Branch {
        Branch::over(Node::new(kind, 0, &[]), Vec::new())
    }

    /// A node over children; ids are of no use until the tree is built anew.
    pub fn over(node: Node, kids: Vec<Branch>) -> Branch {
        Branch { code: decode(&node), node, id: 0, kids, parts: Vec::new(), may_run: true, touches: u8::MAX }
    }

    /// The same node over other children.
    pub fn with(&self, kids: Vec<Branch>) -> Branch {
        Branch::over(self.node, kids)
    }

    pub fn kind(&self) -> Kind {
        self.node.kind
    }

    /// True for leaves that stand for a small tree.
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
        expand(&node, AsPublished::No, &mut body);
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

//! Compilation of a tree to a program. The compiler expands subtrees, decodes operands and links nodes by index.

use super::expand::{LegacyBlueSides, expanded};
use super::footprint::{BYTES_BUDGET, CompileError, Footprint};
use super::network::{self, Network};
use super::nodes::{Group, Kind};
use super::parse::MAX_NODES;
use super::registers::{self, ACCESS, Access, CELLS};
use super::{Node, Tree};
use crate::math::Vec2;
use std::f32::consts::PI;

/// Size of one step of an angle operand (rad).
const STEP: f32 = PI / 128.0;

/// One node of a program with decoded operands. `end` and `parent` are indices into the program.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Instruction {
    pub kind: Kind,
    /// Cells of the register operands: destination (`d`), first source (`s1`) and second source (`s2`).
    pub d: u8,
    pub s1: u8,
    pub s2: u8,
    /// Numeric operands. Depending on the kind, they are a factor, a unit vector, steepness and offset, centre and half
    /// width of a sector (rad), or a count.
    pub a: f32,
    pub b: f32,
    pub parent: u16,
    /// Index of the first node after the node's subtree, which is the next sibling if there is one.
    pub end: u16,
    /// Index of the node's memory, if the node's kind has memory. For a network, this is the index of the network in
    /// the program.
    pub memory: u16,
}

/// A compiled tree that any number of robots can tick.
#[derive(Clone, Debug, PartialEq)]
pub struct Program {
    pub(super) code: Vec<Instruction>,
    /// Index of the tree node for each instruction. In the subtree of an expanded leaf, only the first instruction has
    /// an index; the others have `None`.
    pub(super) node_indices: Vec<Option<u16>>,
    pub(super) memories: usize,
    pub(super) networks: Vec<Network>,
    /// Number of nodes after expansion of subtrees, including neurons and synapses.
    nodes: usize,
    /// Number of nodes on the longest path from the root to a leaf.
    depth: usize,
    bytes: usize,
}

impl Program {
    /// Compiles a tree.
    pub fn compile(tree: &Tree) -> Result<Program, CompileError> {
        Program::compile_with(tree, LegacyBlueSides::No)
    }

    /// Compiles a tree. `as_published` selects whether the nodes `bleft` and `bright` always fail, as in the runs of
    /// the thesis.
    pub fn compile_with(tree: &Tree, as_published: LegacyBlueSides) -> Result<Program, CompileError> {
        if let Some(node) = tree.nodes().iter().find(|node| node.kind.is_kilobots_own()) {
            return Err(CompileError::Foreign(node.kind.spec().name));
        }
        let (mut all, mut sources) = expanded(tree, as_published);
        let bytes = all.iter().map(|n| n.kind.bytes(n.children as usize)).sum();
        let nodes = all.len();
        Footprint { nodes, bytes }.check()?;
        let networks = if tree.has_parts() { extract_networks(&mut all, &mut sources)? } else { Vec::new() };
        let Linked { code, memories, depth } = link(&all);
        Ok(Program { code, node_indices: sources, memories, networks, nodes, depth, bytes })
    }

    /// Returns the number of nodes after expansion of subtrees.
    pub fn len(&self) -> usize {
        self.nodes
    }

    /// Returns false, because a program has at least one node.
    pub fn is_empty(&self) -> bool {
        self.code.is_empty()
    }

    /// Returns the number of nodes with memory.
    pub(crate) fn memories(&self) -> usize {
        self.memories
    }

    /// Returns the number of neurons in all networks.
    pub(crate) fn neurons(&self) -> usize {
        self.networks.iter().map(|network| network.neurons.len()).sum()
    }

    /// Returns the networks in the order of their instructions.
    pub(crate) fn networks(&self) -> &[Network] {
        &self.networks
    }

    /// Returns the number of nodes on the longest path from the root to a leaf.
    pub(super) fn depth(&self) -> usize {
        self.depth
    }

    /// Returns a bit mask of the scratch registers that the program can write. Bit i is cell i of the full register
    /// map.
    pub(crate) fn scratch_writes(&self) -> u32 {
        let cells = |i: &Instruction| match i.kind {
            Kind::Movcs | Kind::Mulas => 1u32 << i.d,
            Kind::Movcv | Kind::Mulav | Kind::Rotav => 0b11u32 << (i.d & !1),
            _ => 0,
        };
        let written = self.code.iter().map(cells).fold(0, |all, cells| all | cells);
        let kept = |cell: &usize| ACCESS[*cell] == Access::Scratch;
        written & (0..CELLS).filter(kept).fold(0, |all, cell| all | 1 << cell)
    }

    /// Returns a bit mask of the registers that the program can read. Bit i is cell i of the full register map.
    pub fn register_reads(&self) -> u32 {
        let vector = |cell: u8| 0b11u32 << (cell & !1);
        let scalar = |cell: u8| 1u32 << cell;
        let goal_terms = |towards: usize| vector(towards as u8) | vector(registers::PROX as u8);
        let cells = |i: &Instruction| match i.kind {
            Kind::Mulas => scalar(i.s1) | scalar(i.s2),
            Kind::Mulav | Kind::Rotav => vector(i.s1) | vector(i.s2),
            Kind::Ifprob => scalar(i.s1),
            Kind::Ifquad | Kind::Ifsect => vector(i.s1),
            Kind::Upfield => goal_terms(registers::UP),
            Kind::Attract => goal_terms(registers::ATTR) | scalar(registers::NEIGHBOURS as u8),
            _ => 0,
        };
        let sensed = self.networks.iter().map(Network::reads);
        self.code.iter().map(cells).chain(sensed).fold(0, |all, cells| all | cells)
    }

    /// Returns each instruction as five 32-bit words, for interpreters in other languages. The words contain kind and
    /// registers, the two numeric operands, `parent` and `end`, and `memory`.
    pub(crate) fn words(&self) -> impl Iterator<Item = [u32; 5]> + '_ {
        self.code.iter().map(|i| {
            let head = u32::from(i.kind as u8) | u32::from(i.d) << 8 | u32::from(i.s1) << 16 | u32::from(i.s2) << 24;
            [head, i.a.to_bits(), i.b.to_bits(), u32::from(i.parent) | u32::from(i.end) << 16, u32::from(i.memory)]
        })
    }

    /// Returns the unused fraction of the allowed bytes or of the allowed nodes, whichever is smaller, in [0, 1) (Eq.
    /// 7.6; docs/decisions.md, section 6).
    pub fn parsimony(&self) -> f32 {
        let bytes = self.bytes as f32 / BYTES_BUDGET as f32;
        let nodes = self.nodes as f32 / MAX_NODES as f32;
        1.0 - bytes.max(nodes)
    }
}

/// Extracts the networks and removes neurons and synapses from the nodes. The network nodes remain as leaves.
fn extract_networks(all: &mut Vec<Node>, sources: &mut Vec<Option<u16>>) -> Result<Vec<Network>, CompileError> {
    if network::find_violation(all).is_some() {
        return Err(CompileError::Network);
    }
    let networks = network::networks(all);
    let mut stays = all.iter().map(|node| node.kind.spec().group != Group::Part);
    sources.retain(|_| stays.next() == Some(true));
    all.retain(|node| node.kind.spec().group != Group::Part);
    all.iter_mut().filter(|node| node.kind == Kind::Network).for_each(|node| node.children = 0);
    Ok(networks)
}

/// Linked instructions. `memories` is the number of nodes with memory, and `depth` is the number of levels of the tree.
struct Linked {
    code: Vec<Instruction>,
    memories: usize,
    depth: usize,
}

/// Converts nodes to instructions, and sets the fields `parent`, `end` and `memory` of each instruction.
fn link(nodes: &[Node]) -> Linked {
    let mut code: Vec<Instruction> = Vec::with_capacity(nodes.len());
    let mut open: Vec<(usize, u16)> = Vec::new();
    let (mut memories, mut networks, mut depth) = (0, 0, 0);
    for (i, node) in nodes.iter().enumerate() {
        let mut instruction = decode(node);
        instruction.parent = open.last().map_or(0, |o| o.0) as u16;
        instruction.end = (i + 1) as u16;
        if node.kind.has_memory() {
            instruction.memory = memories as u16;
            memories += 1;
        }
        if node.kind == Kind::Network {
            instruction.memory = networks;
            networks += 1;
        }
        code.push(instruction);
        depth = depth.max(open.len() + 1);
        if node.children > 0 {
            open.push((i, node.children));
            continue;
        }
        while let Some(last) = open.last_mut() {
            last.1 -= 1;
            if last.1 > 0 {
                break;
            }
            code[last.0].end = (i + 1) as u16;
            open.pop();
        }
    }
    Linked { code, memories, depth }
}

/// Decodes the operands of a node. [`link`] sets the fields `parent`, `end` and `memory`.
pub(crate) fn decode(node: &Node) -> Instruction {
    let [o0, o1, o2, o3] = node.operands;
    let mut i = Instruction { kind: node.kind, d: 0, s1: 0, s2: 0, a: 0.0, b: 0.0, parent: 0, end: 0, memory: 0 };
    match node.kind {
        Kind::Movcs => (i.d, i.a) = (o0 as u8, o1),
        Kind::Movcv => {
            let direction = Vec2::unit(o1 * STEP);
            (i.d, i.a, i.b) = (o0 as u8, direction.x, direction.y);
        }
        Kind::Mulas | Kind::Mulav => (i.d, i.s1, i.a, i.s2) = (o0 as u8, o1 as u8, o2, o3 as u8),
        Kind::Rotav => {
            let turn = Vec2::unit(o2 * STEP);
            (i.d, i.s1, i.a, i.b, i.s2) = (o0 as u8, o1 as u8, turn.x, turn.y, o3 as u8);
        }
        Kind::Ifprob => (i.s1, i.a, i.b) = (o0 as u8, o1, o2),
        Kind::Ifquad => (i.s1, i.a) = (o0 as u8, o1),
        Kind::Ifsect => (i.s1, i.a, i.b) = (o0 as u8, o1 * STEP, o2 * STEP * 0.5),
        Kind::Repeati | Kind::Repeatr | Kind::Par | Kind::Upfield | Kind::Attract | Kind::Signal => i.a = o0,
        _ => {}
    }
    i
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_parents_and_siblings() {
        let tree = Tree::parse("seq\n  sel\n    successl\n    failurel\n  invert\n    successl\n").unwrap();
        let program = Program::compile(&tree).unwrap();
        let links: Vec<(u16, u16)> = program.code.iter().map(|i| (i.parent, i.end)).collect();
        assert_eq!(links, [(0, 6), (0, 4), (1, 3), (1, 4), (0, 6), (4, 6)]);
    }

    #[test]
    fn budgets_are_enforced_on_the_expanded_tree() {
        let wide = |leaf: &str, n: usize| Tree::parse(&format!("seq\n{}", format!("  {leaf}\n").repeat(n))).unwrap();
        assert_eq!(Program::compile(&wide("avoiding", 500)), Err(CompileError::Nodes(2501)));
        assert!(matches!(Program::compile(&wide("mulas s_scr s_n 1 s_n", 1300)), Err(CompileError::Bytes(_))));
        let half = Program::compile(&wide("mulas s_scr s_n 1 s_n", 600)).unwrap();
        assert!(half.parsimony() < 0.5 && half.parsimony() > 0.4, "{}", half.parsimony());
    }
}

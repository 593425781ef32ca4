//! Primitives from which evolution builds trees: nodes, registers, ranges and subtrees (thesis 7.4.2).

mod grammar;
mod phenotype;
mod read;
#[cfg(test)]
mod tests;

pub use read::{PrimitiveSetError, PrimitiveSetFile};

use crate::genotype::{Bits, Branch, Gene};
use crate::grammar::Grammar;
use crate::operands::Operands;
use serde::{Deserialize, Serialize};
use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::{Access, Kind, Node, Tree, neuron_of_source, register_of};

const IN_SWARM: &str = include_str!("in-swarm.toml");
const TRANSFERABILITY: &str = include_str!("transferability.toml");
const KILOBOT: &str = include_str!("kilobot.toml");

/// Allowed node kind with its number of children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Choice {
    kind: Kind,
    children: u16,
}

/// Primitives from which evolution builds trees: allowed nodes, registers and ranges, subtrees that count as leaves,
/// and the grammar.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PrimitiveSet {
    inner: Vec<Choice>,
    leaves: Vec<Choice>,
    subtrees: Vec<Subtree>,
    operands: Operands,
    grammar: Grammar,
}

/// Tree that evolution uses as a leaf.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Subtree {
    name: String,
    tree: Tree,
}

/// Returns whether the robot writes sensor values to the cell. The result is false for the constant `v_zero`.
fn senses(cell: u8) -> bool {
    let register = register_of(cell);
    register.access == Access::ReadOnly && register.full > 0
}

impl PrimitiveSet {
    /// Returns the nodes and registers of the in-swarm experiments (Table 8.2).
    pub fn in_swarm() -> PrimitiveSet {
        PrimitiveSet::parse("in-swarm.toml", IN_SWARM).expect("the built-in primitive sets are sound")
    }

    /// Returns [`PrimitiveSet::in_swarm`] without the nodes and registers that read the cells of the bit mask `absent`.
    pub fn in_swarm_without(absent: u32) -> PrimitiveSet {
        PrimitiveSet::parse_without("in-swarm.toml", IN_SWARM, absent).expect("the set has other nodes and registers")
    }

    /// Returns the nodes and registers of the transferability experiments (Table 7.4).
    pub fn transferability() -> PrimitiveSet {
        PrimitiveSet::parse("transferability.toml", TRANSFERABILITY).expect("the built-in primitive sets are sound")
    }

    /// Returns the nodes and blackboard of the foraging Kilobots (Tables 4.1 and 4.2).
    pub fn kilobot() -> PrimitiveSet {
        PrimitiveSet::parse_kilobots("kilobot.toml", KILOBOT).expect("the built-in primitive sets are sound")
    }

    /// Generates the branch of a bit string; see [`Grammar::generate`].
    pub(crate) fn generate(&self, bits: &Bits, depth: usize) -> Option<Branch> {
        self.grammar.generate(bits, depth, &self.operands)
    }

    /// Finds a bit string that generates this branch; see [`Grammar::recover`].
    pub(crate) fn recover(&self, branch: &Branch, depth: usize, length: usize) -> Option<Bits> {
        self.grammar.recover(branch, depth, length, &self.operands)
    }

    /// Returns the allowed operands.
    pub(crate) fn operands(&self) -> &Operands {
        &self.operands
    }

    /// Returns whether trees of this set are for Kilobots.
    pub fn is_for_kilobots(&self) -> bool {
        self.inner.iter().chain(&self.leaves).any(|choice| choice.kind.is_kilobots_own())
    }

    /// Returns the cells of all senses that trees may read, in ascending order. The list is empty for a Kilobot's set.
    pub(crate) fn senses(&self) -> Vec<u8> {
        if self.is_for_kilobots() {
            return Vec::new();
        }
        let registers = &self.operands.registers;
        let pairs = registers.vector_sources.iter().flat_map(|cell| [*cell, cell + 1]);
        let mut cells: Vec<u8> =
            registers.scalar_sources.iter().copied().chain(pairs).filter(|cell| senses(*cell)).collect();
        cells.sort_unstable();
        cells.dedup();
        cells
    }

    pub(crate) fn subtree(&self, number: u16) -> &Tree {
        &self.subtrees[usize::from(number)].tree
    }

    pub(crate) fn subtree_count(&self) -> u16 {
        self.subtrees.len() as u16
    }

    /// Iterates over the kinds of the leaves, without the set's subtrees.
    pub(crate) fn leaf_kinds(&self) -> impl Iterator<Item = Kind> {
        self.leaves.iter().map(|choice| choice.kind)
    }

    /// Returns whether an inner node of this kind with this number of children is allowed.
    pub(crate) fn has(&self, kind: Kind, children: u16) -> bool {
        self.inner.contains(&Choice { kind, children })
    }

    fn leaf_count(&self) -> usize {
        self.leaves.len() + self.subtrees.len()
    }

    /// Returns the share of leaves among the primitives, including `functions` additional leaves (0 to 1). This is the
    /// probability with which Algorithm 11 ends a path.
    pub(crate) fn leaf_share(&self, functions: u16) -> f32 {
        let leaves = self.leaf_count() + usize::from(functions);
        leaves as f32 / (leaves + self.inner.len()) as f32
    }

    /// Draws a random inner node.
    pub(crate) fn inner(&self, draws: &mut Draws) -> Gene {
        self.draw(self.inner[draws.below(self.inner.len() as u32) as usize], draws)
    }

    /// Draws a random leaf: a node, a subtree, or a call of one of `functions` functions.
    pub(crate) fn leaf(&self, functions: u16, draws: &mut Draws) -> Gene {
        let which = draws.below((self.leaf_count() + usize::from(functions)) as u32) as usize;
        self.leaf_at(which, draws)
    }

    fn leaf_at(&self, which: usize, draws: &mut Draws) -> Gene {
        if which < self.leaves.len() {
            self.draw(self.leaves[which], draws)
        } else if which < self.leaf_count() {
            Gene::Subtree((which - self.leaves.len()) as u16)
        } else {
            Gene::Function((which - self.leaf_count()) as u16)
        }
    }

    /// Draws a random gene with this number of children; `None` if the set contains no such gene.
    pub(crate) fn same_arity(&self, children: u16, functions: u16, draws: &mut Draws) -> Option<Gene> {
        let inner = || self.inner.iter().filter(|c| c.children == children);
        let leaves = if children == 0 { self.leaf_count() + usize::from(functions) } else { 0 };
        let fitting = inner().count() + leaves;
        if fitting == 0 {
            return None;
        }
        let which = draws.below(fitting as u32) as usize;
        Some(if children == 0 { self.leaf_at(which, draws) } else { self.draw(*inner().nth(which)?, draws) })
    }

    /// Returns a copy of the node with another kind and the same operand values. The kind is drawn from those with the
    /// same operand types and number of children (thesis 4.3.1). `None` if there is no such kind.
    pub(crate) fn same_signature(&self, node: &Node, draws: &mut Draws) -> Option<Node> {
        let types = |kind: Kind| kind.spec().operands.iter().map(|o| o.operand);
        let alike =
            |c: &&Choice| c.children == node.children && c.kind != node.kind && types(c.kind).eq(types(node.kind));
        let fitting = || self.inner.iter().chain(&self.leaves).filter(alike);
        let count = fitting().count();
        let choice = fitting().nth(draws.below(count.max(1) as u32) as usize)?;
        Some(Node { kind: choice.kind, ..*node })
    }

    fn draw(&self, choice: Choice, draws: &mut Draws) -> Gene {
        let mut operands = [0.0; 4];
        for (value, spec) in operands.iter_mut().zip(choice.kind.spec().operands) {
            *value = self.operands.draw(spec.operand, draws);
        }
        Gene::Node(Node { kind: choice.kind, children: choice.children, operands })
    }

    /// Converts a tree to a branch, in which the set's subtrees become single leaves. `None` if a node or register is
    /// not allowed.
    pub fn branch(&self, tree: &Tree) -> Option<Branch> {
        let nodes = tree.nodes();
        let mut genes = Vec::with_capacity(nodes.len());
        let mut at = 0;
        while at < nodes.len() {
            let begins = |s: &Subtree| nodes[at..].starts_with(s.tree.nodes());
            if let Some(i) = self.subtrees.iter().position(begins) {
                genes.push(Gene::Subtree(i as u16));
                at += self.subtrees[i].tree.nodes().len();
            } else if self.allows_node(&nodes[at]) {
                genes.push(Gene::Node(nodes[at]));
                at += 1;
            } else {
                return None;
            }
        }
        Some(Branch::from_preorder(genes))
    }

    /// Returns whether all nodes and registers of a tree are allowed. For a network, only the inputs are checked. This
    /// function validates trees from other programs.
    pub fn allows(&self, tree: &Tree) -> bool {
        if tree.nodes()[0].kind != Kind::Network {
            return self.branch(tree).is_some();
        }
        let senses = self.senses();
        tree.nodes().iter().filter(|node| node.kind == Kind::Synapse).all(|synapse| {
            let source = synapse.operands[0] as u8;
            neuron_of_source(source).is_some() || senses.contains(&source)
        })
    }

    pub(crate) fn allows_node(&self, node: &Node) -> bool {
        let same = |c: &Choice| c.kind == node.kind && c.children == node.children;
        self.inner.iter().chain(&self.leaves).any(same) && self.operands.allow(node)
    }
}

//! What evolution may build trees from: nodes, registers, ranges and subtrees (thesis 7.4.2), as data.

mod read;

pub use read::PaletteError;

use crate::genotype::{Branch, Gene};
use crate::grammar::Grammar;
use serde::{Deserialize, Serialize};
use xpuck_kernels::random::Draws;
use xpuck_kernels::tree::{Kind, Node, Operand, Tree};

const IN_SWARM: &str = include_str!("in-swarm.toml");
const TRANSFERABILITY: &str = include_str!("transferability.toml");

/// A node that may be chosen, with its number of children.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Choice {
    kind: Kind,
    children: u16,
}

/// The allowed nodes, registers and ranges, the subtrees that count as leaves, and the grammar of it all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Palette {
    inner: Vec<Choice>,
    leaves: Vec<Choice>,
    subtrees: Vec<Subtree>,
    registers: Registers,
    ranges: Ranges,
    grammar: Grammar,
}

/// A tree that evolution uses as if it were a leaf.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Subtree {
    name: String,
    tree: Tree,
}

/// Cells of the full register map by the part they may play.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Registers {
    scalar_sources: Vec<u8>,
    vector_sources: Vec<u8>,
    scalar_destinations: Vec<u8>,
    vector_destinations: Vec<u8>,
}

impl Registers {
    /// The cells that an operand may name; `None` for numbers.
    fn cells(&self, operand: Operand) -> Option<&[u8]> {
        match operand {
            Operand::ScalarDest => Some(&self.scalar_destinations),
            Operand::VectorDest => Some(&self.vector_destinations),
            Operand::Scalar => Some(&self.scalar_sources),
            Operand::Vector => Some(&self.vector_sources),
            _ => None,
        }
    }
}

/// Lowest and highest value of each type of number (Table 7.5). They bound what is drawn; where an algorithm also
/// moves numbers by small steps, these may go on to what the operand holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Ranges {
    int8: [f32; 2],
    angle: [f32; 2],
    width: [f32; 2],
    fixed: [f32; 2],
    float: [f32; 2],
    gain: [f32; 2],
    count: [f32; 2],
    quadrant: [f32; 2],
    threshold: [f32; 2],
}

impl Default for Ranges {
    fn default() -> Ranges {
        Ranges {
            int8: [-128.0, 127.0],
            angle: [-128.0, 127.0],
            width: [0.0, 255.0],
            fixed: [-16.0, 15.875],
            float: [-32.0, 32.0],
            gain: [-5.0, 5.0],
            count: [1.0, 100.0],
            quadrant: [-4.0, 4.0],
            threshold: [1.0, 4.0],
        }
    }
}

/// What an operand may be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Values<'a> {
    /// One of these cells.
    Cells(&'a [u8]),
    /// `low`, then `count` - 1 steps up.
    Steps { low: f32, step: f32, count: u32 },
    /// Anything between.
    Range { low: f32, high: f32 },
}

impl Values<'_> {
    /// The first of them.
    pub(crate) fn first(self) -> f32 {
        match self {
            Values::Cells(cells) => f32::from(cells[0]),
            Values::Steps { low, .. } | Values::Range { low, .. } => low,
        }
    }
}

impl Palette {
    /// The nodes and registers of the in-swarm experiments (Table 8.2).
    pub fn in_swarm() -> Palette {
        Palette::parse("in-swarm.toml", IN_SWARM).expect("the built-in palettes are sound")
    }

    /// The nodes and registers of the transferability experiments (Table 7.4).
    pub fn transferability() -> Palette {
        Palette::parse("transferability.toml", TRANSFERABILITY).expect("the built-in palettes are sound")
    }

    /// The grammar that generates trees in the grammar representation.
    pub(crate) fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    pub(crate) fn subtree(&self, number: u16) -> &Tree {
        &self.subtrees[usize::from(number)].tree
    }

    pub(crate) fn subtree_count(&self) -> u16 {
        self.subtrees.len() as u16
    }

    /// The kinds of leaves, subtrees of its own apart.
    pub(crate) fn leaf_kinds(&self) -> impl Iterator<Item = Kind> {
        self.leaves.iter().map(|choice| choice.kind)
    }

    /// True if an inner node with as many children may be built.
    pub(crate) fn has(&self, kind: Kind, children: u16) -> bool {
        self.inner.contains(&Choice { kind, children })
    }

    fn leaf_count(&self) -> usize {
        self.leaves.len() + self.subtrees.len()
    }

    /// Part of the nodes that are leaves, with `functions` more of them: Algorithm 11's probability to end a branch.
    pub(crate) fn leaf_share(&self, functions: u16) -> f32 {
        let leaves = self.leaf_count() + usize::from(functions);
        leaves as f32 / (leaves + self.inner.len()) as f32
    }

    /// A random inner node.
    pub(crate) fn inner(&self, draws: &mut Draws) -> Gene {
        self.draw(self.inner[draws.below(self.inner.len() as u32) as usize], draws)
    }

    /// A random leaf: a node, a subtree, or a call of one of `functions`.
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

    /// A random gene with as many children.
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

    /// A random other kind that takes the same operands and as many children; the operands stay (thesis 4.3.1).
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
            *value = self.operand(spec.operand, draws);
        }
        Gene::Node(Node { kind: choice.kind, children: choice.children, operands })
    }

    /// What an operand may be.
    pub(crate) fn values(&self, operand: Operand) -> Values<'_> {
        if let Some(cells) = self.registers.cells(operand) {
            return Values::Cells(cells);
        }
        let [low, high] = self.ranges.of(operand);
        match grain(operand) {
            Some(step) => Values::Steps { low, step, count: ((high - low) / step) as u32 + 1 },
            None => Values::Range { low, high },
        }
    }

    /// A random value for an operand (Table 7.5).
    pub(crate) fn operand(&self, operand: Operand, draws: &mut Draws) -> f32 {
        match self.values(operand) {
            Values::Cells(cells) => f32::from(cells[draws.below(cells.len() as u32) as usize]),
            Values::Steps { low, step, count } => low + step * draws.below(count) as f32,
            Values::Range { low, high } => draws.range(low, high),
        }
    }

    /// The branch whose tree this is, subtrees found again and kept whole; `None` if a node or register is not allowed.
    pub(crate) fn branch(&self, tree: &Tree) -> Option<Branch> {
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

    /// True if every node and register of a tree is allowed; what comes from outside is checked with this.
    pub fn allows(&self, tree: &Tree) -> bool {
        self.branch(tree).is_some()
    }

    pub(crate) fn allows_node(&self, node: &Node) -> bool {
        let same = |c: &Choice| c.kind == node.kind && c.children == node.children;
        self.inner.iter().chain(&self.leaves).any(same)
            && node.operands.iter().zip(node.kind.spec().operands).all(|(value, spec)| {
                self.registers.cells(spec.operand).is_none_or(|cells| cells.contains(&(*value as u8)))
            })
    }
}

/// The step between two values of an operand; `None` where any number between may stand.
pub(crate) fn grain(operand: Operand) -> Option<f32> {
    match operand {
        Operand::Float | Operand::Gain => None,
        Operand::Fixed => Some(0.125),
        _ => Some(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trees_from_outside_are_checked() {
        let palette = Palette::in_swarm();
        let allows = |text: &str| palette.allows(&Tree::parse(text).unwrap());
        assert!(allows("seq\n  movcv v_goal 0deg\n  rotav v_scr v_up 3deg s_n\n"));
        assert!(!allows("movcv v_blue 0deg"), "evolution does not write read-only registers");
        assert!(!allows("mulav v_goal v_red 1 v_up"), "red is not in Table 8.2");
        assert!(!allows("explore 5"));
        assert!(!allows("seq\n  successl\n"), "arity 1 is not built");
    }

    #[test]
    fn the_transferability_palette_has_the_nodes_of_table_7_4() {
        let palette = Palette::transferability();
        let allows = |text: &str| palette.allows(&Tree::parse(text).unwrap());
        assert!(allows(
            "seq\n  explore 5\n  mulav v_goal v_red 1 v_up\n  neighbour 1 2\n  sel\n    fixedprob 3\n    avoiding\n"
        ));
        assert!(!allows("rotav v_scr v_up 3deg s_n"), "not implemented at the time");
        assert!(!allows("bsearch 3deg") && !allows("ifquad v_prox 1"));
    }
}

//! Generation of trees by a grammar (thesis 3.2.1): a bit string selects among the alternatives of a BNF grammar.
//!
//! The grammar is expanded depth first from its first rule. Each choice consumes the bits that it needs. After the last
//! bit of the string, reading continues at the first bit. Only alternatives that can end within the remaining depth are
//! available, so that the expansion ends for every string. At depth 0 these alternatives are leaves.

pub(crate) mod bnf;
mod check;
mod recover;

use crate::genotype::{Bits, Branch, Gene};
use crate::operands::{Operands, Values};
use serde::{Deserialize, Serialize};
use xpuck_kernels::tree::{Kind, MAX_NODES, Node, OperandSpec};

/// Number of bits that select a number from a continuous range.
const RANGE_BITS: u32 = 16;
/// Number of additional bits for a choice whose number of alternatives is not a power of two. With these bits, all
/// alternatives are nearly equally likely.
const SPARE_BITS: u32 = 4;

/// Grammar of trees. The first rule is the start of every tree.
///
/// The text has one rule per line: `<name> ::= alternative | alternative`. A line that begins with `|` continues the
/// previous rule, and `#` starts a comment. An alternative is a node or one other rule. A node consists of its name in
/// quotes, its operands, and a rule for each child. Examples are `"seq2" <node> <node>` and `"upfield" "1.5"`. An
/// operand is a word in quotes, a rule whose alternatives are words in quotes, or `<any>` for all values that the
/// primitive set allows for the operand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Grammar {
    rules: Vec<Rule>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Rule {
    name: String,
    alternatives: Vec<Alternative>,
    /// Minimum depth of a tree of this rule (edges).
    least: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Alternative {
    production: Production,
    /// Minimum depth of a tree of this alternative (edges).
    least: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Production {
    /// Rule, by its index.
    Rule(u16),
    /// Node with its operands, and the index of a rule for each child.
    Node { kind: Kind, operands: Vec<Source>, children: Vec<u16> },
    /// Subtree of the primitive set, by its index.
    Subtree(u16),
}

/// Source of an operand's value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) enum Source {
    /// One of these values.
    OneOf(Vec<f32>),
    /// Any value that the primitive set allows for the operand.
    Any,
}

/// Returns the number of bits that a choice among `count` alternatives consumes.
fn width(count: usize) -> u32 {
    let fewest = count.next_power_of_two().trailing_zeros();
    if count.is_power_of_two() { fewest } else { fewest + SPARE_BITS }
}

/// Reader that consumes the bits of a string from the left.
struct Reader<'a> {
    bits: &'a Bits,
    at: usize,
}

impl Reader<'_> {
    fn number(&mut self, width: u32) -> u32 {
        let first = self.at;
        self.at += width as usize;
        (first..self.at).fold(0, |number, at| number << 1 | u32::from(self.bits.get(at)))
    }

    fn choose(&mut self, count: usize) -> usize {
        let width = width(count);
        (self.number(width) as usize * count) >> width
    }

    fn operand(&mut self, source: &Source, spec: &OperandSpec, any: &Operands) -> f32 {
        match (source, any.values(spec.operand)) {
            (Source::OneOf(values), _) => values[self.choose(values.len())],
            (Source::Any, Values::Cells(cells)) => f32::from(cells[self.choose(cells.len())]),
            (Source::Any, Values::Steps { low, step, count }) => low + step * self.choose(count as usize) as f32,
            (Source::Any, Values::Range { low, high }) => between(low, high, self.number(RANGE_BITS)),
        }
    }
}

fn between(low: f32, high: f32, number: u32) -> f32 {
    low + (high - low) * (number as f32 / ((1 << RANGE_BITS) - 1) as f32)
}

impl Rule {
    /// Iterates over the alternatives that can end within `left` more edges. If there are none, iterates over the
    /// alternatives with the least depth.
    fn open(&self, left: usize) -> impl Iterator<Item = &Alternative> + Clone {
        let most = left.max(self.least);
        self.alternatives.iter().filter(move |a| a.least <= most)
    }
}

impl Grammar {
    /// Generates the tree of a bit string. The tree is at most `depth` edges deep, unless the grammar's smallest tree
    /// is deeper. `None` if the node limit is exceeded. `any` contains the allowed values of `<any>` operands.
    pub(crate) fn generate(&self, bits: &Bits, depth: usize, any: &Operands) -> Option<Branch> {
        let mut reader = Reader { bits, at: 0 };
        let mut genes = Vec::new();
        let mut open = vec![(0u16, depth)];
        while let Some((rule, left)) = open.pop() {
            if genes.len() == MAX_NODES {
                return None;
            }
            let alternatives = self.rules[usize::from(rule)].open(left);
            let chosen = reader.choose(alternatives.clone().count());
            match &alternatives.clone().nth(chosen)?.production {
                Production::Rule(other) => open.push((*other, left)),
                Production::Subtree(number) => genes.push(Gene::Subtree(*number)),
                Production::Node { kind, operands, children } => {
                    let mut node = Node::new(*kind, children.len() as u16, &[]);
                    let specs = operands.iter().zip(kind.spec().operands);
                    for (value, (source, spec)) in node.operands.iter_mut().zip(specs) {
                        *value = reader.operand(source, spec, any);
                    }
                    genes.push(Gene::Node(node));
                    open.extend(children.iter().rev().map(|child| (*child, left.saturating_sub(1))));
                }
            }
        }
        Some(Branch::from_preorder(genes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::random::{Draws, Stream};

    #[test]
    fn fifteen_alternatives_are_nearly_equally_likely() {
        let mut counts = [0; 15];
        for i in 0..3000 {
            let bits = Bits::random(64, &mut Draws::new(2, 0, i, 0, Stream::Evolution));
            counts[Reader { bits: &bits, at: 0 }.choose(15)] += 1;
        }
        // The expected count of each alternative is 200, and four standard deviations are 55. The limits are wider,
        // because 256 numbers of 8 bits cannot be divided evenly among 15 alternatives.
        assert!(counts.iter().all(|n| (130..270).contains(n)), "{counts:?}");
    }
}

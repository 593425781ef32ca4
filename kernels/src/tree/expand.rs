//! Expansion of leaves that are defined as subtrees of primitive nodes (thesis 6.5).

use super::nodes::{Kind, PROX_GAIN};
use super::registers;
use super::{Node, Tree};

/// Whether the nodes `bleft` and `bright` behave as in the runs of the thesis, in which both always failed because of
/// an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LegacyBlueSides {
    /// `bleft` and `bright` work as specified.
    #[default]
    No,
    /// `bleft` and `bright` always fail.
    Yes,
}

const GOAL: f32 = registers::GOAL as f32;
const PROX: f32 = registers::PROX as f32;
const BLUE: f32 = registers::BLUE as f32;
const SCRATCH: f32 = registers::SCRATCH as f32;

/// Returns the nodes of a tree in preorder, with leaves expanded to subtrees of primitive nodes. Also returns an
/// index for each returned node. For the root of an expansion, this is the index of the expanded node in `tree`; for
/// other nodes of an expansion, it is `None`.
pub(crate) fn expanded(tree: &Tree, as_published: LegacyBlueSides) -> (Vec<Node>, Vec<Option<u16>>) {
    let mut nodes = Vec::with_capacity(tree.nodes().len() * 2);
    let mut sources = Vec::with_capacity(tree.nodes().len() * 2);
    for (place, node) in tree.nodes().iter().enumerate() {
        expand(node, as_published, &mut nodes);
        sources.push(Some(place as u16));
        sources.resize(nodes.len(), None);
    }
    (nodes, sources)
}

/// Appends the expansion of a node to `out`. This is the node itself, or its subtree of primitive nodes (thesis 6.5).
pub(crate) fn expand(node: &Node, as_published: LegacyBlueSides, out: &mut Vec<Node>) {
    let [a, b, ..] = node.operands;
    let mut put = |kind, children, operands: &[f32]| out.push(Node::new(kind, children, operands));
    match node.kind {
        Kind::Avoiding => {
            put(Kind::Seq, 2, &[]);
            put(Kind::Sel, 2, &[]);
            put(Kind::Ifquad, 0, &[PROX, 1.0]);
            put(Kind::Ifquad, 0, &[PROX, -1.0]);
            put(Kind::Mulav, 0, &[GOAL, 0.0, -PROX_GAIN, PROX]);
        }
        Kind::Explore => {
            put(Kind::Selm, 3, &[]);
            for (quadrant, away) in [(1.0, -64.0), (-1.0, 64.0)] {
                put(Kind::Seqm, 2, &[]);
                put(Kind::Ifquad, 0, &[PROX, quadrant]);
                put(Kind::Repeatr, 1, &[a]);
                put(Kind::Movcv, 0, &[GOAL, away]);
            }
            put(Kind::Movcv, 0, &[GOAL, 0.0]);
        }
        Kind::Neighbour => put(Kind::Ifprob, 0, &[registers::NEIGHBOURS as f32, a, b]),
        Kind::Fixedprob => put(Kind::Ifprob, 0, &[0.0, 0.25, a]),
        Kind::Red | Kind::Green | Kind::Blue => {
            let colour = match node.kind {
                Kind::Red => registers::RED as f32,
                Kind::Green => registers::RED as f32 + 2.0,
                _ => BLUE,
            };
            put(Kind::Seq, 2, &[]);
            put(Kind::Sel, 2, &[]);
            put(Kind::Ifquad, 0, &[colour, 1.0]);
            put(Kind::Ifquad, 0, &[colour, -1.0]);
            put(Kind::Ifprob, 0, &[0.0, 0.25, a]);
        }
        Kind::Bleft | Kind::Bright if as_published == LegacyBlueSides::Yes => put(Kind::Failurel, 0, &[]),
        // Sectors around +90 and -90 degrees with a width of 162 degrees, in steps of pi/128.
        Kind::Bleft => put(Kind::Ifsect, 0, &[BLUE, 64.0, 115.2]),
        Kind::Bright => put(Kind::Ifsect, 0, &[BLUE, -64.0, 115.2]),
        Kind::Bfront => put(Kind::Ifsect, 0, &[BLUE, 0.0, 10.0]),
        Kind::Bsearch => {
            put(Kind::Sel, 2, &[]);
            put(Kind::Ifsect, 0, &[BLUE, 0.0, 10.0]);
            put(Kind::Seq, 3, &[]);
            put(Kind::Movcv, 0, &[SCRATCH, a]);
            put(Kind::Mulav, 0, &[GOAL, 0.0, 0.25, SCRATCH]);
            put(Kind::Failurel, 0, &[]);
        }
        _ => out.push(*node),
    }
}

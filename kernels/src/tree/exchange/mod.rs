//! Forms in which trees go to and come from other programs: XML, JSON and bytes both ways, DOT and SVG outwards; and
//! the compact form in which evolution keeps them.
//!
//! Readers are total: any input gives a whole tree or one error that names the place; the limits are those of the
//! text form. Angles are written and read exactly, so what a writer wrote reads back as the same tree.

mod binary;
mod compact;
mod dot;
mod dot_network;
mod json;
mod json_read;
mod svg;
mod svg_layout;
mod svg_network;
mod xml;
mod xml_read;

pub use binary::{BinaryError, from_binary, to_binary};
pub use compact::{from_compact, to_compact};
pub use dot::to_dot;
pub use json::to_json;
pub use json_read::from_json;
pub use svg::{to_svg, to_svg_in_use};
pub use svg_layout::Direction;
pub use xml::{TREE, to_xml, to_xml_live};
pub use xml_read::from_xml;

use super::network;
use super::nodes::{Kind, Operand};
use super::operand::{Words, shorten, suggest, usage};
use super::parse::{MAX_DEPTH, MAX_NODES, MAX_TEXT, ParseError, foreign, whole};
use super::registers::CELLS;
use super::{Node, Tree};

/// Longest line that an error shows.
const SHOWN: usize = 200;

/// A node as a textual form gives it, its operands still words.
struct Element {
    kind: Kind,
    /// Place in the text, bytes.
    at: usize,
    operands: Vec<Word>,
    children: Vec<Element>,
}

/// An operand as written.
struct Word {
    name: String,
    text: String,
    at: usize,
}

/// A text being read, and how many nodes it has shown so far.
struct Source<'a> {
    text: &'a str,
    nodes: usize,
}

impl<'a> Source<'a> {
    fn new(text: &'a str) -> Result<Source<'a>, ParseError> {
        if text.len() > MAX_TEXT {
            return Err(whole(format!("the text has {} bytes; at most {MAX_TEXT} are allowed", text.len())));
        }
        Ok(Source { text, nodes: 0 })
    }

    /// An error at a byte of the text.
    fn error(&self, at: usize, message: String) -> ParseError {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let before = &self.text[..at];
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        let column = before[start..].chars().count() + 1;
        let line = self.text[start..].lines().next().unwrap_or("");
        let shown = if column > SHOWN { 0 } else { SHOWN };
        let source = line.chars().take(shown).map(|c| if c.is_control() { ' ' } else { c }).collect();
        ParseError { line: before.matches('\n').count() + 1, column, message, source }
    }

    /// Counts a node `depth` levels below the root; readers call it before they go deeper.
    fn enter(&mut self, at: usize, depth: usize) -> Result<(), ParseError> {
        if depth > MAX_DEPTH {
            return Err(self.error(at, format!("deeper than {MAX_DEPTH} levels")));
        }
        if self.nodes == MAX_NODES {
            return Err(self.error(at, format!("more than {MAX_NODES} nodes")));
        }
        self.nodes += 1;
        Ok(())
    }

    fn unknown_node(&self, at: usize, name: &str) -> ParseError {
        let known = Kind::all().filter(|kind| !kind.is_kilobots_own());
        let hint = suggest(name, known.map(|k| k.spec().name.to_string()));
        self.error(at, format!("unknown node `{}`{hint}", shorten(name)))
    }

    fn tree(&self, root: &Element) -> Result<Tree, ParseError> {
        let (mut nodes, mut places) = (Vec::with_capacity(self.nodes), Vec::with_capacity(self.nodes));
        self.append(root, &mut nodes, &mut places)?;
        if let Some((node, message)) = network::fault(&nodes) {
            return Err(self.error(places[node], message));
        }
        Ok(Tree::from_preorder(nodes))
    }

    /// Appends an element in preorder, with its place in the text; readers have bounded the depth.
    fn append(&self, element: &Element, nodes: &mut Vec<Node>, places: &mut Vec<usize>) -> Result<(), ParseError> {
        let Element { kind, at, operands, children } = element;
        let spec = kind.spec();
        if kind.is_kilobots_own() {
            return Err(self.error(*at, foreign(spec.name)));
        }
        kind.check_children(children.len()).map_err(|message| self.error(*at, message))?;
        let mut values = [0.0; 4];
        for (value, wanted) in values.iter_mut().zip(spec.operands) {
            let Some(word) = operands.iter().find(|w| w.name == wanted.name) else {
                let message = format!("{} needs {}; {} is missing", spec.name, usage(spec.operands), wanted.name);
                return Err(self.error(*at, message));
            };
            *value = Words::EXACT.read(&word.text, wanted).map_err(|message| self.error(word.at, message))?;
        }
        if let Some(word) = operands.iter().find(|w| spec.operands.iter().all(|o| o.name != w.name)) {
            let message = format!("{} has no `{}`; it takes {}", spec.name, shorten(&word.name), usage(spec.operands));
            return Err(self.error(word.at, message));
        }
        nodes.push(Node::new(*kind, children.len() as u16, &values));
        places.push(*at);
        children.iter().try_for_each(|child| self.append(child, nodes, places))
    }
}

/// True if an operand may have this value; a register must exist, and a pair begins at an even cell.
fn allowed(operand: Operand, value: f32) -> bool {
    let (low, high) = operand.range();
    let step = if operand.is_vector() { 2.0 } else { 1.0 };
    // What a synapse may come from depends on its network.
    let register = !operand.is_register() || operand == Operand::Source || value < CELLS as f32 && value % step == 0.0;
    (low..=high).contains(&value) && register
}

/// The parent of every node of a tree; the root's is itself.
fn parents(tree: &Tree) -> Vec<usize> {
    let mut parents = Vec::with_capacity(tree.nodes().len());
    let mut open: Vec<(usize, u16)> = Vec::new();
    for (i, node) in tree.nodes().iter().enumerate() {
        parents.push(open.last().map_or(0, |o| o.0));
        if let Some(last) = open.last_mut() {
            last.1 -= 1;
        }
        if node.children > 0 {
            open.push((i, node.children));
        }
        while open.last().is_some_and(|o| o.1 == 0) {
            open.pop();
        }
    }
    parents
}

/// The children of every node of a tree, in order.
fn children(tree: &Tree) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); tree.nodes().len()];
    for (i, parent) in parents(tree).into_iter().enumerate().skip(1) {
        children[parent].push(i);
    }
    children
}

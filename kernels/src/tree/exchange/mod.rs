//! Exchange formats of trees: XML, JSON and binary (read and write), DOT and SVG (write only), and the compact form
//! for storage in evolution.
//!
//! Readers never panic. Any input results in a complete tree or in an error with its position. The limits of the text
//! form apply. Angles are written and read exactly, so each reader restores exactly the tree that was written.

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
mod xml_dom;
mod xml_foreign;
mod xml_read;

pub use binary::{BinaryError, from_binary, to_binary};
pub use compact::{from_compact, to_compact};
pub use dot::to_dot;
pub use json::to_json;
pub use json_read::{from_json, from_json_for};
pub use svg::{to_svg, to_svg_with_usage};
pub use svg_layout::Direction;
pub use xml::{TREE, to_xml, to_xml_live};
pub use xml_read::{Include, XmlErrors, XmlOptions, from_xml, read_xml};

use super::network;
use super::nodes::{Kind, Operand};
use super::operand::{OperandFormat, shorten, suggest, usage};
use super::parse::{MAX_DEPTH, MAX_NODES, MAX_TEXT, ParseError, whole};
use super::registers::{CELLS, RegisterMap};
use super::{Node, Tree};
use std::borrow::Cow;

/// Maximum number of unknown operands that are reported per node.
const MOST_UNKNOWN: usize = 8;
/// Maximum length of the source line that an error quotes (characters).
const SHOWN: usize = 200;

/// A node read from a textual form. Its operands are not yet converted to numbers.
struct Element {
    kind: Kind,
    /// Byte offset of the node in the text.
    at: usize,
    operands: Vec<Word>,
    children: Vec<Element>,
}

impl Element {
    /// Whether this node or a descendant keeps state between ticks.
    fn remembers(&self) -> bool {
        self.kind.has_memory() || self.kind == Kind::Network || self.children.iter().any(Element::remembers)
    }
}

/// An operand as written in the text.
struct Word {
    name: String,
    text: String,
    at: usize,
}

/// A text that is being read, and the number of nodes read so far.
struct Source<'a> {
    /// Concatenated text of all files.
    text: Cow<'a, str>,
    /// Byte offset in `text` and name of each file after the first.
    files: Vec<(usize, String)>,
    nodes: usize,
    /// Register map of the target robot.
    map: RegisterMap,
}

impl<'a> Source<'a> {
    fn new(text: &'a str) -> Result<Source<'a>, ParseError> {
        let source = Source { text: Cow::Borrowed(text), files: Vec::new(), nodes: 0, map: RegisterMap::Full };
        source.check_length(text.len()).map_err(whole)?;
        Ok(source)
    }

    fn check_length(&self, length: usize) -> Result<(), String> {
        match length > MAX_TEXT {
            true => Err(format!("the text has {length} bytes; at most {MAX_TEXT} are allowed")),
            false => Ok(()),
        }
    }

    /// Appends a file to the text and returns the byte offset of its start.
    fn append_file(&mut self, name: &str, text: &str) -> Result<usize, String> {
        let base = self.text.len();
        self.check_length(base + text.len())?;
        self.text.to_mut().push_str(text);
        self.files.push((base, name.into()));
        Ok(base)
    }

    /// Creates an error at a byte offset of the text.
    fn error(&self, at: usize, message: String) -> ParseError {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        let number = self.files.partition_point(|(base, _)| *base <= at);
        let (base, file) = number.checked_sub(1).map_or((0, ""), |i| (self.files[i].0, self.files[i].1.as_str()));
        let end = self.files.get(number).map_or(self.text.len(), |(base, _)| *base);
        let before = &self.text[base..at];
        let start = base + before.rfind('\n').map_or(0, |i| i + 1);
        let column = self.text[start..at].chars().count() + 1;
        let line = self.text[start..end].lines().next().unwrap_or("");
        let shown = if column > SHOWN { 0 } else { SHOWN };
        let source = line.chars().take(shown).map(|c| if c.is_control() { ' ' } else { c }).collect();
        ParseError { file: file.into(), line: before.matches('\n').count() + 1, column, message, source }
    }

    /// Counts a node `depth` levels below the root, and checks the limits of depth and number of nodes. Readers call
    /// this function before they descend into a node.
    fn enter(&mut self, at: usize, depth: usize) -> Result<(), ParseError> {
        if depth > MAX_DEPTH {
            return Err(self.error(at, format!("the tree is deeper than {MAX_DEPTH} levels")));
        }
        if self.nodes == MAX_NODES {
            return Err(self.error(at, format!("the tree has more than {MAX_NODES} nodes")));
        }
        self.nodes += 1;
        Ok(())
    }

    fn words(&self) -> OperandFormat {
        OperandFormat { map: self.map, exact: true }
    }

    /// Creates an error for an unknown node name. Its message suggests a similar name. `also` contains node names that
    /// are valid in the format in addition to the names of this crate.
    fn unknown_node<'n>(&self, at: usize, name: &str, also: impl IntoIterator<Item = &'n str>) -> ParseError {
        let known = Kind::all().filter(|kind| self.words().supports(*kind)).map(|kind| kind.spec().name);
        let hint = suggest(name, known.chain(also).map(String::from));
        self.error(at, format!("unknown node `{}`{hint}", shorten(name)))
    }

    /// Converts an element to a tree, or returns the first error.
    fn tree(&self, root: &Element) -> Result<Tree, ParseError> {
        self.tree_or_faults(root).map_err(|mut faults| faults.swap_remove(0))
    }

    /// Converts an element to a tree, or returns all errors.
    fn tree_or_faults(&self, root: &Element) -> Result<Tree, Vec<ParseError>> {
        let (mut nodes, mut places) = (Vec::with_capacity(self.nodes), Vec::with_capacity(self.nodes));
        let mut faults = Vec::new();
        self.append(root, &mut nodes, &mut places, &mut faults);
        if faults.is_empty() {
            faults.extend(network::find_violation(&nodes).map(|(node, message)| self.error(places[node], message)));
        }
        if faults.is_empty() { Ok(Tree::from_preorder(nodes)) } else { Err(faults) }
    }

    /// Appends an element and its descendants to `nodes` in preorder, and their positions in the text to `places`. The
    /// depth of the recursion is bounded, because readers have checked the depth of the element.
    fn append(&self, element: &Element, nodes: &mut Vec<Node>, places: &mut Vec<usize>, faults: &mut Vec<ParseError>) {
        let (node, own) = self.node(element, element.children.len());
        faults.extend(own);
        nodes.push(node);
        places.push(element.at);
        element.children.iter().for_each(|child| self.append(child, nodes, places, faults));
    }

    /// Creates a node with the given number of children. Also returns the errors of this node.
    fn node(&self, element: &Element, children: usize) -> (Node, Vec<ParseError>) {
        let Element { kind, at, operands, .. } = element;
        let (spec, mut faults) = (kind.spec(), Vec::new());
        let mut fault = |at: usize, message: String| faults.push(self.error(at, message));
        let mut values = [0.0; 4];
        if let Some(message) = self.words().unsupported_message(*kind) {
            fault(*at, message);
            return (Node::new(*kind, children as u16, &values), faults);
        }
        if let Err(message) = kind.check_children(children) {
            fault(*at, message);
        }
        for (value, wanted) in values.iter_mut().zip(spec.operands) {
            match operands.iter().find(|word| word.name == wanted.name) {
                Some(word) => match self.words().read(&word.text, wanted) {
                    Ok(read) => *value = read,
                    Err(message) => fault(word.at, message),
                },
                None => {
                    let message = format!("{} needs {}; {} is missing", spec.name, usage(spec.operands), wanted.name);
                    fault(*at, message);
                }
            }
        }
        let unknown = operands.iter().filter(|word| spec.operands.iter().all(|o| o.name != word.name));
        // The creation of an error searches the whole text for the line, so the number of errors is limited.
        for word in unknown.take(MOST_UNKNOWN) {
            let name = shorten(&word.name);
            fault(word.at, format!("{} has no operand `{name}`; it takes {}", spec.name, usage(spec.operands)));
        }
        (Node::new(*kind, children as u16, &values), faults)
    }
}

/// Returns whether an operand may have this value. A register must exist, and a vector register must start at an even
/// cell.
fn allowed(operand: Operand, value: f32) -> bool {
    let (low, high) = operand.range();
    let step = if operand.is_vector() { 2.0 } else { 1.0 };
    // The source of a synapse is not checked here, because its validity depends on the network.
    let register = !operand.is_register() || operand == Operand::Source || value < CELLS as f32 && value % step == 0.0;
    (low..=high).contains(&value) && register
}

/// Returns the index of the parent of every node of a tree. The parent of the root is the root.
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

/// Returns the indices of the children of every node of a tree, in order.
fn children(tree: &Tree) -> Vec<Vec<usize>> {
    let mut children = vec![Vec::new(); tree.nodes().len()];
    for (i, parent) in parents(tree).into_iter().enumerate().skip(1) {
        children[parent].push(i);
    }
    children
}

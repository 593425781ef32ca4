//! The binary form: the tree buffer of thesis 5.3.3 (Figure 5.8), in the byte order of the robots (little endian).
//!
//! The header has 12 bytes: the magic "XPBT", then version, offset of the root, number of nodes and total length as u16
//! each.
//!
//! A node has [`Kind::bytes`] bytes and starts at a multiple of 4. It starts with its kind (u8), the number of its
//! children (u8) and the index of its state (u16, 0xffff for a node without memory). The four-byte operands, the
//! offsets of the children (u16 each) and the one-byte operands follow. Zero padding ends the node.
//!
//! A one-byte operand is a register cell, a count, an angle in steps of pi/128, or a multiple of 1/8. Offsets are
//! relative to the start of the magic.

use super::super::network;
use super::super::nodes::{Kind, Operand};
use super::super::parse::{MAX_DEPTH, MAX_NODES};
use super::super::{Node, Tree};
use super::{allowed, children};
use std::fmt;

const MAGIC: &[u8; 4] = b"XPBT";
const VERSION: u16 = 1;
const HEADER: usize = 12;
const NO_STATE: u16 = 0xffff;

/// Error of reading a tree from the binary or compact form, or of writing a tree in the binary form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BinaryError {
    /// Byte offset of the error.
    pub at: usize,
    /// Description of the error.
    pub message: String,
}

impl fmt::Display for BinaryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {}: {}", self.at, self.message)
    }
}

impl std::error::Error for BinaryError {}

pub(super) fn fault<T>(at: usize, message: impl Into<String>) -> Result<T, BinaryError> {
    Err(BinaryError { at, message: message.into() })
}

/// Returns whether an operand of this type is stored in four bytes instead of one byte.
pub(super) fn is_wide(operand: Operand) -> bool {
    matches!(operand, Operand::Float | Operand::Gain | Operand::Share)
}

/// Encodes a one-byte operand. Returns `None` if the value is not a multiple of the operand's step. Both 0 and -0 are
/// encoded as byte 0.
pub(super) fn to_byte(operand: Operand, value: f32) -> Option<u8> {
    let scaled = if operand == Operand::Fixed { value * 8.0 } else { value };
    (scaled.fract() == 0.0).then_some(if scaled < 0.0 { scaled as i8 as u8 } else { scaled as u8 })
}

/// Decodes a one-byte operand.
pub(super) fn from_byte(operand: Operand, byte: u8) -> f32 {
    match operand {
        Operand::Int8 | Operand::Angle | Operand::Quadrant => f32::from(byte as i8),
        Operand::Fixed => f32::from(byte as i8) / 8.0,
        _ => f32::from(byte),
    }
}

/// Writes a tree in binary form. Returns an error if a node has more than 255 children, or if an angle is not a
/// multiple of pi/128.
pub fn to_binary(tree: &Tree) -> Result<Vec<u8>, BinaryError> {
    let mut places = Vec::with_capacity(tree.nodes().len());
    let mut end = HEADER;
    for node in tree.nodes() {
        places.push(end as u16);
        end += node.kind.bytes(usize::from(node.children));
        if end > usize::from(u16::MAX) || places.len() > MAX_NODES {
            return fault(
                end,
                format!("the tree is too large for the binary form; at most {MAX_NODES} nodes are allowed"),
            );
        }
    }
    let mut bytes = MAGIC.to_vec();
    for field in [VERSION, HEADER as u16, places.len() as u16, end as u16] {
        bytes.extend_from_slice(&field.to_le_bytes());
    }
    let mut states = 0u16;
    for (node, children) in tree.nodes().iter().zip(children(tree)) {
        let at = bytes.len();
        let Ok(arity) = u8::try_from(children.len()) else {
            return fault(
                at,
                format!("{} has {} children; at most 255 are allowed", node.kind.spec().name, children.len()),
            );
        };
        let state = if node.kind.has_memory() { states } else { NO_STATE };
        states += u16::from(node.kind.has_memory());
        bytes.extend_from_slice(&[node.kind as u8, arity]);
        bytes.extend_from_slice(&state.to_le_bytes());
        let operands = || node.operands.iter().zip(node.kind.spec().operands);
        operands().filter(|(_, o)| is_wide(o.operand)).for_each(|(v, _)| bytes.extend_from_slice(&v.to_le_bytes()));
        children.iter().for_each(|c| bytes.extend_from_slice(&places[*c].to_le_bytes()));
        for (value, o) in operands().filter(|(_, o)| !is_wide(o.operand)) {
            let Some(byte) = to_byte(o.operand, *value) else {
                let name = node.kind.spec().name;
                return fault(
                    at,
                    format!("operand {} of {name} is between two steps; the text form rounds it", o.name),
                );
            };
            bytes.push(byte);
        }
        bytes.resize(at + node.kind.bytes(children.len()), 0);
    }
    Ok(bytes)
}

/// Reads a tree from bytes. Each byte after the header must belong to exactly one node. Shared nodes, unused bytes and
/// cycles are therefore errors.
pub fn from_binary(bytes: &[u8]) -> Result<Tree, BinaryError> {
    let mut reader = Reader { bytes, used: vec![false; bytes.len() / 4], nodes: Vec::new(), states: Vec::new() };
    if bytes.get(..4) != Some(MAGIC) {
        return fault(0, "not a tree: it does not begin with XPBT");
    }
    let [version, root, count, length] = [reader.u16(4)?, reader.u16(6)?, reader.u16(8)?, reader.u16(10)?];
    if version != VERSION {
        return fault(4, format!("version {version} is not supported; expected version {VERSION}"));
    }
    if usize::from(length) != bytes.len() {
        return fault(10, format!("the header announces {length} bytes, but there are {}", bytes.len()));
    }
    if !(1..=MAX_NODES).contains(&usize::from(count)) {
        return fault(8, format!("the header announces {count} nodes; 1 to {MAX_NODES} are allowed"));
    }
    reader.used[..HEADER / 4].fill(true);
    reader.node(6, root, 0)?;
    if reader.nodes.len() != usize::from(count) {
        return fault(8, format!("the header announces {count} nodes, but there are {}", reader.nodes.len()));
    }
    if let Some(unit) = reader.used.iter().position(|used| !used) {
        return fault(4 * unit, "these bytes do not belong to a node");
    }
    if let Some((_, message)) = network::find_violation(&reader.nodes) {
        return fault(0, message);
    }
    Ok(Tree::from_preorder(reader.nodes))
}

struct Reader<'a> {
    bytes: &'a [u8],
    /// Whether each 4-byte unit already belongs to the header or to a node.
    used: Vec<bool>,
    nodes: Vec<Node>,
    states: Vec<bool>,
}

impl Reader<'_> {
    fn u16(&self, at: usize) -> Result<u16, BinaryError> {
        match self.bytes.get(at..at + 2) {
            Some(b) => Ok(u16::from_le_bytes([b[0], b[1]])),
            None => fault(self.bytes.len(), "the bytes end too early"),
        }
    }

    /// Reads the node at `offset`, then its children. `from` is the byte offset at which `offset` is stored, for error
    /// messages.
    fn node(&mut self, from: usize, offset: u16, depth: usize) -> Result<(), BinaryError> {
        let at = usize::from(offset);
        if at % 4 != 0 || at < HEADER || at + 4 > self.bytes.len() {
            return fault(from, format!("offset {at} does not point to a node"));
        }
        if depth > MAX_DEPTH || self.nodes.len() == MAX_NODES {
            return fault(
                at,
                format!("the tree is deeper than {MAX_DEPTH} levels, or has more than {MAX_NODES} nodes"),
            );
        }
        let of_byte = Kind::all().nth(usize::from(self.bytes[at]));
        let Some(kind) = of_byte.filter(|kind| !kind.is_kilobots_own()) else {
            return fault(at, format!("{} is not a node kind", self.bytes[at]));
        };
        let arity = usize::from(self.bytes[at + 1]);
        kind.check_children(arity).or_else(|message| fault(at + 1, message))?;
        let end = at + kind.bytes(arity);
        if end > self.bytes.len() {
            return fault(at, format!("{} needs {} bytes here, but fewer bytes remain", kind.spec().name, end - at));
        }
        for unit in at / 4..end / 4 {
            if std::mem::replace(&mut self.used[unit], true) {
                return fault(from, format!("offset {at} points into another node"));
            }
        }
        self.state(kind, at + 2)?;
        let wide = kind.spec().operands.iter().filter(|o| is_wide(o.operand)).count();
        let links = at + 4 + 4 * wide;
        let values = self.operands(kind, at + 4, links + 2 * arity, end)?;
        self.nodes.push(Node::new(kind, arity as u16, &values));
        for child in 0..arity {
            let link = links + 2 * child;
            self.node(link, self.u16(link)?, depth + 1)?;
        }
        Ok(())
    }

    /// Checks that the state index of a node is unique and below the size of the state buffer.
    fn state(&mut self, kind: Kind, at: usize) -> Result<(), BinaryError> {
        let state = self.u16(at)?;
        if !kind.has_memory() {
            return if state == NO_STATE {
                Ok(())
            } else {
                fault(at, "this node has no state; its index must be 65535")
            };
        }
        let index = usize::from(state);
        if index >= MAX_NODES || self.states.get(index) == Some(&true) {
            return fault(at, format!("state index {index} is used twice or is not below {MAX_NODES}"));
        }
        self.states.resize(self.states.len().max(index + 1), false);
        self.states[index] = true;
        Ok(())
    }

    /// Reads the operands of a node. The four-byte operands start at `wide`, and the one-byte operands start at
    /// `narrow`. All bytes between the last operand and `end` must be 0.
    fn operands(&self, kind: Kind, mut wide: usize, mut narrow: usize, end: usize) -> Result<[f32; 4], BinaryError> {
        let mut values = [0.0; 4];
        for (value, o) in values.iter_mut().zip(kind.spec().operands) {
            let at = if is_wide(o.operand) { wide } else { narrow };
            *value = if is_wide(o.operand) {
                let mut word = [0; 4];
                word.copy_from_slice(&self.bytes[at..at + 4]);
                wide += 4;
                f32::from_le_bytes(word)
            } else {
                narrow += 1;
                from_byte(o.operand, self.bytes[at])
            };
            if !allowed(o.operand, *value) {
                return fault(at, format!("operand {} of {}: {value} is not allowed", o.name, kind.spec().name));
            }
        }
        match self.bytes[narrow..end].iter().position(|b| *b != 0) {
            Some(i) => fault(narrow + i, "a byte after the operands is not 0"),
            None => Ok(values),
        }
    }
}

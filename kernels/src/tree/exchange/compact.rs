//! The compact form stores a tree in few bytes and restores every bit. It is used in checkpoints and records of
//! evolution, and when Serde serialises a tree.
//!
//! The first byte selects the number format: 0 for narrow, 1 for wide. The nodes follow in preorder. Each node consists
//! of its kind (u8), its number of children and its operands. Only composites, networks and neurons store the number of
//! children, as u8 in the narrow format and as u16 in the wide format. Wide operands are f32; narrow operands are those
//! of the binary form without its padding. All numbers are little endian.
//!
//! A tree uses the wide format if the narrow format cannot represent it exactly. This is the case, for example, if an
//! angle is not a multiple of pi/128, an operand is -0, or a node has more than 255 children.

use super::super::network;
use super::super::nodes::{Group, Kind, Operand};
use super::super::parse::{MAX_DEPTH, MAX_NODES};
use super::super::{Node, Tree};
use super::allowed;
use super::binary::{BinaryError, fault, from_byte, is_wide, to_byte};

const NARROW: u8 = 0;
const WIDE: u8 = 1;

/// Writes a tree in compact form, with about four bytes per node. The compact form can represent every tree.
pub fn to_compact(tree: &Tree) -> Vec<u8> {
    let narrow = |node: &Node| {
        let operands = node.operands.iter().zip(node.kind.spec().operands);
        let exact = |value: f32, o: Operand| {
            is_wide(o) || to_byte(o, value).is_some_and(|byte| from_byte(o, byte).to_bits() == value.to_bits())
        };
        u8::try_from(node.children).is_ok() && operands.into_iter().all(|(value, spec)| exact(*value, spec.operand))
    };
    let form = if tree.nodes().iter().all(narrow) { NARROW } else { WIDE };
    let mut bytes = vec![form];
    for node in tree.nodes() {
        bytes.push(node.kind as u8);
        if counts_children(node.kind) {
            let children = node.children.to_le_bytes();
            bytes.extend_from_slice(if form == WIDE { &children } else { &children[..1] });
        }
        for (value, spec) in node.operands.iter().zip(node.kind.spec().operands) {
            match to_byte(spec.operand, *value).filter(|_| form == NARROW && !is_wide(spec.operand)) {
                Some(byte) => bytes.push(byte),
                None => bytes.extend_from_slice(&value.to_le_bytes()),
            }
        }
    }
    bytes
}

/// Whether the compact form stores the number of children for nodes of this kind.
fn counts_children(kind: Kind) -> bool {
    kind.spec().group == Group::Composite || matches!(kind, Kind::Network | Kind::Neuron)
}

/// Reads a tree from bytes. For any input, the result is either a complete tree within the size limits or an error with
/// its position. The function never panics.
pub fn from_compact(bytes: &[u8]) -> Result<Tree, BinaryError> {
    let mut reader = Reader { bytes, at: 0 };
    let [form] = reader.read_array()?;
    if form > WIDE {
        return fault(0, format!("unknown tree format {form}; expected 0 or 1"));
    }
    let mut nodes = Vec::new();
    let mut open = 1usize;
    while open > 0 {
        if nodes.len() == MAX_NODES {
            return fault(reader.at, format!("the tree has more than {MAX_NODES} nodes"));
        }
        let node = reader.node(form == WIDE)?;
        open = open - 1 + usize::from(node.children);
        nodes.push(node);
    }
    if reader.at != bytes.len() {
        return fault(reader.at, "these bytes do not belong to a node");
    }
    if let Some((_, message)) = network::find_violation(&nodes) {
        return fault(0, message);
    }
    let tree = Tree::from_preorder(nodes);
    if tree.depth() > MAX_DEPTH {
        return fault(0, format!("the tree is deeper than {MAX_DEPTH} levels"));
    }
    Ok(tree)
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn read_array<const N: usize>(&mut self) -> Result<[u8; N], BinaryError> {
        let Some(taken) = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>()) else {
            return fault(self.bytes.len(), "the bytes end too early");
        };
        self.at += N;
        Ok(*taken)
    }

    fn node(&mut self, wide: bool) -> Result<Node, BinaryError> {
        let at = self.at;
        let [byte] = self.read_array()?;
        let Some(kind) = Kind::all().nth(usize::from(byte)) else {
            return fault(at, format!("{byte} is not a node kind"));
        };
        let children = match kind.spec().group {
            _ if counts_children(kind) && wide => u16::from_le_bytes(self.read_array()?),
            _ if counts_children(kind) => u16::from(self.read_array::<1>()?[0]),
            Group::Decorator => 1,
            _ => 0,
        };
        kind.check_children(usize::from(children)).or_else(|message| fault(at + 1, message))?;
        let mut operands = [0.0; 4];
        for (value, spec) in operands.iter_mut().zip(kind.spec().operands) {
            let place = self.at;
            *value = if wide || is_wide(spec.operand) {
                f32::from_le_bytes(self.read_array()?)
            } else {
                from_byte(spec.operand, self.read_array::<1>()?[0])
            };
            if !allowed(spec.operand, *value) {
                let name = kind.spec().name;
                return fault(place, format!("operand {} of {name}: {value} is not allowed", spec.name));
            }
        }
        Ok(Node { kind, children, operands })
    }
}

impl From<Tree> for Vec<u8> {
    fn from(tree: Tree) -> Vec<u8> {
        to_compact(&tree)
    }
}

impl TryFrom<Vec<u8>> for Tree {
    type Error = BinaryError;

    fn try_from(bytes: Vec<u8>) -> Result<Tree, BinaryError> {
        from_compact(&bytes)
    }
}

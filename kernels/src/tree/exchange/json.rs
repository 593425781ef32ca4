//! JSON writer for trees. A node is an object with its operands by name, such as `{"node": "seq", "children": [...]}`.
//! Each node is on its own line.

use super::super::nodes::Operand;
use super::super::{Node, Tree, operand};
use super::children;
use serde::ser::{Error, Serialize, SerializeMap, Serializer};
use serde_json::ser::Formatter;
use serde_json::value::RawValue;
use std::io::{self, Write};

/// Writes a tree as nested JSON objects. Registers and angles are strings, other operands are numbers.
pub fn to_json(tree: &Tree) -> String {
    let mut json = Vec::new();
    let mut writer = serde_json::Serializer::with_formatter(&mut json, NodeALine::default());
    let root = Subtree { nodes: tree.nodes(), children: &children(tree), place: 0 };
    root.serialize(&mut writer).expect("a tree's keys are strings and its numbers are finite");
    json.push(b'\n');
    String::from_utf8(json).expect("serde_json writes UTF-8")
}

/// A node and its descendants.
struct Subtree<'a> {
    nodes: &'a [Node],
    /// Child indices of every node.
    children: &'a [Vec<usize>],
    place: usize,
}

impl Serialize for Subtree<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let node = &self.nodes[self.place];
        let spec = node.kind.spec();
        let mut object = serializer.serialize_map(None)?;
        object.serialize_entry("node", spec.name)?;
        for (value, o) in node.operands.iter().zip(spec.operands) {
            let word = operand::format_exact(*value, o.operand);
            let named = o.operand.is_register() || o.operand.is_entry();
            if named || matches!(o.operand, Operand::Angle | Operand::Width) {
                object.serialize_entry(o.name, &word)?;
            } else {
                // Writes the number as in the other forms, for example as 1. Serde_json would write this f32 as 1.0.
                object.serialize_entry(o.name, &RawValue::from_string(word).map_err(S::Error::custom)?)?;
            }
        }
        let below = &self.children[self.place];
        if !below.is_empty() {
            let below: Vec<Subtree> = below.iter().map(|place| Subtree { place: *place, ..*self }).collect();
            object.serialize_entry("children", &below)?;
        }
        object.end()
    }
}

/// Layout that puts each array element on its own line, indented by its depth, and keeps objects on one line.
#[derive(Default)]
struct NodeALine {
    depth: usize,
}

impl NodeALine {
    fn new_line<W: Write + ?Sized>(&self, writer: &mut W) -> io::Result<()> {
        write!(writer, "\n{:indent$}", "", indent = 2 * self.depth)
    }
}

impl Formatter for NodeALine {
    fn begin_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth += 1;
        writer.write_all(b"[")
    }

    fn begin_array_value<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if !first {
            writer.write_all(b",")?;
        }
        self.new_line(writer)
    }

    fn end_array<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        self.depth -= 1;
        self.new_line(writer)?;
        writer.write_all(b"]")
    }

    fn begin_object_key<W: Write + ?Sized>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { writer.write_all(b", ") }
    }

    fn begin_object_value<W: Write + ?Sized>(&mut self, writer: &mut W) -> io::Result<()> {
        writer.write_all(b": ")
    }
}

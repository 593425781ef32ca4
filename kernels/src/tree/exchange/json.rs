//! JSON, written: `{"node": "seq", "children": [...]}`, operands by their names, one node a line.

use super::super::nodes::Operand;
use super::super::{Node, Tree, operand};
use std::fmt::Write;

/// The tree as nested JSON objects. Registers and angles are strings, the other operands numbers.
pub fn to_json(tree: &Tree) -> String {
    let mut json = String::new();
    let mut open: Vec<u16> = Vec::new();
    for node in tree.nodes() {
        let indent = 2 * open.len();
        let _ = write!(json, "{:indent$}{{\"node\": \"{}\"{}", "", node.kind.spec().name, operands(node));
        if node.children > 0 {
            json.push_str(", \"children\": [\n");
            open.push(node.children);
            continue;
        }
        json.push('}');
        while let Some(last) = open.last_mut() {
            *last -= 1;
            if *last > 0 {
                json.push_str(",\n");
                break;
            }
            open.pop();
            let indent = 2 * open.len();
            let _ = write!(json, "\n{:indent$}]}}", "");
        }
    }
    json.push('\n');
    json
}

/// Words hold neither quotes nor backslashes, and finite numbers print as JSON numbers.
fn operands(node: &Node) -> String {
    let mut text = String::new();
    for (value, o) in node.operands.iter().zip(node.kind.spec().operands) {
        let word = operand::exact_word(*value, o.operand);
        let quote =
            if o.operand.is_register() || matches!(o.operand, Operand::Angle | Operand::Width) { "\"" } else { "" };
        let _ = write!(text, ", \"{}\": {quote}{word}{quote}", o.name);
    }
    text
}

//! DOT, the language of Graphviz, for layouts and pictures that the built-in SVG writer does not support.

use super::super::Tree;
use super::super::nodes::{Group, Kind};
use super::{dot_network, parents};
use std::fmt::Write;

/// Writes the tree as a DOT graph for `dot -Tsvg`. The order of children is kept.
pub fn to_dot(tree: &Tree) -> String {
    let mut dot = String::from("digraph tree {\n  graph [ordering=out];\n  node [fontname=\"monospace\"];\n");
    let part = |i: &usize| tree.nodes()[*i].kind.spec().group == Group::Part;
    for (i, node) in tree.nodes().iter().enumerate().filter(|(i, _)| !part(i)) {
        let shape = match node.kind.spec().group {
            Group::Composite => "shape=box",
            Group::Decorator => "shape=diamond",
            _ => "shape=box, style=rounded",
        };
        // The label needs no escaping: names, registers and numbers contain neither quotes nor backslashes.
        let _ = writeln!(dot, "  n{i} [label=\"{}\", {shape}];", super::svg::label_text(node));
    }
    for (i, parent) in parents(tree).into_iter().enumerate().skip(1).filter(|(i, _)| !part(i)) {
        let _ = writeln!(dot, "  n{parent} -> n{i};");
    }
    for i in (0..tree.nodes().len()).filter(|i| tree.nodes()[*i].kind == Kind::Network) {
        dot_network::write(&mut dot, i, &tree.nodes()[i..tree.end(i)]);
    }
    dot.push_str("}\n");
    dot
}

//! XML writer for BehaviorTree.CPP, version 4. Groot2 and the tools of BehaviorTree.CPP can show and edit the trees.
//!
//! The writer uses a node of BehaviorTree.CPP if its documented meaning is the same (<https://www.behaviortree.dev>,
//! "Sequences", "Fallbacks", "Decorators"). A reactive composite starts at its first child every tick, as `seq` and
//! `sel` do. `Sequence` and `Fallback` resume at the running child, as `seqm` and `selm` do.
//!
//! `par`, `repeati` and other nodes without an equivalent are custom nodes, described in the TreeNodesModel.
//! `Parallel` is not equivalent to `par`: `Parallel` remembers completed children and ends at the first tick that
//! decides, while `par` ticks all children every time. `Repeat` is not equivalent to `repeati`: `Repeat` ticks its
//! child repeatedly within one tick, while `repeati` ticks its child once per tick.
//!
//! The name of an element is the name of its node (`<movcv .../>`, the compact form of BehaviorTree.CPP). The parser
//! of BehaviorTree.CPP 4.10 looks up the children of a `ReactiveSequence` by their element names and therefore
//! rejects `<Action ID="movcv" .../>`.

use super::super::nodes::{Group, Kind, Operand};
use super::super::reference::operand_domain;
use super::super::{Node, Tree, operand};
use std::fmt::Write;

/// Kinds of nodes with an equivalent node in BehaviorTree.CPP, and the name of the equivalent.
pub(super) const SAME: [(Kind, &str); 9] = [
    (Kind::Seq, "ReactiveSequence"),
    (Kind::Sel, "ReactiveFallback"),
    (Kind::Seqm, "Sequence"),
    (Kind::Selm, "Fallback"),
    (Kind::Successd, "ForceSuccess"),
    (Kind::Failed, "ForceFailure"),
    (Kind::Invert, "Inverter"),
    (Kind::Successl, "AlwaysSuccess"),
    (Kind::Failurel, "AlwaysFailure"),
];

/// Name of the tree in written files, which contain only one tree. In the Groot2 protocol, the blackboard of this tree
/// has the same name.
pub const TREE: &str = "xpuck";

/// Name of the port that contains the neurons and synapses of a network. A network is a leaf in XML.
pub(super) const NEURONS: &str = "neurons";

/// Returns the name of the equivalent node in BehaviorTree.CPP; `None` if there is no equivalent.
fn same(kind: Kind) -> Option<&'static str> {
    SAME.iter().find(|(k, _)| *k == kind).map(|(_, name)| *name)
}

/// Returns the name of the element that describes a custom node in the TreeNodesModel. The name is the type of the
/// node in BehaviorTree.CPP.
pub(super) fn category(kind: Kind) -> &'static str {
    match kind.spec().group {
        Group::Composite => "Control",
        Group::Decorator => "Decorator",
        Group::Network => "Action",
        _ if kind.spec().writes => "Action",
        _ => "Condition",
    }
}

/// Writes the tree as a file of BehaviorTree.CPP version 4.
pub fn to_xml(tree: &Tree) -> String {
    write_xml(tree, "", |_, _| String::new())
}

/// Writes the tree in the form in which BehaviorTree.CPP describes a running tree to Groot2. This is the form of
/// [`to_xml`] with additional attributes for each node: the name of the node, `_uid` (its index in [`Tree::nodes`],
/// counted from 1) and the unique `_fullpath`.
pub fn to_xml_live(tree: &Tree) -> String {
    write_xml(tree, " _fullpath=\"\"", numbers)
}

/// Writes a tree. `path` contains additional attributes of the tree. `identity` returns the identifying attributes of a
/// node. The arguments of `identity` are the kind of the node and its number in preorder, counted from 1.
fn write_xml(tree: &Tree, path: &str, identity: fn(Kind, usize) -> String) -> String {
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(xml, "<root BTCPP_format=\"4\" main_tree_to_execute=\"{TREE}\">");
    let _ = writeln!(xml, "  <BehaviorTree ID=\"{TREE}\"{path}>");
    let mut open: Vec<(&str, u16)> = Vec::new();
    for (place, node) in tree.nodes().iter().enumerate() {
        let indent = 4 + 2 * open.len();
        if matches!(node.kind, Kind::Neuron | Kind::Synapse) {
            continue;
        }
        let name = element_name(node.kind);
        let identity = identity(node.kind, place + 1);
        let (operands, children) = match node.kind {
            Kind::Network => (neurons(&tree.nodes()[place..tree.end(place)]), 0),
            _ => (operands(node), node.children),
        };
        let _ = write!(xml, "{:indent$}<{name}{identity}{operands}", "");
        if let Some(last) = open.last_mut() {
            last.1 -= 1;
        }
        if children == 0 {
            xml.push_str("/>\n");
        } else {
            xml.push_str(">\n");
            open.push((name, children));
        }
        while let Some((name, 0)) = open.last() {
            let indent = 2 + 2 * open.len();
            let _ = writeln!(xml, "{:indent$}</{name}>", "");
            open.pop();
        }
    }
    xml.push_str("  </BehaviorTree>\n");
    model(&mut xml, tree);
    xml.push_str("</root>\n");
    xml
}

/// Returns the element name of a node in a tree. This is the name of the equivalent node in BehaviorTree.CPP, or the
/// ID of the custom node in the TreeNodesModel.
fn element_name(kind: Kind) -> &'static str {
    same(kind).unwrap_or(kind.spec().name)
}

/// Returns attributes that identify a node: its name in this crate, and its unique identifiers `_uid` and
/// `_fullpath`.
fn numbers(kind: Kind, uid: usize) -> String {
    let name = kind.spec().name;
    format!(" name=\"{name}\" _uid=\"{uid}\" _fullpath=\"{name}::{uid}\"")
}

/// Returns the operands of a node as attributes. Names and values contain no character that XML must escape.
fn operands(node: &Node) -> String {
    let mut text = String::new();
    for (value, o) in node.operands.iter().zip(node.kind.spec().operands) {
        let _ = write!(text, " {}=\"{}\"", o.name, operand::format_exact(*value, o.operand));
    }
    text
}

/// Returns the neurons of a network as one port. Each neuron consists of bias and gain, followed by source and weight
/// of each synapse. Semicolons separate the neurons.
///
/// Neurons cannot be child elements, because in BehaviorTree.CPP a node with children is not a leaf. In addition, a
/// neuron without synapses would be a control node without children.
fn neurons(nodes: &[Node]) -> String {
    let mut text = String::new();
    for node in &nodes[1..] {
        let between = if text.is_empty() {
            ""
        } else if node.kind == Kind::Neuron {
            "; "
        } else {
            " "
        };
        let values = node.operands.iter().zip(node.kind.spec().operands);
        let words: Vec<String> = values.map(|(value, o)| operand::format_exact(*value, o.operand)).collect();
        let _ = write!(text, "{between}{}", words.join(" "));
    }
    format!(" {NEURONS}=\"{text}\"")
}

/// Appends the descriptions of all custom nodes of the tree's robot. Nodes that the tree does not use are included,
/// so that editors offer them too.
fn model(xml: &mut String, tree: &Tree) {
    let on_kilobot = tree.nodes().iter().any(|node| node.kind.is_kilobots_own());
    let has = |kind: Kind| if on_kilobot { kind.on_kilobot() } else { !kind.is_kilobots_own() };
    let is_part = |kind: Kind| matches!(kind, Kind::Neuron | Kind::Synapse);
    xml.push_str("  <TreeNodesModel>\n");
    for kind in Kind::all().filter(|kind| same(*kind).is_none() && has(*kind) && !is_part(*kind)) {
        let (spec, category) = (kind.spec(), category(kind));
        if kind == Kind::Network {
            let meaning = "bias gain source weight ...; the same of each neuron";
            let _ = writeln!(xml, "    <{category} ID=\"{}\">", spec.name);
            let _ = writeln!(xml, "      <input_port name=\"{NEURONS}\" type=\"std::string\">{meaning}</input_port>");
            let _ = writeln!(xml, "    </{category}>");
            continue;
        }
        if spec.operands.is_empty() {
            let _ = writeln!(xml, "    <{category} ID=\"{}\"/>", spec.name);
            continue;
        }
        let _ = writeln!(xml, "    <{category} ID=\"{}\">", spec.name);
        for o in spec.operands {
            let (port, meaning) = (port_type(o.operand), operand_domain(o.operand));
            let _ = writeln!(xml, "      <input_port name=\"{}\" type=\"{port}\">{meaning}</input_port>", o.name);
        }
        let _ = writeln!(xml, "    </{category}>");
    }
    xml.push_str("  </TreeNodesModel>\n");
}

/// Returns the C++ type of an operand's port. Registers, angles and entries are strings, other operands are numbers.
fn port_type(operand: Operand) -> &'static str {
    match operand {
        Operand::Int8 | Operand::Count | Operand::Quadrant | Operand::Threshold => "int",
        Operand::Fixed | Operand::Float | Operand::Gain | Operand::Share => "double",
        _ => "std::string",
    }
}

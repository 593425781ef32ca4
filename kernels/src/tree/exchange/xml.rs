//! XML of BehaviorTree.CPP, version 4: written so that its tools and Groot2 show and edit our trees.
//!
//! Its own node is used where its documented meaning is ours (<https://www.behaviortree.dev>, "Sequences",
//! "Fallbacks", "Decorators"): a reactive composite starts at its first child every tick, as `seq` and `sel` do,
//! and `Sequence` and `Fallback` resume at the running child, as `seqm` and `selm` do. `Parallel` is not ours: it
//! remembers which children are done and ends at the first tick that decides, while `par` ticks all children every
//! time. `Repeat` is not `repeati`: it ticks its child again within one tick, while `repeati` does it once a tick.
//! These two and all leaves are custom nodes, described in the TreeNodesModel.
//!
//! An element's name is that of its node (`<movcv .../>`, its compact form): the parser of BehaviorTree.CPP 4.10 looks
//! up the children of a `ReactiveSequence` by the names of their elements, and so refuses `<Action ID="movcv" .../>`.

use super::super::nodes::{Group, Kind, Operand};
use super::super::reference::operand_domain;
use super::super::{Node, Tree, operand};
use std::fmt::Write;

/// Nodes of BehaviorTree.CPP with the same meaning as ours.
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

/// The name of the only tree in our files, and of its blackboard in the Groot2 protocol.
pub const TREE: &str = "xpuck";

/// The port of a network, which is a leaf there: its neurons with their synapses.
pub(super) const NEURONS: &str = "neurons";

/// The name that BehaviorTree.CPP has for a kind, if it has the kind.
fn same(kind: Kind) -> Option<&'static str> {
    SAME.iter().find(|(k, _)| *k == kind).map(|(_, name)| *name)
}

/// The element that describes a custom node in the TreeNodesModel: what BehaviorTree.CPP calls its type.
pub(super) fn category(kind: Kind) -> &'static str {
    match kind.spec().group {
        Group::Composite => "Control",
        Group::Decorator => "Decorator",
        Group::Network => "Action",
        _ if kind.spec().writes => "Action",
        _ => "Condition",
    }
}

/// The tree as a file of BehaviorTree.CPP version 4.
pub fn to_xml(tree: &Tree) -> String {
    write_xml(tree, "", |_, _| String::new())
}

/// The tree as BehaviorTree.CPP describes a running one to Groot2: as [`to_xml`], and every node has a `_uid`, its
/// place in [`Tree::nodes`] counted from 1, and a `_fullpath`, which is unique too.
pub fn to_xml_live(tree: &Tree) -> String {
    write_xml(tree, " _fullpath=\"\"", numbers)
}

/// `path` are attributes of the tree, and `identity` gives those that tell a node from others, by its kind and its
/// number from 1.
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

/// The element of a node in a tree: its name in BehaviorTree.CPP, or its ID in the TreeNodesModel.
fn element_name(kind: Kind) -> &'static str {
    same(kind).unwrap_or(kind.spec().name)
}

/// The name that a viewer shows, our own, and what tells nodes apart.
fn numbers(kind: Kind, uid: usize) -> String {
    let name = kind.spec().name;
    format!(" name=\"{name}\" _uid=\"{uid}\" _fullpath=\"{name}::{uid}\"")
}

/// Names and words hold letters, digits, dots and signs only, so that nothing needs escaping.
fn operands(node: &Node) -> String {
    let mut text = String::new();
    for (value, o) in node.operands.iter().zip(node.kind.spec().operands) {
        let _ = write!(text, " {}=\"{}\"", o.name, operand::exact_word(*value, o.operand));
    }
    text
}

/// The neurons of a network: bias and gain, then source and weight of each synapse; semicolons between neurons. A node with
/// children would be no leaf for BehaviorTree.CPP, and a neuron without synapses no node with children.
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
        let words: Vec<String> = values.map(|(value, o)| operand::exact_word(*value, o.operand)).collect();
        let _ = write!(text, "{between}{}", words.join(" "));
    }
    format!(" {NEURONS}=\"{text}\"")
}

/// Describes every custom node that the tree's robot has, used or not, so that an editor offers them all.
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

/// Registers and angles are text for BehaviorTree.CPP; numbers are numbers.
fn port_type(operand: Operand) -> &'static str {
    match operand {
        Operand::Int8 | Operand::Count | Operand::Quadrant | Operand::Threshold => "int",
        Operand::Fixed | Operand::Float | Operand::Gain | Operand::Share => "double",
        _ => "std::string",
    }
}

//! XML of BehaviorTree.CPP, version 4, read: our own files, and those its tools made from our nodes.

use super::super::Tree;
use super::super::nodes::Kind;
use super::super::operand::shorten;
use super::super::parse::{MAX_NODES, ParseError};
use super::xml::{SAME, category};
use super::{Element, Source, Word};
use roxmltree::{Document, Node, ParsingOptions};

/// Attributes that say nothing about what a node does: names and notes of editors and of the Groot2 protocol.
const NOTES: [&str; 4] = ["name", "_uid", "_fullpath", "_description"];
/// Most attributes in a file.
const MAX_ATTRIBUTES: usize = 8 * MAX_NODES;
/// Most attributes of an element; the parser compares each with all others.
const MAX_OF_ELEMENT: usize = 1024;

/// Reads a tree from XML of BehaviorTree.CPP version 4: the one that `main_tree_to_execute` names, or the only one.
///
/// Custom nodes may be written as `<movcs .../>` or as `<Action ID="movcs" .../>`. Nodes of BehaviorTree.CPP that
/// mean something else than ours are refused, not guessed at.
pub fn from_xml(text: &str) -> Result<Tree, ParseError> {
    let mut source = Source::new(text)?;
    if text.bytes().filter(|b| *b == b'=').count() > MAX_ATTRIBUTES {
        return Err(source.error(0, format!("more than {MAX_ATTRIBUTES} attributes")));
    }
    // Attributes hold no `<`, so those of an element lie between two of them.
    if text.split('<').any(|element| element.bytes().filter(|b| *b == b'=').count() > MAX_OF_ELEMENT) {
        return Err(source.error(0, format!("an element with more than {MAX_OF_ELEMENT} attributes")));
    }
    // Each element comes with white space on both sides, and the model of nodes adds its own.
    let options = ParsingOptions { nodes_limit: 16 * MAX_NODES as u32, ..ParsingOptions::default() };
    let document = Document::parse_with_options(text, options).map_err(|error| malformed(&source, &error))?;
    let root = document.root_element();
    if root.tag_name().name() != "root" {
        return Err(source.error(root.range().start, "a tree of BehaviorTree.CPP is inside <root>".into()));
    }
    match root.attribute("BTCPP_format") {
        Some("4") => {}
        Some(other) => {
            let message = format!("BTCPP_format is `{}`; this reads format 4", shorten(other));
            return Err(source.error(root.range().start, message));
        }
        None => return Err(source.error(root.range().start, "<root> needs BTCPP_format=\"4\"".into())),
    }
    let tree = main_tree(&source, root)?;
    let mut children = elements(&source, tree)?;
    let (Some(first), None) = (children.pop(), children.pop()) else {
        return Err(source.error(tree.range().start, "<BehaviorTree> holds exactly one root node".into()));
    };
    let element = element(&mut source, first, 0)?;
    source.tree(&element)
}

/// The parser's message already ends with its place; ours begins with it. What is missing is missing at the end.
fn malformed(source: &Source, error: &roxmltree::Error) -> ParseError {
    if let roxmltree::Error::UnclosedRootNode | roxmltree::Error::UnexpectedEndOfStream = error {
        return source.error(source.text.trim_end().len(), format!("not XML: {error}"));
    }
    let place = error.pos();
    let line_start: usize =
        source.text.split_inclusive('\n').take((place.row as usize).saturating_sub(1)).map(str::len).sum();
    let line = &source.text[line_start.min(source.text.len())..];
    let column: usize = line.chars().take((place.col as usize).saturating_sub(1)).map(char::len_utf8).sum();
    let text = error.to_string();
    let end = text.rfind(" at ").unwrap_or(text.len());
    source.error(line_start + column, format!("not XML: {}", &text[..end]))
}

/// The `<BehaviorTree>` to read.
fn main_tree<'a, 'i>(source: &Source, root: Node<'a, 'i>) -> Result<Node<'a, 'i>, ParseError> {
    let trees: Vec<Node> = root.children().filter(|c| c.has_tag_name("BehaviorTree")).collect();
    let place = root.range().start;
    if let Some(include) = root.children().find(|c| c.has_tag_name("include")) {
        return Err(source.error(include.range().start, "include is not read; a tree is one file".into()));
    }
    if let Some(name) = root.attribute("main_tree_to_execute") {
        let found = trees.iter().find(|t| t.attribute("ID") == Some(name));
        let missing = || source.error(place, format!("there is no <BehaviorTree ID=\"{}\">", shorten(name)));
        return found.copied().ok_or_else(missing);
    }
    match trees[..] {
        [only] => Ok(only),
        [] => Err(source.error(place, "<root> holds no <BehaviorTree>".into())),
        _ => Err(source.error(place, "several trees; name one with main_tree_to_execute".into())),
    }
}

/// The elements inside a node; text between them is a fault, comments are not.
fn elements<'a, 'i>(source: &Source, node: Node<'a, 'i>) -> Result<Vec<Node<'a, 'i>>, ParseError> {
    let stray = |c: &Node| c.is_text() && c.text().is_some_and(|t| !t.trim().is_empty());
    if let Some(text) = node.children().find(stray) {
        return Err(source.error(text.range().start, "text between nodes".into()));
    }
    Ok(node.children().filter(Node::is_element).collect())
}

fn element(source: &mut Source, node: Node, depth: usize) -> Result<Element, ParseError> {
    let at = node.range().start;
    source.enter(at, depth)?;
    let kind = kind(source, node)?;
    let mut operands = Vec::new();
    for attribute in node.attributes() {
        let (name, place) = (attribute.name(), attribute.range().start);
        if NOTES.contains(&name) || name == "ID" {
            continue;
        }
        if name.starts_with('_') {
            let message = format!("`{}`: conditions and scripts of nodes are not read", shorten(name));
            return Err(source.error(place, message));
        }
        operands.push(Word { name: name.into(), text: attribute.value().into(), at: place });
    }
    let mut children = Vec::new();
    for child in elements(source, node)? {
        children.push(element(source, child, depth + 1)?);
    }
    Ok(Element { kind, at, operands, children })
}

fn kind(source: &Source, node: Node) -> Result<Kind, ParseError> {
    let (at, tag) = (node.range().start, node.tag_name().name());
    let foreign = |name| foreign(name).map_or(Ok(()), |why| Err(source.error(at, why.into())));
    foreign(tag)?;
    let (name, generic) = match (tag, node.attribute("ID")) {
        ("Action" | "Condition" | "Decorator" | "Control", Some(id)) => (id, true),
        ("Action" | "Condition" | "Decorator" | "Control", None) => {
            return Err(source.error(at, format!("<{tag}> needs an ID")));
        }
        (_, Some(_)) => {
            let message = format!("<{}> takes no ID; that is for Action, Condition, Decorator, Control", shorten(tag));
            return Err(source.error(at, message));
        }
        (_, None) => (tag, false),
    };
    if let Some((kind, _)) = SAME.iter().find(|(_, same)| *same == name) {
        return Ok(*kind);
    }
    foreign(name)?;
    let kind = Kind::of_name(name).ok_or_else(|| source.unknown_node(at, name))?;
    if generic && tag != category(kind) {
        return Err(source.error(at, format!("{name} is a node of type {}, not {tag}", category(kind))));
    }
    Ok(kind)
}

/// Why a node of BehaviorTree.CPP that looks like one of ours is not read.
fn foreign(name: &str) -> Option<&'static str> {
    Some(match name {
        "Parallel" | "ParallelAll" => {
            "Parallel remembers which children are done; write <par k=\"...\">, which ticks all of them"
        }
        "Repeat" => "Repeat loops inside one tick; write <repeati n=\"...\">, once a tick",
        "SequenceWithMemory" => "SequenceWithMemory does not start afresh after a failure; no node here does that",
        "SubTree" => "SubTree is not read; put the subtree's nodes in its place",
        _ => return None,
    })
}

//! Elements of XML files that contain trees. The elements own their data, because a tree can consist of several
//! files.

use super::super::operand::shorten;
use super::super::parse::{MAX_DEPTH, MAX_NODES, ParseError};
use super::Source;
use roxmltree::{Document, Node, ParsingOptions};

/// Maximum number of attributes in a file.
const MAX_ATTRIBUTES: usize = 8 * MAX_NODES;
/// Maximum number of attributes of an element. The parser compares each attribute of an element with all others, so
/// its time grows with the square of this number.
const MAX_OF_ELEMENT: usize = 1024;

/// An XML element. Positions are byte offsets in the concatenated text of all files.
#[derive(Debug)]
pub(super) struct Xml {
    pub tag: String,
    pub at: usize,
    pub attributes: Vec<Attribute>,
    pub children: Vec<Xml>,
    /// Position of the first text between the child elements, if there is any. Such text is an error in a tree.
    pub stray: Option<usize>,
}

/// An XML attribute.
#[derive(Debug)]
pub(super) struct Attribute {
    pub name: String,
    pub value: String,
    pub at: usize,
}

impl Xml {
    /// Returns the value of the attribute with the given name, if the element has it.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|attribute| attribute.name == name).map(|attribute| attribute.value.as_str())
    }

    /// Returns the children with the given tag.
    pub fn all<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = &'a Xml> {
        self.children.iter().filter(move |child| child.tag == tag)
    }

    fn from_node(node: Node<'_, '_>, base: usize, depth: usize) -> Xml {
        let stray = node.children().find(|c| c.is_text() && c.text().is_some_and(|t| !t.trim().is_empty()));
        let elements = node.children().filter(Node::is_element);
        // Keeps one level more than a valid tree has, so that the reader detects a tree that is too deep.
        let kept = if depth > MAX_DEPTH + 3 { 0 } else { usize::MAX };
        Xml {
            tag: node.tag_name().name().into(),
            at: base + node.range().start,
            attributes: node
                .attributes()
                .map(|a| Attribute { name: a.name().into(), value: a.value().into(), at: base + a.range().start })
                .collect(),
            children: elements.take(kept).map(|child| Xml::from_node(child, base, depth + 1)).collect(),
            stray: stray.map(|text| base + text.range().start),
        }
    }
}

/// Parses the last file of `source`, which starts at byte offset `base`. Returns the root element of the file, which
/// must be a `<root>` of format 4.
pub(super) fn parse(source: &Source, base: usize) -> Result<Xml, ParseError> {
    let text = &source.text[base..];
    if text.bytes().filter(|b| *b == b'=').count() > MAX_ATTRIBUTES {
        return Err(source.error(base, format!("the text has more than {MAX_ATTRIBUTES} attributes")));
    }
    // Each attribute contains at least one `=` and no `<`. An element therefore has at most as many attributes as there
    // are `=` between its `<` and the next `<`.
    if text.split('<').any(|element| element.bytes().filter(|b| *b == b'=').count() > MAX_OF_ELEMENT) {
        return Err(source.error(base, format!("an element has more than {MAX_OF_ELEMENT} attributes")));
    }
    // The parser also counts white space and the elements of the TreeNodesModel as nodes. Its limit is therefore higher
    // than the maximum number of nodes of a tree.
    let options = ParsingOptions { nodes_limit: 16 * MAX_NODES as u32, ..ParsingOptions::default() };
    let document =
        Document::parse_with_options(text, options).map_err(|error| malformed(source, base, text, &error))?;
    let root = Xml::from_node(document.root_element(), base, 0);
    if root.tag != "root" {
        return Err(source.error(root.at, "the root element must be <root>".into()));
    }
    match root.get("BTCPP_format") {
        Some("4") => Ok(root),
        Some(other) => {
            Err(source.error(root.at, format!("BTCPP_format is `{}`; only format 4 is supported", shorten(other))))
        }
        None => Err(source.error(root.at, "<root> needs BTCPP_format=\"4\"".into())),
    }
}

/// Converts an error of the XML parser. The position is removed from the parser's message and becomes the position of
/// the result. For an incomplete text, the position is the end of the text.
fn malformed(source: &Source, base: usize, text: &str, error: &roxmltree::Error) -> ParseError {
    if let roxmltree::Error::UnclosedRootNode | roxmltree::Error::UnexpectedEndOfStream = error {
        return source.error(base + text.trim_end().len(), format!("not XML: {error}"));
    }
    let place = error.pos();
    let line_start: usize = text.split_inclusive('\n').take((place.row as usize).saturating_sub(1)).map(str::len).sum();
    let line = &text[line_start.min(text.len())..];
    let column: usize = line.chars().take((place.col as usize).saturating_sub(1)).map(char::len_utf8).sum();
    let message = error.to_string();
    let end = message.rfind(" at ").unwrap_or(message.len());
    source.error(base + line_start + column, format!("not XML: {}", &message[..end]))
}

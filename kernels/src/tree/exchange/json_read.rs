//! JSON reader for trees, based on serde_json. Serde_json gives positions only for syntax errors. For other errors, the
//! reader computes the positions of nodes and operands from the addresses of borrowed keys and values.

use super::super::Tree;
use super::super::nodes::Kind;
use super::super::operand::shorten;
use super::super::parse::ParseError;
use super::super::registers::RegisterMap;
use super::{Element, Source, Word};
use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::error::Category;
use serde_json::value::RawValue;
use std::fmt;

/// Reads an e-puck's tree from nested objects `{"node": NAME, OPERAND: VALUE, ..., "children": [...]}`. The keys may
/// have any order.
///
/// # Errors
/// The first error of syntax or of the tree, with line and column.
pub fn from_json(text: &str) -> Result<Tree, ParseError> {
    from_json_for(text, RegisterMap::Full)
}

/// Reads a tree like [`from_json`], for the robot with the given register map.
///
/// # Errors
/// Same as [`from_json`].
pub fn from_json_for(text: &str, map: RegisterMap) -> Result<Tree, ParseError> {
    let mut reader = Reader { source: Source::new(text)?, behind: 0, fault: None };
    reader.source.map = map;
    let mut json = serde_json::Deserializer::from_str(text);
    // The nesting of a valid tree can exceed serde_json's limit. The reader enforces its own limit.
    json.disable_recursion_limit();
    let root = NodeReader { reader: &mut reader, depth: 0 }.deserialize(&mut json);
    let root = root.map_err(|error| reader.syntax(&error))?;
    json.end().map_err(|error| reader.source.error(reader.place(&error), "unexpected text after the tree".into()))?;
    reader.source.tree(&root)
}

struct Reader<'a> {
    source: Source<'a>,
    /// Byte offset after the last token; closing brackets are not counted.
    behind: usize,
    /// Error in the tree, stored here because an error of serde_json cannot contain our position.
    fault: Option<ParseError>,
}

impl Reader<'_> {
    /// Returns the byte offset of the next token, assuming that only valid JSON separators precede it.
    fn next(&self) -> usize {
        let rest = &self.source.text[self.behind..];
        self.behind + rest.find(|c: char| !c.is_ascii_whitespace() && !",:]}".contains(c)).unwrap_or(rest.len())
    }

    /// Consumes a token and returns its byte offset.
    fn consume(&mut self, token: &RawValue) -> usize {
        let at = token.get().as_ptr() as usize - self.source.text.as_ptr() as usize;
        self.behind = at + token.get().len();
        at
    }

    /// Consumes an opening bracket as the next token and returns its position.
    fn open<E: Error>(&mut self, bracket: char, what: &str) -> Result<usize, E> {
        let at = self.next();
        if !self.source.text[at..].starts_with(bracket) {
            return Err(self.refuse(at, format!("`{bracket}` is missing {what}")));
        }
        self.behind = at + 1;
        Ok(at)
    }

    /// Aborts reading with an error in the tree at byte offset `at`.
    fn refuse<E: Error>(&mut self, at: usize, message: String) -> E {
        self.fail(self.source.error(at, message))
    }

    fn fail<E: Error>(&mut self, fault: ParseError) -> E {
        self.fault = Some(fault);
        E::custom("a fault of the tree")
    }

    /// Decodes the string token at byte offset `at`.
    fn string<E: Error>(&mut self, token: &RawValue, at: usize) -> Result<String, E> {
        if !token.get().starts_with('"') {
            return Err(self.refuse(at, "`\"` is missing where a string begins".into()));
        }
        serde_json::from_str(token.get())
            .map_err(|_| self.refuse(at, "the string contains half a surrogate pair".into()))
    }

    /// Reads an operand as text. The value is validated later, by the rules of the operand's type.
    fn operand<E: Error>(&mut self, token: &RawValue, at: usize) -> Result<String, E> {
        match token.get().as_bytes()[0] {
            b'"' => self.string(token, at),
            b'-' | b'0'..=b'9' => Ok(token.get().into()),
            _ => Err(self.refuse(at, "an operand must be a number or a string".into())),
        }
    }

    /// Returns the byte offset at which serde_json stopped.
    fn place(&self, error: &serde_json::Error) -> usize {
        let lines = self.source.text.split_inclusive('\n').take(error.line().saturating_sub(1));
        lines.map(str::len).sum::<usize>() + error.column().saturating_sub(1)
    }

    /// Converts an error of serde_json, or returns the stored error of the tree. If the text ends too early, the
    /// position is the start of the missing token.
    fn syntax(&mut self, error: &serde_json::Error) -> ParseError {
        if let Some(fault) = self.fault.take() {
            return fault;
        }
        let at = if error.classify() == Category::Eof { self.next() } else { self.place(error) };
        let text = error.to_string();
        let end = text.rfind(" at line ").unwrap_or(text.len());
        self.source.error(at, format!("not JSON: {}", &text[..end]))
    }
}

/// Reader of the object of a node that is `depth` levels below the root.
struct NodeReader<'r, 'a> {
    reader: &'r mut Reader<'a>,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for NodeReader<'_, '_> {
    type Value = Element;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Element, D::Error> {
        let at = self.reader.open('{', "where a node begins")?;
        self.reader.source.enter(at, self.depth).map_err(|fault| self.reader.fail(fault))?;
        json.deserialize_map(NodeVisitor { reader: self.reader, depth: self.depth, at })
    }
}

struct NodeVisitor<'r, 'a> {
    reader: &'r mut Reader<'a>,
    depth: usize,
    /// Byte offset of the object.
    at: usize,
}

impl<'de> Visitor<'de> for NodeVisitor<'_, '_> {
    type Value = Element;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a node")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut object: M) -> Result<Element, M::Error> {
        let NodeVisitor { reader, depth, at } = self;
        let mut kind: Option<Kind> = None;
        let mut children: Option<Vec<Element>> = None;
        let mut operands: Vec<Word> = Vec::new();
        while let Some(key) = object.next_key::<&RawValue>()? {
            let key_at = reader.consume(key);
            let key = reader.string(key, key_at)?;
            let twice = match key.as_str() {
                "node" => kind.is_some(),
                "children" => children.is_some(),
                _ => operands.iter().any(|w| w.name == key),
            };
            if twice {
                return Err(reader.refuse(key_at, format!("duplicate key `{}`", shorten(&key))));
            }
            if key == "children" {
                children = Some(object.next_value_seed(ChildrenReader { reader: &mut *reader, depth: depth + 1 })?);
                continue;
            }
            // A node has at most four operands, so a fifth operand is an error.
            if key != "node" && operands.len() == 4 {
                return Err(reader.refuse(key_at, format!("too many operands at `{}`", shorten(&key))));
            }
            let value = object.next_value::<&RawValue>()?;
            let at = reader.consume(value);
            if key == "node" {
                let name = reader.string(value, at)?;
                let unknown = || reader.source.unknown_node(at, &name, []);
                kind = Some(Kind::of_name(&name).ok_or_else(unknown).map_err(|fault| reader.fail(fault))?);
            } else {
                operands.push(Word { name: key, text: reader.operand(value, at)?, at });
            }
        }
        let Some(kind) = kind else { return Err(reader.refuse(at, "the object has no \"node\" key".into())) };
        Ok(Element { kind, at, operands, children: children.unwrap_or_default() })
    }
}

/// Reader of a list of child nodes that are `depth` levels below the root.
struct ChildrenReader<'r, 'a> {
    reader: &'r mut Reader<'a>,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for ChildrenReader<'_, '_> {
    type Value = Vec<Element>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Vec<Element>, D::Error> {
        self.reader.open::<D::Error>('[', "where children begin")?;
        json.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for ChildrenReader<'_, '_> {
    type Value = Vec<Element>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a list of nodes")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<Vec<Element>, S::Error> {
        let ChildrenReader { reader, depth } = self;
        let mut children = Vec::new();
        while let Some(child) = list.next_element_seed(NodeReader { reader: &mut *reader, depth })? {
            children.push(child);
        }
        Ok(children)
    }
}

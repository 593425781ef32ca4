//! JSON, read: RFC 8259 as far as trees need it, so that every error has its line and column.

use super::super::Tree;
use super::super::nodes::Kind;
use super::super::operand::shorten;
use super::super::parse::ParseError;
use super::{Element, Source, Word};

/// Longest string that can mean anything here.
const MAX_STRING: usize = 1000;

/// Reads a tree from nested objects `{"node": NAME, OPERAND: VALUE, ..., "children": [...]}`, keys in any order.
pub fn from_json(text: &str) -> Result<Tree, ParseError> {
    let source = Source::new(text)?;
    let mut reader = Reader { source, at: 0 };
    let root = reader.node(0)?;
    reader.space();
    if reader.at < text.len() {
        return Err(reader.error("text after the tree"));
    }
    reader.source.tree(&root)
}

struct Reader<'a> {
    source: Source<'a>,
    at: usize,
}

impl Reader<'_> {
    fn error(&self, message: &str) -> ParseError {
        self.source.error(self.at, message.into())
    }

    fn peek(&self) -> Option<u8> {
        self.source.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Skips white space and takes `byte` if it comes next.
    fn take(&mut self, byte: u8) -> bool {
        self.space();
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8, what: &str) -> Result<(), ParseError> {
        if self.take(byte) { Ok(()) } else { Err(self.error(&format!("`{}` is missing {what}", byte as char))) }
    }

    fn node(&mut self, depth: usize) -> Result<Element, ParseError> {
        self.expect(b'{', "where a node begins")?;
        let at = self.at - 1;
        self.source.enter(at, depth)?;
        let mut kind: Option<Kind> = None;
        let mut children: Option<Vec<Element>> = None;
        let mut operands: Vec<Word> = Vec::new();
        let mut first = true;
        while first || self.take(b',') {
            first = false;
            self.space();
            let key_at = self.at;
            let key = self.string()?;
            self.expect(b':', "after a key")?;
            self.space();
            let twice = match key.as_str() {
                "node" => kind.is_some(),
                "children" => children.is_some(),
                _ => operands.iter().any(|w| w.name == key),
            };
            if twice {
                return Err(self.source.error(key_at, format!("`{}` comes twice", shorten(&key))));
            }
            match key.as_str() {
                "node" => {
                    let name_at = self.at;
                    let name = self.string()?;
                    kind = Some(Kind::of_name(&name).ok_or_else(|| self.source.unknown_node(name_at, &name))?);
                }
                "children" => children = Some(self.children(depth + 1)?),
                // No node has more than four; a fifth is a fault already.
                _ if operands.len() == 4 => {
                    return Err(self.source.error(key_at, format!("`{}` is one operand too many", shorten(&key))));
                }
                _ => {
                    let at = self.at;
                    let text = if self.peek() == Some(b'"') { self.string()? } else { self.number()? };
                    operands.push(Word { name: key, text, at });
                }
            }
        }
        self.expect(b'}', "where a node ends")?;
        let kind = kind.ok_or_else(|| self.source.error(at, "an object without \"node\"".into()))?;
        Ok(Element { kind, at, operands, children: children.unwrap_or_default() })
    }

    fn children(&mut self, depth: usize) -> Result<Vec<Element>, ParseError> {
        self.expect(b'[', "where children begin")?;
        let mut children = Vec::new();
        if self.take(b']') {
            return Ok(children);
        }
        loop {
            children.push(self.node(depth)?);
            if !self.take(b',') {
                self.expect(b']', "where children end")?;
                return Ok(children);
            }
        }
    }

    /// A number's characters; the operand's own rules say which numbers fit.
    fn number(&mut self) -> Result<String, ParseError> {
        let rest = &self.source.text[self.at..];
        let end = rest.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')).unwrap_or(rest.len());
        if !rest.starts_with(|c: char| c == '-' || c.is_ascii_digit()) || end > MAX_STRING {
            return Err(self.error("an operand is a number or a string"));
        }
        self.at += end;
        Ok(rest[..end].into())
    }

    fn string(&mut self) -> Result<String, ParseError> {
        self.expect(b'"', "where a string begins")?;
        let start = self.at;
        let mut text = String::new();
        loop {
            let Some(c) = self.source.text[self.at..].chars().next() else {
                return Err(self.source.error(start - 1, "a string without its end".into()));
            };
            if c.is_control() || text.len() > MAX_STRING {
                return Err(self.source.error(start - 1, "a string with a line break, or too long".into()));
            }
            self.at += c.len_utf8();
            match c {
                '"' => return Ok(text),
                '\\' => text.push(self.escape()?),
                c => text.push(c),
            }
        }
    }

    /// The character of an escape, its backslash already taken. Surrogate pairs name nothing that a tree has.
    fn escape(&mut self) -> Result<char, ParseError> {
        let start = self.at;
        self.at += 1;
        let known = match self.source.text.as_bytes().get(start) {
            Some(b @ (b'"' | b'\\' | b'/')) => Some(*b as char),
            Some(b'b') => Some('\u{8}'),
            Some(b'f') => Some('\u{c}'),
            Some(b'n') => Some('\n'),
            Some(b'r') => Some('\r'),
            Some(b't') => Some('\t'),
            Some(b'u') => {
                let digits =
                    self.source.text.get(self.at..self.at + 4).filter(|d| d.bytes().all(|b| b.is_ascii_hexdigit()));
                let code = digits.and_then(|d| u32::from_str_radix(d, 16).ok());
                self.at += 4;
                code.and_then(char::from_u32)
            }
            _ => None,
        };
        known.ok_or_else(|| self.source.error(start, "not an escape that a tree can need".into()))
    }
}

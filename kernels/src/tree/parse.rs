//! Reader of the text form of trees. The form has one node per line, two spaces of indentation per level, and
//! comments that start with `#`.

use super::network;
use super::nodes::{Group, Kind};
use super::operand::{OperandFormat, shorten, suggest, usage};
use super::registers::RegisterMap;
use super::{Node, Tree};
use std::fmt;

/// Maximum number of nodes of a tree.
pub const MAX_NODES: usize = 2048;
/// Maximum number of levels of a tree below the root.
pub const MAX_DEPTH: usize = 64;
/// Maximum length of a text (bytes).
pub const MAX_TEXT: usize = 1 << 20;

/// Syntax error with position, cause and suggested correction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// Name of the included file; empty for the main text.
    pub file: String,
    /// Line number, counted from 1; 0 if the error concerns the whole text.
    pub line: usize,
    /// Column number, counted from 1 (characters).
    pub column: usize,
    /// Cause and suggested correction.
    pub message: String,
    /// Text of the line. The printed error contains this text and a mark below the column. If the text is empty, both
    /// are omitted.
    pub source: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.file.is_empty() {
            write!(f, "{}: ", self.file)?;
        }
        if self.line == 0 {
            return write!(f, "{}", self.message);
        }
        write!(f, "line {}, column {}: {}", self.line, self.column, self.message)?;
        if self.source.is_empty() {
            return Ok(());
        }
        write!(f, "\n    {}\n    {}^", self.source, " ".repeat(self.column - 1))
    }
}

impl std::error::Error for ParseError {}

/// A node whose children are being read and counted.
struct Open {
    node: usize,
    line: usize,
}

struct Reader<'a> {
    words: OperandFormat,
    number: usize,
    text: &'a str,
}

impl Tree {
    /// Reads the text form. `[index]` operands are cells of the full register map. Degrees are rounded to steps of
    /// pi/128.
    pub fn parse(text: &str) -> Result<Tree, ParseError> {
        Tree::parse_with(text, RegisterMap::Full, false)
    }

    /// Reads the text form. `map` is the register map for `[index]` operands and selects the target robot. `exact`
    /// keeps degrees as written instead of rounding them to steps of pi/128.
    pub fn parse_with(text: &str, map: RegisterMap, exact: bool) -> Result<Tree, ParseError> {
        if text.len() > MAX_TEXT {
            return Err(whole(format!("the text has {} bytes; at most {MAX_TEXT} are allowed", text.len())));
        }
        let words = OperandFormat { map, exact };
        let mut nodes: Vec<Node> = Vec::new();
        let mut lines: Vec<usize> = Vec::new();
        let mut wants: Vec<Option<u16>> = Vec::new();
        let mut open: Vec<Open> = Vec::new();
        let sources: Vec<&str> = text.lines().collect();
        for (i, line) in sources.iter().enumerate() {
            if let Some(at) = line.trim_end().find('\r') {
                let message = "a line ends with CR alone, as on old Macs; save the file with LF line ends".into();
                return Err(ParseError {
                    file: String::new(),
                    line: i + 1,
                    column: at + 1,
                    message,
                    source: String::new(),
                });
            }
            let code = line.split('#').next().unwrap_or("").trim_end();
            if code.trim().is_empty() {
                continue;
            }
            let reader = Reader { words, number: i + 1, text: line };
            let level = reader.level(code)?;
            if nodes.is_empty() && level > 0 {
                return Err(reader.error(1, "the root must start at the left margin; remove the indentation".into()));
            }
            if !nodes.is_empty() && level == 0 {
                let hint = "a tree has one root; indent this node by two spaces or put both under seq or sel";
                return Err(reader.error(1, hint.into()));
            }
            if level > open.len() {
                let deepest = 2 * open.len();
                return Err(reader.error(
                    2 * level + 1,
                    format!("the line is indented too far; at most {deepest} spaces are allowed here"),
                ));
            }
            if level > MAX_DEPTH {
                return Err(reader.error(2 * level + 1, format!("the tree is deeper than {MAX_DEPTH} levels")));
            }
            if nodes.len() == MAX_NODES {
                return Err(reader.error(2 * level + 1, format!("the tree has more than {MAX_NODES} nodes")));
            }
            open.truncate(level);
            if let Some(parent) = open.last() {
                let spec = nodes[parent.node].kind.spec();
                if !spec.group.is_inner() && !spec.group.is_network() {
                    let message = format!("{} on line {} takes no children", spec.name, parent.line);
                    return Err(reader.error(2 * level + 1, message));
                }
                nodes[parent.node].children += 1;
            }
            let (node, wanted) = reader.node(code, 2 * level)?;
            open.push(Open { node: nodes.len(), line: i + 1 });
            wants.push(wanted);
            lines.push(i);
            nodes.push(node);
        }
        if nodes.is_empty() {
            return Err(whole("the text contains no node; write a node, such as `movcv v_goal 0`".into()));
        }
        for ((node, line), wanted) in nodes.iter().zip(&lines).zip(&wants) {
            let reader = Reader { words, number: line + 1, text: sources[*line] };
            reader.check_children(node, *wanted)?;
        }
        if let Some((place, message)) = network::find_violation(&nodes) {
            let reader = Reader { words, number: lines[place] + 1, text: sources[lines[place]] };
            return Err(reader.error(1 + reader.text.len() - reader.text.trim_start().len(), message));
        }
        Ok(Tree::from_preorder(nodes))
    }
}

/// Returns notes on a valid text, in the order of positions. Each note concerns an angle without a unit that was
/// probably meant in degrees.
pub fn hints(text: &str) -> Vec<ParseError> {
    let reads = OperandFormat { map: RegisterMap::Full, exact: false };
    let mut found = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let mut words = words(line.split('#').next().unwrap_or("").trim_end());
        let Some(Ok((kind, _))) = words.next().map(|(_, name)| Kind::from_word(name)) else { continue };
        for (operand, (at, word)) in kind.spec().operands.iter().zip(words) {
            if let Some(message) = reads.note(word, operand) {
                found.push(ParseError {
                    file: String::new(),
                    line: i + 1,
                    column: at + 1,
                    message,
                    source: String::new(),
                });
            }
        }
    }
    found
}

pub(super) fn whole(message: String) -> ParseError {
    ParseError { file: String::new(), line: 0, column: 1, message, source: String::new() }
}

impl Reader<'_> {
    fn error(&self, column: usize, message: String) -> ParseError {
        let source: String = self.text.chars().take(200).map(|c| if c == '\t' { ' ' } else { c }).collect();
        ParseError { file: String::new(), line: self.number, column: column.clamp(1, 201), message, source }
    }

    fn level(&self, code: &str) -> Result<usize, ParseError> {
        let spaces = code.len() - code.trim_start_matches([' ', '\t']).len();
        if let Some(tab) = code[..spaces].find('\t') {
            return Err(self.error(tab + 1, "tabs are not allowed; indent with two spaces per level".into()));
        }
        if !spaces.is_multiple_of(2) {
            return Err(self
                .error(spaces + 1, format!("the line starts with {spaces} spaces; indent with two spaces per level")));
        }
        Ok(spaces / 2)
    }

    /// Reads the node of one line. The second value is the number of children if the node's name ends with it, as in
    /// `seq3`; otherwise `None`.
    fn node(&self, code: &str, start: usize) -> Result<(Node, Option<u16>), ParseError> {
        let mut words = words(code).peekable();
        let (at, name) = words.next().unwrap_or((start, ""));
        let (kind, wanted) = self.words.kind(name).map_err(|message| self.error(at + 1, message))?;
        let spec = kind.spec();
        let mut operands = [0.0; 4];
        for (slot, operand) in operands.iter_mut().zip(spec.operands) {
            let Some((at, word)) = words.next() else {
                let message = format!("{} needs {}; {} is missing", spec.name, usage(spec.operands), operand.name);
                return Err(self.error(code.chars().count() + 2, message));
            };
            if let Some((_, unit)) =
                words.peek().filter(|(_, next)| UNITS.contains(next) && word.parse::<f32>().is_ok())
            {
                let whole = format!("{word}{unit}");
                let message = self.words.read(&whole, operand).err();
                let message = message.unwrap_or_else(|| format!("write `{whole}`, without a space"));
                return Err(self.error(at + 1, message));
            }
            *slot = self.words.read(word, operand).map_err(|message| self.error(at + 1, message))?;
        }
        if let Some((at, word)) = words.next() {
            let message = format!("`{word}` is an extra operand; {} takes {}", spec.name, usage(spec.operands));
            return Err(self.error(at + 1, message));
        }
        Ok((Node::new(kind, 0, &operands), wanted))
    }

    fn check_children(&self, node: &Node, wanted: Option<u16>) -> Result<(), ParseError> {
        let spec = node.kind.spec();
        let column = 1 + self.text.len() - self.text.trim_start().len();
        let n = node.children;
        if let Some(wanted) = wanted.filter(|w| *w != n) {
            let message = format!("{}{wanted} has {n} children; {wanted} are needed", spec.name);
            return Err(self.error(column, message));
        }
        node.kind.check_children(usize::from(n)).map_err(|message| self.error(column, message))
    }
}

impl OperandFormat {
    /// Whether the target robot supports a kind of node.
    pub(super) fn supports(self, kind: Kind) -> bool {
        if self.map == RegisterMap::Kilobot { kind.on_kilobot() } else { !kind.is_kilobots_own() }
    }

    /// Returns an error message if the target robot does not support a kind of node.
    pub(super) fn unsupported_message(self, kind: Kind) -> Option<String> {
        let name = kind.spec().name;
        (!self.supports(kind)).then(|| match self.map {
            RegisterMap::Kilobot => {
                let names: Vec<&str> =
                    Kind::all().filter(|kind| self.supports(*kind)).map(|kind| kind.spec().name).collect();
                format!("a Kilobot has no node `{name}`; it has {}", names.join(", "))
            }
            _ => format!("`{name}` is a node of the Kilobot; an e-puck does not have it"),
        })
    }

    /// Performs [`Kind::from_word`], restricted to kinds of the target robot.
    fn kind(self, name: &str) -> Result<(Kind, Option<u16>), String> {
        match Kind::from_word(name) {
            Ok((kind, wanted)) => self.unsupported_message(kind).map_or(Ok((kind, wanted)), Err),
            Err(_) => {
                let known = Kind::all().filter(|kind| self.supports(*kind)).map(|kind| kind.spec().name.to_string());
                Err(unknown(name, known))
            }
        }
    }
}

impl Kind {
    /// Returns the kind of node with the given name, and the number of children if the name contains it. For example,
    /// `seq3` is `seq` with three children.
    ///
    /// # Errors
    /// Returns one line with the unknown name, and with the most similar known name if there is one.
    pub fn from_word(name: &str) -> Result<(Kind, Option<u16>), String> {
        if let Some(kind) = Kind::of_name(name) {
            return Ok((kind, None));
        }
        let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
        if let Some(kind) = Kind::of_name(base) {
            let composite = kind.spec().group == Group::Composite && kind != Kind::Par;
            if let (true, Ok(arity)) = (composite, name[base.len()..].parse::<u16>()) {
                return Ok((kind, Some(arity)));
            }
        }
        let known = Kind::all().map(|k| k.spec().name.to_string());
        Err(unknown(name, known))
    }
}

/// Units that users sometimes separate from a number by a space. The reader returns a special error message for this
/// mistake.
const UNITS: [&str; 6] = ["deg", "degrees", "rad", "m", "s", "cm"];

/// Names and symbols of nodes in other libraries and in drawings, with the corresponding names in this crate.
const FOREIGN_NAMES: [(&str, &str); 10] = [
    ("sequence", "seq"),
    ("->", "seq"),
    ("fallback", "sel"),
    ("selector", "sel"),
    ("select", "sel"),
    ("?", "sel"),
    ("parallel", "par"),
    ("inverter", "invert"),
    ("not", "invert"),
    ("!", "invert"),
];

/// Returns the error message for an unknown node name, with the name that the user probably meant.
fn unknown(name: &str, known: impl Iterator<Item = String>) -> String {
    let lower = name.to_lowercase();
    let meant = match FOREIGN_NAMES.iter().find(|(elsewhere, _)| *elsewhere == lower) {
        Some((_, here)) => format!("; did you mean `{here}`?"),
        None => suggest(name, known),
    };
    format!("unknown node `{}`{meant}", shorten(name))
}

/// Splits a line into words. Returns the column of each word, counted from 0, and the word.
fn words(code: &str) -> impl Iterator<Item = (usize, &str)> {
    code.split(' ')
        .scan(0, |at, word| {
            let here = *at;
            *at += word.chars().count() + 1;
            Some((here, word))
        })
        .filter(|(_, word)| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> ParseError {
        Tree::parse(text).expect_err("the text is wrong")
    }

    #[test]
    fn reads_the_calibration_tree() {
        let tree = Tree::parse(include_str!("../../../docs/trees/806768.bt")).unwrap();
        assert_eq!(tree.nodes().len(), 9);
        assert_eq!(tree.depth(), 3);
        assert_eq!(tree.nodes()[4], Node::new(Kind::Movcv, 0, &[18.0, 28.0]));
        assert_eq!(tree.nodes()[6], Node::new(Kind::Mulas, 0, &[3.0, 4.0, 6.55, 7.0]));
    }

    #[test]
    fn degrees_are_rounded_unless_exact() {
        let exact = Tree::parse_with("movcv v_goal 39deg", RegisterMap::Full, true).unwrap();
        assert!((exact.nodes()[0].operands[1] - 27.733_334).abs() < 1e-4);
        assert_eq!(Tree::parse("movcv v_goal 180deg").unwrap().nodes()[0].operands[1], -128.0);
        assert_eq!(Tree::parse("ifsect v_blue 0deg 14deg").unwrap().nodes()[0].operands[2], 10.0);
    }

    #[test]
    fn indices_follow_the_chosen_map() {
        let text = "mulav [2] [14] 1 [10]";
        let full = Tree::parse_with(text, RegisterMap::Full, false).unwrap();
        let swarm = Tree::parse_with(text, RegisterMap::InSwarm, false).unwrap();
        assert_eq!(full.to_string(), "mulav v_goal v_blue 1 v_red\n");
        assert_eq!(swarm.to_string(), "mulav v_goal v_scr 1 v_blue\n");
    }

    #[test]
    fn line_ends_of_old_macs_are_named() {
        let e = error("sel\r  avoiding\r  successl\r");
        assert_eq!((e.line, e.column), (1, 4));
        assert!(e.to_string().contains("CR alone, as on old Macs") && !e.to_string().contains('\r'), "{e}");
        assert_eq!(error("# one\rsel\n").line, 1, "in a comment it would hide what follows");
        let dos = Tree::parse("sel\r\n  avoiding\r\r\n  successl\r\n").unwrap();
        assert_eq!(dos, Tree::parse("sel\n  avoiding\n  successl\n").unwrap());
    }

    #[test]
    fn errors_name_place_and_remedy() {
        let e = error("sel\n  avoding\n  successl");
        assert_eq!((e.line, e.column), (2, 3));
        assert!(e.message.contains("did you mean `avoiding`"), "{e}");
        for (text, said) in [
            ("Sequence\n  bfront\n", "did you mean `seq`?"),
            ("?\n  bfront\n", "did you mean `sel`?"),
            ("movcv v_goal 10 deg\n", "write `10deg`, without a space"),
            ("movcv v_goal 0.5 rad\n", "did you mean `28.65deg`?"),
        ] {
            let e = Tree::parse(text).unwrap_err();
            assert!(e.message.contains(said), "{text}: {e}");
        }
        assert!(e.to_string().ends_with("\n      avoding\n      ^"), "{e}");
        assert!(error("seq3\n  successl\n  successl").message.contains("3 are needed"));
        assert!(error("invert\n  successl\n  successl").message.contains("exactly one child"));
        assert!(error("movcs v_scr 1").message.contains("v_scr.x"));
        assert!(error("movcs s_scr 200").message.contains("-128 to 127"));
        assert!(error("ifprob s_n 0.1 0").message.contains("multiple of 0.125"));
        assert!(error("seq\n   successl").message.contains("two spaces"));
        assert!(error("seq\n\tsuccessl").message.contains("tab"));
        assert!(error("successl\nsuccessl").message.contains("one root"));
        assert!(error("successl\n  successl").message.contains("takes no children"));
        assert!(error("seq\n    successl").message.contains("too far"));
        assert!(error("mulas v_goal.x v_up.y 3").message.contains("s2 is missing"));
        assert!(error("successl 3").message.contains("is an extra operand"));
        assert!(error("seq").message.contains("at least one child"));
        assert!(error("# nothing").message.contains("no node"));
        assert!(error("mulav v_goal v_scr.x 1 v_up").message.contains("must be a vector"));
    }

    #[test]
    fn limits_hold() {
        let mut wide = String::from("seq\n");
        wide.push_str(&"  successl\n".repeat(MAX_NODES - 1));
        assert!(Tree::parse(&wide).is_ok());
        wide.push_str("  successl\n");
        assert!(error(&wide).message.contains("2048 nodes"));
        let deep: String = (0..=MAX_DEPTH + 1).map(|d| format!("{}seq\n", "  ".repeat(d))).collect();
        assert!(error(&deep).message.contains("64 levels"));
        assert!(error(&" ".repeat(MAX_TEXT + 1)).message.contains("bytes"));
    }
}

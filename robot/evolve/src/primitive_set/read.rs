//! Primitive sets in TOML form.

use super::{Choice, PrimitiveSet, Subtree};
use crate::grammar::Grammar;
use crate::operands::{Operands, Ranges, Registers};
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;
use xpuck_kernels::tree::registers::{ATTR, BLUE, NEIGHBOURS, PROX, RED, UP};
use xpuck_kernels::tree::{Footprint, Group, Kind, Operand, OperandSpec, Program, Tree, suggest};

/// Maximum size of a primitive set file (bytes).
const MAX_TEXT: usize = 64 * 1024;
/// Maximum number of entries in a list of a primitive set file.
const MAX_ENTRIES: usize = 256;
/// Maximum number of children of an inner node.
const MAX_CHILDREN: u16 = 16;

/// Reason why a primitive set cannot be used: file, key and correction.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {message}")]
pub struct PrimitiveSetError {
    /// Name of the file or text.
    pub file: String,
    /// Message with the fault, its key or line, and the correction.
    pub message: String,
}

/// Primitive set as a TOML file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PrimitiveSetFile {
    /// Names of inner nodes. The name of a node with a variable number of children has the number as a suffix: `seq3`.
    #[schemars(length(min = 1, max = MAX_ENTRIES))]
    inner: Vec<String>,
    /// Names of leaves.
    #[schemars(length(min = 1, max = MAX_ENTRIES))]
    leaves: Vec<String>,
    /// Registers of an e-puck by role. This key is not allowed in a Kilobot's set.
    registers: Option<RegistersEntry>,
    /// Blackboard entries of a Kilobot by role. This key is not allowed in an e-puck's set.
    entries: Option<EntriesEntry>,
    /// Minimum and maximum of each number type (default: Table 7.5).
    #[serde(default)]
    ranges: Ranges,
    /// Trees in text form, by name. Each tree counts as one leaf.
    #[serde(default)]
    subtrees: BTreeMap<String, String>,
    /// Grammar in BNF (default: derived from the other keys).
    grammar: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RegistersEntry {
    /// Scalars that nodes may read.
    scalar_sources: Vec<String>,
    /// Vectors that nodes may read.
    vector_sources: Vec<String>,
    /// Scalars that nodes may write.
    scalar_destinations: Vec<String>,
    /// Vectors that nodes may write.
    vector_destinations: Vec<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EntriesEntry {
    /// Entries that nodes may read.
    sources: Vec<String>,
    /// Entries that nodes may write.
    destinations: Vec<String>,
}

impl PrimitiveSet {
    /// Parses a primitive set for e-pucks, with the keys of [`PrimitiveSetFile`]. `file` is the file name in errors.
    pub fn parse(file: &str, text: &str) -> Result<PrimitiveSet, PrimitiveSetError> {
        PrimitiveSet::parse_without(file, text, 0)
    }

    /// Performs [`PrimitiveSet::parse`] without the registers, nodes and subtrees that read the cells of the bit mask
    /// `absent`. Bit i is cell i of the full register map.
    pub fn parse_without(file: &str, text: &str, absent: u32) -> Result<PrimitiveSet, PrimitiveSetError> {
        let set = PrimitiveSet::parse_any(file, text, absent)?;
        if set.is_for_kilobots() {
            let message = "the nodes are for Kilobots, but the robots here are e-pucks".into();
            return Err(PrimitiveSetError { file: file.into(), message });
        }
        Ok(set)
    }

    /// Parses a primitive set for Kilobots. `file` is the file name in errors.
    pub fn parse_kilobots(file: &str, text: &str) -> Result<PrimitiveSet, PrimitiveSetError> {
        let set = PrimitiveSet::parse_any(file, text, 0)?;
        if !set.is_for_kilobots() {
            let message = "the nodes are for e-pucks, but the robots here are Kilobots".into();
            return Err(PrimitiveSetError { file: file.into(), message });
        }
        Ok(set)
    }

    fn parse_any(file: &str, text: &str, absent: u32) -> Result<PrimitiveSet, PrimitiveSetError> {
        let fail = |message: String| PrimitiveSetError { file: file.into(), message };
        if text.len() > MAX_TEXT {
            return Err(fail(format!("the file has {} bytes; at most {MAX_TEXT} are allowed", text.len())));
        }
        let entries: PrimitiveSetFile = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
            fail(format!("line {line}: {}", error.message().replace('\n', "; ")))
        })?;
        entries.without(absent).primitive_set().map_err(fail)
    }
}

impl PrimitiveSetFile {
    /// Removes the entries that read cells of the bit mask `absent`. Invalid entries remain, and are reported later.
    fn without(mut self, absent: u32) -> PrimitiveSetFile {
        if absent == 0 {
            return self;
        }
        let is_kept = |name: &String| Kind::from_word(name).map_or(true, |(kind, _)| cells_of_kind(kind) & absent == 0);
        self.leaves.retain(is_kept);
        let tree_is_kept = |text: &String| {
            let program = Tree::parse(text).ok().and_then(|tree| Program::compile(&tree).ok());
            program.is_none_or(|program| program.register_reads() & absent == 0)
        };
        self.subtrees.retain(|_, text| tree_is_kept(text));
        if let Some(registers) = &mut self.registers {
            let reads = |name: &String, operand| {
                let cell = OperandSpec { name: "", operand }.read(name).map_or(0, |cell| cell as u32);
                if operand == Operand::Vector { 0b11u32 << (cell & !1) } else { 1 << cell }
            };
            registers.scalar_sources.retain(|name| reads(name, Operand::Scalar) & absent == 0);
            registers.vector_sources.retain(|name| reads(name, Operand::Vector) & absent == 0);
        }
        self
    }

    fn primitive_set(self) -> Result<PrimitiveSet, String> {
        let inner = list("inner", &self.inner, inner)?;
        let leaves = list("leaves", &self.leaves, leaf)?;
        let registers = registers(&inner, &leaves, self.registers, self.entries)?;
        self.ranges.check()?;
        let mut primitive_set = PrimitiveSet {
            inner,
            leaves,
            subtrees: subtrees(&self.subtrees)?,
            operands: Operands { registers, ranges: self.ranges },
            grammar: Grammar::default(),
        };
        let text = self.grammar.unwrap_or_else(|| primitive_set.bnf());
        primitive_set.grammar = primitive_set.read_grammar(&text).map_err(|message| format!("grammar: {message}"))?;
        Ok(primitive_set)
    }
}

/// Returns the cells that a leaf of this kind reads apart from its operands, as a bit mask. Bit i is cell i of the full
/// register map.
fn cells_of_kind(kind: Kind) -> u32 {
    let vector = |cell: usize| 0b11u32 << cell;
    match kind {
        Kind::Upfield => vector(UP) | vector(PROX),
        Kind::Attract => vector(ATTR) | vector(PROX) | 1 << NEIGHBOURS,
        Kind::Neighbour => 1 << NEIGHBOURS,
        Kind::Avoiding | Kind::Explore => vector(PROX),
        Kind::Red => vector(RED),
        Kind::Green => vector(RED + 2),
        Kind::Blue | Kind::Bleft | Kind::Bright | Kind::Bfront | Kind::Bsearch => vector(BLUE),
        _ => 0,
    }
}

/// Reads the registers of an e-puck's set, or the entries of a Kilobot's set. A set has either registers or entries.
fn registers(
    inner: &[Choice],
    leaves: &[Choice],
    registers: Option<RegistersEntry>,
    entries: Option<EntriesEntry>,
) -> Result<Registers, String> {
    let kinds = || inner.iter().chain(leaves).map(|choice| choice.kind);
    let own = kinds().find(|kind| kind.is_kilobots_own());
    match (own, registers, entries) {
        (None, Some(of), None) => Ok(Registers {
            scalar_sources: cells("registers.scalar_sources", &of.scalar_sources, Operand::Scalar)?,
            vector_sources: cells("registers.vector_sources", &of.vector_sources, Operand::Vector)?,
            scalar_destinations: cells("registers.scalar_destinations", &of.scalar_destinations, Operand::ScalarDest)?,
            vector_destinations: cells("registers.vector_destinations", &of.vector_destinations, Operand::VectorDest)?,
        }),
        (None, None, _) => Err("registers is missing; list the registers that an e-puck's nodes read and write".into()),
        (None, _, Some(_)) => Err("entries is allowed only in a set of Kilobot nodes; remove entries".into()),
        (Some(own), None, Some(of)) => match kinds().find(|kind| !kind.on_kilobot()) {
            Some(other) => Err(format!(
                "`{}` is a node of the Kilobot, which has no `{}`; a set must be for one kind of robot",
                own.spec().name,
                other.spec().name
            )),
            None => Ok(Registers {
                scalar_sources: cells("entries.sources", &of.sources, Operand::Entry)?,
                scalar_destinations: cells("entries.destinations", &of.destinations, Operand::EntryDest)?,
                ..Registers::default()
            }),
        },
        (Some(own), ..) => {
            Err(format!("`{}` is a node of the Kilobot; give entries instead of registers", own.spec().name))
        }
    }
}

/// Reads each entry of a list with `read`. Errors begin with the key of the list.
fn list<T>(key: &str, names: &[String], read: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, String> {
    if names.is_empty() || names.len() > MAX_ENTRIES {
        return Err(format!("{key} has {} entries; 1 to {MAX_ENTRIES} are allowed", names.len()));
    }
    names.iter().map(|name| read(name).map_err(|message| format!("{key}: {message}"))).collect()
}

fn inner(name: &str) -> Result<Choice, String> {
    let (kind, arity) = Kind::from_word(name)?;
    let children = match (kind.spec().group, arity) {
        (Group::Decorator, None) => 1,
        (Group::Composite, None) if kind.fixed_children().is_some() => kind.fixed_children().unwrap_or(0),
        (Group::Composite, Some(n)) if (1..=MAX_CHILDREN).contains(&n) => n,
        (Group::Composite, _) if kind != Kind::Par => {
            return Err(format!(
                "`{name}` needs its number of children, 1 to {MAX_CHILDREN}, like `{}2`",
                kind.spec().name
            ));
        }
        _ => return Err(format!("`{name}` is not an inner node that evolution can use")),
    };
    Ok(Choice { kind, children })
}

fn leaf(name: &str) -> Result<Choice, String> {
    let (kind, _) = Kind::from_word(name)?;
    match kind.spec().group {
        Group::Composite | Group::Decorator => Err(format!("`{name}` has children; move it to inner")),
        Group::Network | Group::Part => {
            Err(format!("`{name}` is not a leaf of a tree; networks evolve with representation = \"network\""))
        }
        _ => Ok(Choice { kind, children: 0 }),
    }
}

fn cells(key: &'static str, names: &[String], operand: Operand) -> Result<Vec<u8>, String> {
    // The operand's name is only the last part of the key, because errors of `list` begin with the full key.
    let spec = OperandSpec { name: key.rsplit('.').next().unwrap_or(key), operand };
    list(key, names, |name| spec.read(name).map(|cell| cell as u8))
}

fn subtrees(entries: &BTreeMap<String, String>) -> Result<Vec<Subtree>, String> {
    if entries.len() > MAX_ENTRIES {
        return Err(format!("subtrees has {} entries; at most {MAX_ENTRIES} are allowed", entries.len()));
    }
    let read = |(name, text): (&String, &String)| {
        let wrong = |message: String| format!("subtrees.{name}: {message}");
        if Kind::from_word(name).is_ok() {
            return Err(wrong("is the name of a node; choose another".into()));
        }
        if name.is_empty() || !name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-') {
            return Err(wrong("a name consists of letters, digits, _ and -, such as to_light".into()));
        }
        if text.lines().all(|line| line.trim().is_empty() || line.trim().starts_with('#')) {
            return Err(wrong("is empty; write a tree".into()));
        }
        // Subtrees consist of nodes only, so their definition cannot be circular.
        if let Some(other) =
            text.lines().filter_map(|line| line.split_whitespace().next()).find(|word| entries.contains_key(*word))
        {
            return Err(wrong(format!("uses the subtree {other}; write its nodes instead")));
        }
        let tree =
            Tree::parse(text).map_err(|e| wrong(format!("line {}, column {}: {}", e.line, e.column, e.message)))?;
        Footprint::of_tree(&tree).check().map_err(|error| wrong(error.to_string()))?;
        Ok(Subtree { name: name.clone(), tree })
    };
    entries.iter().map(read).collect()
}

impl PrimitiveSet {
    /// Returns the text of the default grammar, which contains all nodes and subtrees of the set. As in Listing 3.1, a
    /// node is a leaf or an inner node.
    fn bnf(&self) -> String {
        let alternative = |c: &Choice| {
            let name = c.kind.spec().name;
            let counts = c.kind.spec().group == Group::Composite && c.kind.fixed_children().is_none();
            let arity = if counts { c.children.to_string() } else { String::new() };
            let operands = " <any>".repeat(c.kind.spec().operands.len());
            format!("\"{name}{arity}\"{operands}{}", " <node>".repeat(usize::from(c.children)))
        };
        let inner: Vec<String> = self.inner.iter().map(alternative).collect();
        let named = self.subtrees.iter().map(|s| format!("\"{}\"", s.name));
        let leaves: Vec<String> = self.leaves.iter().map(alternative).chain(named).collect();
        format!("<node> ::= <leaf> | <inner>\n<inner> ::= {}\n<leaf> ::= {}\n", inner.join(" | "), leaves.join(" | "))
    }

    /// Returns the index of the subtree with this name; `None` if there is no such subtree.
    pub(crate) fn subtree_of_name(&self, name: &str) -> Option<u16> {
        self.subtrees.iter().position(|s| s.name == name).map(|i| i as u16)
    }

    /// Returns the hint "; did you mean `x`?" with the nearest name of a node or subtree; empty if no name is near.
    pub(crate) fn suggest(&self, name: &str) -> String {
        let named = self.subtrees.iter().map(|s| s.name.clone());
        suggest(name, Kind::all().map(|k| k.spec().name.to_string()).chain(named))
    }
}

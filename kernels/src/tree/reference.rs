//! Generator of the reference page of nodes and registers, which uses the tables of this crate.

use super::entries::ENTRIES;
use super::nodes::{Kind, NodeSpec, Operand};
use super::registers::{Access, REGISTERS, Register};
use std::fmt::Write;

const OPENING: &str = "# Nodes and registers

The node table of behaviour trees, as `xpuck tree nodes` prints it. A tree has one node per line, indented by two spaces per level;
operands follow the node's name in the order given here.

Results: S success, F failure, R running. A node can return the listed results whatever its operands are; a leaf that
writes is running when v_goal was already written in this tick. \"Writes\" states whether the node itself may change a
register. Bytes are those of the binary form; a node with children needs 2 more for each, rounded up to 4.
";

const OPERANDS: &str = "
## Operands

| type | values |
|---|---|
| scalar | a register's cell: a scalar register, or a component like `v_goal.x` |
| vector | a vector register; `s_n` stands for the pair (s_n, s_scr) |
| angle | degrees like `90deg`; an integer alone counts steps of pi/128, 1.40625 degrees, so that `64` is 90 degrees and `90` is 127 |
| width | the width of a sector, written like an angle |
| others | numbers in the range and with the step given |

## Registers

Cells are numbered as in Table 6.3 (all senses) and as in Table 8.2 (those used in the swarm's own evolution);
`[n]` names a cell by its number.

| register | kind | Table 6.3 | Table 8.2 | access | meaning |
|---|---|---|---|---|---|
";

/// Returns the page `docs/nodes.md`. The page lists every node of the e-puck with operands, results, size and
/// meaning, then the registers, then the nodes and the blackboard of the Kilobot.
pub fn reference_page() -> String {
    let mut page = String::from(OPENING);
    let groups = [
        ("Composites", "composite"),
        ("Decorators", "decorator"),
        ("Actions", "action"),
        ("Queries", "query"),
        ("Subtrees used as leaves", "subtree"),
        ("Recurrent neural networks", "network"),
        ("Parts of a network", "part"),
    ];
    for (title, group) in groups {
        let _ = write!(page, "\n## {title}\n\n| node | operands | results | writes | bytes | meaning |\n");
        page.push_str("|---|---|---|---|---|---|\n");
        let epucks = Kind::all().filter(|kind| !kind.is_kilobots_own());
        let rows = epucks.map(Kind::spec).filter(|spec| format!("{:?}", spec.group).to_lowercase() == group);
        rows.for_each(|spec| node_row(&mut page, spec));
    }
    page.push_str(OPERANDS);
    REGISTERS.iter().for_each(|register| register_row(&mut page, register));
    kilobot(&mut page);
    page
}

const KILOBOT: &str = "
## Kilobots

A Kilobot (thesis 4.3) has `seqm`, `selm`, `successd`, `failed`, `successl`, `failurel`, `repeati` (the `repeat` of Table 4.2)
and the nodes below, and a blackboard of ten entries instead of registers. An e-puck's tree cannot have them.

| node | operands | results | writes | meaning |
|---|---|---|---|---|
";

/// Appends the section on Kilobots, which lists their own nodes and the entries of their blackboard.
fn kilobot(page: &mut String) {
    page.push_str(KILOBOT);
    for spec in Kind::all().filter(|kind| kind.is_kilobots_own()).map(Kind::spec) {
        let writes = if spec.writes { "yes" } else { "no" };
        let (operands, results) = (operands(spec), letters(spec));
        let _ = writeln!(page, "| `{}` | {operands} | {results} | {writes} | {} |", spec.name, spec.meaning);
    }
    page.push_str("\n| entry | number | access | meaning |\n|---|---|---|---|\n");
    for (number, entry) in ENTRIES.iter().enumerate() {
        let access = match (entry.read, entry.write) {
            (true, true) => "read, write",
            (true, false) => "read",
            _ => "written by `ml`, `mr`, `mf`",
        };
        let _ = writeln!(page, "| `{}` | {number} | {access} | {} |", entry.name, entry.meaning);
    }
}

fn operands(spec: &NodeSpec) -> String {
    let all: Vec<String> = spec.operands.iter().map(|o| format!("{}: {}", o.name, operand_domain(o.operand))).collect();
    all.join("; ")
}

/// Returns the possible results of a node as letters: S for success, F for failure, R for running.
fn letters(spec: &NodeSpec) -> String {
    [(spec.results.success, 'S'), (spec.results.failure, 'F'), (spec.results.running, 'R')]
        .iter()
        .filter_map(|(may, letter)| may.then_some(*letter))
        .collect()
}

fn node_row(page: &mut String, spec: &NodeSpec) {
    let (operands, results, bytes) = (operands(spec), letters(spec), spec.kind.bytes(0));
    let writes = if spec.writes { "yes" } else { "no" };
    let _ = writeln!(page, "| `{}` | {operands} | {results} | {writes} | {bytes} | {} |", spec.name, spec.meaning);
}

/// Returns a short description of an operand's type and range.
pub fn operand_domain(operand: Operand) -> String {
    let (low, high) = operand.range();
    match operand {
        Operand::ScalarDest => "scalar to write".into(),
        Operand::VectorDest => "vector to write".into(),
        Operand::Scalar => "scalar".into(),
        Operand::Source => "scalar, or a neuron: n1, n2, ...".into(),
        Operand::Vector => "vector".into(),
        Operand::Angle => "angle, -180 to 178.6 degrees".into(),
        Operand::Width => "width, 0 to 358.6 degrees".into(),
        Operand::Fixed => format!("{low} to {high} in steps of 0.125"),
        Operand::Float | Operand::Gain => "any number".into(),
        Operand::Share => "probability, 0 to 1".into(),
        Operand::Entry => "entry to read".into(),
        Operand::EntryDest => "entry to write".into(),
        Operand::Int8 | Operand::Count | Operand::Quadrant | Operand::Threshold => format!("integer, {low} to {high}"),
    }
}

fn register_row(page: &mut String, r: &Register) {
    let cells = |first: u8| if r.vector { format!("{first}, {}", first + 1) } else { first.to_string() };
    let in_swarm = r.in_swarm.map_or("-".into(), cells);
    let access = match r.access {
        Access::ReadOnly => "read",
        Access::Scratch => "read, write",
        Access::Goal => "read, one write a tick",
    };
    let kind = if r.vector { "vector" } else { "scalar" };
    let _ = writeln!(page, "| `{}` | {kind} | {} | {in_swarm} | {access} | {} |", r.name, cells(r.full), r.meaning);
}

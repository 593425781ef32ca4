//! `xpuck tree nodes`: reference of all nodes and registers.

use crate::terminal::print_json;
use anyhow::Result;
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use xpuck_kernels::tree::{Access, Kind, NodeSpec, REGISTERS, Register, operand_domain, reference_page};
use xpuck_wire::output;

/// Print the reference page of all nodes, with operands, results and size, and of all registers.
///
/// The page is identical to docs/nodes.md. It is generated from the node table that the parser and the robots use.
#[derive(Args)]
pub struct NodesArgs {
    /// Print one JSON object with the nodes and registers of e-pucks.
    #[arg(long)]
    json: bool,
}

/// Nodes and registers of e-pucks, as `--json` prints them.
#[derive(Serialize, JsonSchema)]
pub struct Reference {
    /// All nodes.
    nodes: Vec<Node>,
    /// All registers, by number.
    registers: Vec<RegisterRow>,
}

/// Entry for a node in the reference.
#[derive(Serialize, JsonSchema)]
struct Node {
    /// Name of the node in the text form of trees.
    name: &'static str,
    /// Group of the node: composite, decorator, action, query, subtree, network or part.
    group: String,
    /// Operands, in the order of the text form.
    operands: Vec<OperandRow>,
    /// Possible results of a tick: success, failure, running.
    results: Vec<&'static str>,
    /// Whether the node writes a register.
    writes: bool,
    /// Size of the node in the binary form, without its children (bytes).
    bytes: usize,
    /// Description of the node's effect, as one sentence.
    meaning: &'static str,
}

/// Entry for an operand of a node in the reference.
#[derive(Serialize, JsonSchema)]
struct OperandRow {
    /// Name of the operand.
    name: &'static str,
    /// Description of the operand's type and range.
    domain: String,
}

/// Entry for a register in the reference.
#[derive(Serialize, JsonSchema)]
struct RegisterRow {
    /// Name of the register in the text form of trees.
    name: &'static str,
    /// Number of the register's first cell.
    cell: u8,
    /// Number of the first cell in the swarm's register map; `null` if the map does not contain the register.
    in_swarm: Option<u8>,
    /// Number of cells: 1 for a scalar, 2 for a vector.
    cells: u8,
    /// Access by nodes: `read` (read only), `write` (read and write), or `goal` (written once per tick).
    access: &'static str,
    /// Short description of the register.
    meaning: &'static str,
}

/// Runs the command.
///
/// # Errors
/// The output cannot be written.
pub fn run(args: &NodesArgs) -> Result<()> {
    if !args.json {
        return Ok(output::bytes(reference_page().as_bytes())?);
    }
    let nodes = Kind::all().filter(|kind| !kind.is_kilobots_own()).map(|kind| node(kind.spec())).collect();
    print_json(&Reference { nodes, registers: REGISTERS.iter().map(register).collect() })
}

fn node(spec: &NodeSpec) -> Node {
    let operands = spec.operands.iter();
    let results =
        [(spec.results.success, "success"), (spec.results.failure, "failure"), (spec.results.running, "running")];
    Node {
        name: spec.name,
        group: format!("{:?}", spec.group).to_lowercase(),
        operands: operands.map(|o| OperandRow { name: o.name, domain: operand_domain(o.operand) }).collect(),
        results: results.into_iter().filter_map(|(may, name)| may.then_some(name)).collect(),
        writes: spec.writes,
        bytes: spec.kind.bytes(0),
        meaning: spec.meaning,
    }
}

fn register(r: &Register) -> RegisterRow {
    let access = match r.access {
        Access::ReadOnly => "read",
        Access::Scratch => "write",
        Access::Goal => "goal",
    };
    let cells = if r.vector { 2 } else { 1 };
    RegisterRow { name: r.name, cell: r.full, in_swarm: r.in_swarm, cells, access, meaning: r.meaning }
}

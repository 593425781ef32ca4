//! Conversions between trees and other machines: memoryless trees, state machines, and the universal computer of
//! `xpuck dev rasp` (thesis 3.1.6, 3.1.8, 3.1.9).

use crate::files::tree_file::{print, refuse_over, text, write};
use anyhow::{Context, Result, anyhow};
use clap::Args;
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::path::PathBuf;
use xpuck_kernels::analysis::machine::{LIMIT, Leaf, LeafMachine, Memoryless, Rasp, Target, assemble, rasp_tree};
use xpuck_kernels::tree::{Program, Tree};
use xpuck_lab::machine_file;
use xpuck_wire::output;

/// Make a tree for robots from a finite state machine, which may be probabilistic.
///
/// The file names the initial state. For each state, the file defines an action and the transitions, which are in
/// descending order of priority. Actions and conditions are trees. In each update, the machine takes the first
/// transition of the current state whose condition succeeds and whose random draw passes, if there is one. Then it
/// ticks the action of the state that is now current. Actions and conditions must not use the register v_scr, which
/// holds the current state.
#[derive(Args)]
pub struct FromFsmArgs {
    /// State machine file (.toml). The format is described in docs/algebra.md.
    file: PathBuf,
    /// Output file [default: standard output].
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Format to write.
    #[arg(long, hide = true, default_value = "text", value_parser = ["text"])]
    to: String,
}

/// Output format of a state machine.
#[derive(Clone, Copy, PartialEq)]
pub enum Notation {
    /// Text with one state per line.
    Text,
    /// Graph for Graphviz.
    Dot,
    /// JSON object with the state that a tick enters first, and the targets of each state's results.
    Json,
}

/// Run a program on a universal computer that is built as a behaviour tree, or print the tree.
///
/// Each update executes one instruction: `ldi j` (A <- j), `add j` and `sub j` (A <- A +- X(j)), `st j` (X(j) <- A),
/// `bp j` (go to j if A > 0), `halt`. A program consists of numbers and these instructions, and is stored from X(0)
/// on. Each instruction occupies two registers. The registers X(-4096) to X(4095) have 64 bits. Other addresses are
/// errors.
#[derive(Args)]
pub struct RaspArgs {
    /// Program file [default: print the tree].
    file: Option<PathBuf>,
    /// Maximum number of instructions.
    #[arg(long, default_value_t = 1_000_000)]
    steps: u64,
}

/// Converts a tree to a tree of memoryless nodes, as text. Integer variables replace the internal state of nodes with
/// memory: idle (0), active (1) or running (2). All variables start at 0, and are listed in comments of the result.
/// The result behaves bit for bit like `tree`. Robots cannot run the result, because they have no registers for the
/// variables.
///
/// # Errors
/// The tree does not compile, or contains a network.
pub fn memoryless(tree: &Tree) -> Result<String> {
    let (program, memoryless) = forms(tree)?;
    let (before, after) = (program.len(), memoryless.form.size());
    let before = output::count(before, "node", "nodes");
    Ok(format!("# {before} with subtrees expanded, {after} without memory\n{memoryless}"))
}

/// Runs `xpuck tree convert` on a state machine.
pub fn from_fsm(args: &FromFsmArgs) -> Result<()> {
    refuse_over([&args.file], &args.output)?;
    let name = args.file.display().to_string();
    let encoded = machine_file::parse(&name, &text(&args.file)?)?.to_tree().context(name)?.to_string();
    match &args.output {
        Some(path) => write(path, encoded.as_bytes()),
        None => print(encoded.as_bytes()),
    }
}

/// Converts a tree to a state machine. Each leaf is a state, and each possible result of a leaf is a transition. An
/// update enters the machine at `tick`, and ticks leaves until a transition leads to an exit. The exit is the tree's
/// result.
///
/// # Errors
/// The tree does not compile, or contains a network.
pub fn to_fsm(tree: &Tree, notation: Notation) -> Result<String> {
    let memoryless = forms(tree)?.1;
    let machine = LeafMachine::from_form(&memoryless.form);
    Ok(match notation {
        Notation::Text => format!("{}{machine}", memoryless.legend()),
        Notation::Dot => machine.to_dot(),
        Notation::Json => format!("{:#}\n", as_json(&machine)),
    })
}

/// Runs `xpuck dev rasp`.
pub fn rasp(args: &RaspArgs) -> Result<()> {
    let tree = rasp_tree();
    let Some(file) = &args.file else { return print(tree.to_string().as_bytes()) };
    let name = file.display().to_string();
    let program = assemble(&text(file)?).map_err(|e| anyhow!("{name}: {e}"))?;
    let before = Rasp::new(&program).with_context(|| name.clone())?;
    let mut machine = before.clone();
    let steps = machine.run(&tree, args.steps).context(name)?;
    let mut report = format!("halted after {steps} instructions\nA = {}\nPC = {}\n", machine.a(), machine.pc());
    for index in -LIMIT..LIMIT {
        if let (Some(old), Some(new)) = (before.x(index), machine.x(index))
            && old != new
        {
            let _ = writeln!(report, "X({index}) = {new}");
        }
    }
    print(report.as_bytes())
}

/// Returns the compiled form and the memoryless form of a tree.
fn forms(tree: &Tree) -> Result<(Program, Memoryless)> {
    Ok((Program::compile(tree)?, Memoryless::from_tree(tree)?))
}

fn as_json(machine: &LeafMachine<Leaf>) -> Value {
    let target = |target: Target| match target {
        Target::State(i) => json!(i + 1),
        Target::Exit(status) => json!(status.to_string()),
    };
    let states: Vec<Value> = (1..)
        .zip(&machine.states)
        .map(|(number, state)| {
            let results: Map<String, Value> =
                state.transitions().map(|(status, to)| (status.to_string(), target(to))).collect();
            json!({ "state": number, "leaf": state.leaf.to_string(), "results": results })
        })
        .collect();
    json!({ "tick": target(machine.start), "states": states })
}

//! Trees as other machines (thesis 3.1.6, 3.1.8, 3.1.9): memoryless forms, state machines, and `xpuck dev rasp`.

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
/// The file names the initial state and, for each state, an action and its transitions, highest priority first.
/// Actions and conditions are trees. Each update takes at most one transition of the current state: the first whose
/// condition succeeds and whose random draw passes. Then the action of the new current state is ticked. The current
/// state is kept in v_scr, which actions and conditions must not use.
#[derive(Args)]
pub struct FromFsmArgs {
    /// State machine file (.toml); described in docs/algebra.md.
    file: PathBuf,
    /// Output file [default: standard output].
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Format to write.
    #[arg(long, hide = true, default_value = "text", value_parser = ["text"])]
    to: String,
}

/// Notation of a state machine.
#[derive(Clone, Copy, PartialEq)]
pub enum Notation {
    /// Text, one state a line.
    Text,
    /// Graph for Graphviz.
    Dot,
    /// JSON object with the entry of a tick, and for each state the targets of its results.
    Json,
}

/// Run a program on a universal computer that is a tree, or print that tree.
///
/// Each update executes one instruction: `ldi j` (A <- j), `add j` and `sub j` (A <- A +- X(j)), `st j` (X(j) <- A),
/// `bp j` (go to j if A > 0), `halt`. A program consists of numbers and these words, stored from X(0) on; an
/// instruction takes two numbers. Registers are X(-4096) to X(4095) of 64 bits; other addresses are errors.
#[derive(Args)]
pub struct RaspArgs {
    /// Program file [default: print the tree].
    file: Option<PathBuf>,
    /// Maximum number of instructions.
    #[arg(long, default_value_t = 1_000_000)]
    steps: u64,
}

/// Converts a tree to memoryless nodes over integer variables, which hold the state of the other nodes. Comments list
/// the variables; all start at 0, and a state is idle (0), active (1) or running (2). The result behaves the same bit
/// for bit, but robots cannot run it, because their registers have no such variables.
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

/// Converts a tree to a state machine: each leaf is a state, and its results are transitions. An update enters at
/// `tick`, ticks leaves until a transition leads to an exit, and ends with the tree's result. Only possible results of
/// a leaf are shown.
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

/// Returns the tree in compiled and in memoryless form.
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

//! Trees and other machines (thesis 3.1.6, 3.1.8, 3.1.9): forms without memory, state machines, and `xpuck dev rasp`.

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

/// Make a tree that robots run from a finite state machine, also a probabilistic one.
///
/// The file names the initial state and, for each state, an action and its transitions, the most important one first;
/// actions and conditions are trees. In each update the first transition of the current state whose condition
/// succeeds and whose draw passes is taken, at most one; then the action of the state now current is ticked. The
/// current state is kept in v_scr, which actions and conditions may not use.
#[derive(Args)]
pub struct FromFsmArgs {
    /// File with a state machine (.toml); docs/algebra.md describes it.
    file: PathBuf,
    /// File to write; without it the tree is printed.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Format to write.
    #[arg(long, hide = true, default_value = "text", value_parser = ["text"])]
    to: String,
}

/// How a state machine is written.
#[derive(Clone, Copy, PartialEq)]
pub enum Notation {
    /// One state a line.
    Text,
    /// A graph for Graphviz.
    Dot,
    /// One object: where a tick enters, and the states with what their results lead to.
    Json,
}

/// Run a program on a universal computer that is a tree, or print that tree.
///
/// One instruction an update: `ldi j` (A <- j), `add j` and `sub j` (A <- A +- X(j)), `st j` (X(j) <- A), `bp j` (go
/// to j if A > 0), `halt`. A program is numbers and these words, kept from X(0) on; an instruction takes two numbers.
/// Registers are X(-4096) to X(4095) of 64 bits; beyond is an error.
#[derive(Args)]
pub struct RaspArgs {
    /// File with a program; without it the tree is printed.
    file: Option<PathBuf>,
    /// Most instructions to execute.
    #[arg(long, default_value_t = 1_000_000)]
    steps: u64,
}

/// A tree of memoryless nodes alone, with what other nodes remember in integer variables: comments say which there are, all
/// start at 0, and a state is idle (0), active (1) or running (2). It does what the tree does, bit for bit, but robots do not run
/// it: their registers hold no such variables.
///
/// # Errors
/// The tree does not fit.
pub fn memoryless(tree: &Tree) -> Result<String> {
    let (program, memoryless) = forms(tree)?;
    let (before, after) = (program.len(), memoryless.form.size());
    let before = output::count(before, "node", "nodes");
    Ok(format!("# {before} with subtrees expanded, {after} without memory\n{memoryless}"))
}

/// Runs `xpuck tree convert` of a state machine.
pub fn from_fsm(args: &FromFsmArgs) -> Result<()> {
    refuse_over([&args.file], &args.output)?;
    let name = args.file.display().to_string();
    let encoded = machine_file::parse(&name, &text(&args.file)?)?.to_tree().context(name)?.to_string();
    match &args.output {
        Some(path) => write(path, encoded.as_bytes()),
        None => print(encoded.as_bytes()),
    }
}

/// The state machine of a tree: each leaf is a state, and its results lead on. An update enters at `tick`, ticks leaves until one
/// leads to an exit, and ends there with the tree's result. Only results that a leaf may have are shown.
///
/// # Errors
/// The tree does not fit.
pub fn to_fsm(tree: &Tree, notation: Notation) -> Result<String> {
    let memoryless = forms(tree)?.1;
    let machine = LeafMachine::of(&memoryless.form);
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

/// A tree, compiled and without memory.
fn forms(tree: &Tree) -> Result<(Program, Memoryless)> {
    Ok((Program::compile(tree)?, Memoryless::of(tree)?))
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

//! `xpuck tree fmt|draw|convert`: formatting, drawing and conversion of behaviour trees.

use super::machines::{self, Notation};
use crate::files::guests as guest_files;
use crate::files::tree_file::{
    From, ask, deliver, print, read, read_asked, read_either, read_kilobot, refuse_over, write,
};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use xpuck_experiment::tree_file::{Form, ReadOptions, includes};
use xpuck_kernels::tree::exchange::{Direction, to_binary, to_dot, to_json, to_svg, to_xml};
use xpuck_wire::output;

/// Print a tree in the canonical text form.
///
/// Comments and blank lines are removed. Angles in degrees are rounded to steps of pi/128. Registers are printed by
/// name.
#[derive(Args)]
pub struct FmtArgs {
    /// Tree file: .bt, .xml, .json or .bin.
    file: PathBuf,
    /// Write the result to the file instead of printing it. The file must be in the text form.
    #[arg(long)]
    write: bool,
    /// Keep angles in degrees as written instead of rounding them to steps of pi/128.
    #[arg(long)]
    exact: bool,
}

/// Convert a tree to another format.
///
/// The formats text, xml, json and bin can be read again and give the same tree. The formats svg and dot are
/// drawings. The xml format is the XML of BehaviorTree.CPP version 4 with a model of all nodes, so that Groot2 can
/// open it. The bin format is the form of a tree in a robot's memory. The kilobot format is a C table for the program
/// of a Kilobot. It requires a tree of Kilobot nodes and registers.
#[derive(Args)]
pub struct ConvertArgs {
    /// Tree file: .bt, .xml, .json or .bin.
    file: PathBuf,
    /// Output format.
    #[arg(long, value_enum)]
    to: To,
    /// Input format [default: from the file's extension].
    #[arg(long, value_enum)]
    from: Option<From>,
    /// ID of the tree to convert. Required if the XML contains several trees that no other tree uses.
    #[arg(long, value_name = "ID")]
    tree: Option<String>,
    /// Output file [default: standard output].
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Draw the root of the SVG tree at the left instead of the top.
    #[arg(long)]
    left: bool,
    /// Keep angles in degrees as written instead of rounding them to steps of pi/128.
    #[arg(long)]
    exact: bool,
}

/// Output formats.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum To {
    /// Text form.
    Text,
    /// XML of BehaviorTree.CPP version 4, for Groot2.
    #[value(aliases = ["btcpp", "groot"])]
    Xml,
    /// Graph for Graphviz.
    Dot,
    /// SVG drawing.
    Svg,
    /// Nested JSON objects.
    Json,
    /// Binary form.
    Bin,
    /// C table for a Kilobot, from a tree of Kilobot nodes.
    Kilobot,
    /// Text form of a tree of memoryless nodes over integer variables.
    Memoryless,
    /// Finite state machine as text with one state per line.
    Fsm,
    /// Finite state machine as a graph for Graphviz.
    FsmDot,
    /// Finite state machine as one JSON object.
    FsmJson,
    /// Automaton from which the tree was made. Other trees are rejected.
    #[cfg(feature = "automata")]
    Automaton,
}

/// Draw a tree as SVG.
#[derive(Args)]
pub struct DrawArgs {
    /// Tree file: .bt, .xml, .json or .bin.
    file: PathBuf,
    /// Output file [default: standard output].
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw the root of the tree at the left instead of the top.
    #[arg(long)]
    left: bool,
}

/// Runs `xpuck tree draw`.
pub fn draw(args: &DrawArgs) -> Result<()> {
    refuse_over([&args.file], &args.output)?;
    let direction = if args.left { Direction::Right } else { Direction::Down };
    deliver(args.output.as_deref(), to_svg(&read_either(&args.file, &ask(None, false))?, direction).as_bytes())
}

/// Runs `xpuck tree fmt`.
pub fn format(args: &FmtArgs) -> Result<()> {
    let text = read(&args.file, None, args.exact)?.to_string();
    if !args.write {
        return print(text.as_bytes());
    }
    if Form::from_path(&args.file) != Form::Text {
        bail!("{}: --write is for the text form; use `xpuck tree convert`", args.file.display());
    }
    write(&args.file, text.as_bytes())
}

/// Runs `xpuck tree convert` on a tree.
pub fn convert(args: &ConvertArgs) -> Result<()> {
    let included = if args.output.is_some() { includes(&args.file) } else { Vec::new() };
    refuse_over(included.iter().chain([&args.file]), &args.output)?;
    let asked = ReadOptions { tree: args.tree.as_deref(), ..ask(args.from, args.exact) };
    let tree = || read_asked(&args.file, &asked);
    let either = || read_either(&args.file, &asked);
    let direction = if args.left { Direction::Right } else { Direction::Down };
    let name = args.file.display();
    let bytes = match args.to {
        To::Text => either()?.to_string().into_bytes(),
        To::Xml => to_xml(&either()?).into_bytes(),
        To::Dot => to_dot(&either()?).into_bytes(),
        To::Svg => to_svg(&either()?, direction).into_bytes(),
        To::Json => to_json(&either()?).into_bytes(),
        To::Bin => to_binary(&tree()?).with_context(|| format!("{name} as bin"))?,
        To::Kilobot => {
            let table = guest_files::kilobot_table(&read_kilobot(&args.file, args.from)?);
            table.with_context(|| name.to_string())?.into_bytes()
        }
        To::Memoryless => machines::memoryless(&tree()?).with_context(|| name.to_string())?.into_bytes(),
        To::Fsm => machines::to_fsm(&tree()?, Notation::Text).with_context(|| name.to_string())?.into_bytes(),
        To::FsmDot => machines::to_fsm(&tree()?, Notation::Dot).with_context(|| name.to_string())?.into_bytes(),
        To::FsmJson => machines::to_fsm(&tree()?, Notation::Json).with_context(|| name.to_string())?.into_bytes(),
        #[cfg(feature = "automata")]
        To::Automaton => {
            crate::guests::automata::automaton::of_tree(&tree()?).with_context(|| name.to_string())?.into_bytes()
        }
    };
    if args.to == To::Bin && args.output.is_none() && output::is_terminal() {
        bail!("binary output cannot be printed on a terminal; add -o FILE");
    }
    deliver(args.output.as_deref(), &bytes)
}

//! `xpuck tree`: behaviour trees formatted, drawn and converted between formats.

use super::machines::{self, Notation};
use crate::files::guests as guest_files;
use crate::files::tree_file::{
    From, ask, deliver, print, read, read_asked, read_either, read_kilobot, refuse_over, write,
};
use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use xpuck_experiment::tree_file::{Ask, Form, includes};
use xpuck_kernels::tree::exchange::{Direction, to_binary, to_dot, to_json, to_svg, to_xml};
use xpuck_wire::output;

/// Print a tree in the text form as the programs write it.
///
/// Only the tree is kept: comments and blank lines are lost, degrees become those of the nearest step of pi/128, and
/// registers get their names.
#[derive(Args)]
pub struct FmtArgs {
    /// File with a tree: .bt, .xml, .json or .bin.
    file: PathBuf,
    /// Write the result into the file, which must be in the text form.
    #[arg(long)]
    write: bool,
    /// Keep angles given in degrees as written instead of rounding them to steps of pi/128.
    #[arg(long)]
    exact: bool,
}

/// Convert a tree to another format.
///
/// text, xml, json and bin can be read again and give the same tree; svg and dot are drawings. XML is that of
/// BehaviorTree.CPP version 4 with a model of all nodes, so that Groot2 opens it. bin is what a robot's interpreter
/// holds in memory. kilobot is the table in C that a Kilobot's program runs, and its trees have nodes and registers of
/// their own.
#[derive(Args)]
pub struct ConvertArgs {
    /// File with a tree: .bt, .xml, .json or .bin.
    file: PathBuf,
    /// Format to write.
    #[arg(long, value_enum)]
    to: To,
    /// Format of the file, if its extension does not say it.
    #[arg(long, value_enum)]
    from: Option<From>,
    /// ID of the tree, where XML has several that no other uses.
    #[arg(long, value_name = "ID")]
    tree: Option<String>,
    /// File to write; without it the result is printed.
    #[arg(short, long)]
    output: Option<PathBuf>,
    /// Draw the SVG with its root at the left instead of at the top.
    #[arg(long)]
    left: bool,
    /// Keep angles of a text given in degrees as written instead of rounding them to steps of pi/128.
    #[arg(long)]
    exact: bool,
}

/// Formats that can be written.
#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum To {
    /// The text form.
    Text,
    /// XML of BehaviorTree.CPP version 4, for Groot2.
    #[value(aliases = ["btcpp", "groot"])]
    Xml,
    /// A graph for Graphviz.
    Dot,
    /// A drawing.
    Svg,
    /// Nested JSON objects.
    Json,
    /// The binary form.
    Bin,
    /// A table in C for a Kilobot, of a Kilobot's tree.
    Kilobot,
    /// The text form of a tree of memoryless nodes over integer variables.
    Memoryless,
    /// A finite state machine, one state a line.
    Fsm,
    /// The same as a graph for Graphviz.
    FsmDot,
    /// The same as one JSON object.
    FsmJson,
    /// The automaton of a tree that was made of one.
    #[cfg(feature = "automata")]
    Automaton,
}

/// Draw a tree.
#[derive(Args)]
pub struct DrawArgs {
    /// File with a tree: .bt, .xml, .json or .bin.
    file: PathBuf,
    /// File to write; without it the drawing is printed.
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Draw it with its root at the left instead of at the top.
    #[arg(long)]
    left: bool,
}

/// Runs `xpuck tree draw` of a tree.
pub fn draw(args: &DrawArgs) -> Result<()> {
    refuse_over([&args.file], &args.output)?;
    let direction = if args.left { Direction::Right } else { Direction::Down };
    deliver(args.output.as_deref(), to_svg(&read_either(&args.file, &ask(None, false))?, direction).as_bytes())
}

/// Runs `xpuck tree fmt` of a tree.
pub fn format(args: &FmtArgs) -> Result<()> {
    let text = read(&args.file, None, args.exact)?.to_string();
    if !args.write {
        return print(text.as_bytes());
    }
    if Form::of(&args.file) != Form::Text {
        bail!("{}: --write is for the text form; use `xpuck tree convert`", args.file.display());
    }
    write(&args.file, text.as_bytes())
}

/// Runs `xpuck tree convert` of a tree.
pub fn convert(args: &ConvertArgs) -> Result<()> {
    let included = if args.output.is_some() { includes(&args.file) } else { Vec::new() };
    refuse_over(included.iter().chain([&args.file]), &args.output)?;
    let asked = Ask { tree: args.tree.as_deref(), ..ask(args.from, args.exact) };
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
        bail!("bytes are not for a terminal; add -o FILE");
    }
    deliver(args.output.as_deref(), &bytes)
}

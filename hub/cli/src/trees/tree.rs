//! `xpuck tree`: behaviour trees checked, formatted and converted between formats.

use crate::files::guests as guest_files;
use crate::files::tree_file::{
    From, ask, deliver, print, read, read_asked, read_either, read_kilobot, refuse_over, write,
};
#[cfg(feature = "gateway")]
use crate::guests;
use anyhow::{Context, Result, bail};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;
use xpuck_experiment::tree_file::{Ask, Form, includes};
use xpuck_kernels::tree::exchange::{Direction, to_binary, to_dot, to_json, to_svg, to_xml};
use xpuck_kernels::tree::{Program, reference_page};
use xpuck_wire::output;

/// Check, format, convert, reduce, explain and transform behaviour trees.
///
/// A tree's own form is text: one node a line, two spaces a level, `#` comments. It also goes to and comes from XML of
/// BehaviorTree.CPP version 4 (for Groot2), JSON and the robots' binary form, and can be drawn as SVG or DOT.
#[derive(Args)]
pub struct TreeArgs {
    #[command(subcommand)]
    command: TreeCommand,
}

#[derive(Subcommand)]
enum TreeCommand {
    Check(CheckArgs),
    Fmt(FmtArgs),
    Convert(ConvertArgs),
    Reduce(crate::trees::algebra::ReduceArgs),
    Equal(crate::trees::algebra::EqualArgs),
    Memoryless(crate::trees::machines::MemorylessArgs),
    FromFsm(crate::trees::machines::FromFsmArgs),
    #[cfg(feature = "gateway")]
    FromIndividual(guests::gateway::serve::individual_tree::FromIndividualArgs),
    ToFsm(crate::trees::machines::ToFsmArgs),
    Rasp(crate::trees::machines::RaspArgs),
    Explain(crate::trees::explain::ExplainArgs),
    /// Print the reference page: every node with its operands, results and size, and every register.
    ///
    /// docs/nodes.md is this page. It is written from the table that the parser and the robots use.
    Nodes,
}

/// Check a tree: one line if it is right, else the place of the first error and what would be right.
///
/// Checked are the form, all operands, and that the tree fits a robot with its subtrees expanded.
#[derive(Args)]
struct CheckArgs {
    /// File with a tree: .bt, .xml, .json or .bin.
    file: PathBuf,
    /// The file's format, if its extension does not say it.
    #[arg(long, value_enum)]
    from: Option<From>,
    /// ID of the tree, where XML has several that no other uses.
    #[arg(long, value_name = "ID")]
    tree: Option<String>,
}

/// Print a tree in the text form as the programs write it.
///
/// Only the tree is kept: comments and blank lines are lost, degrees become those of the nearest step of pi/128, and
/// registers get their names.
#[derive(Args)]
struct FmtArgs {
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
struct ConvertArgs {
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
}

/// Runs the command.
pub fn run(args: &TreeArgs) -> Result<()> {
    match &args.command {
        TreeCommand::Check(args) => check(args),
        TreeCommand::Fmt(args) => format(args),
        TreeCommand::Convert(args) => convert(args),
        TreeCommand::Reduce(args) => crate::trees::algebra::reduce(args),
        TreeCommand::Equal(args) => crate::trees::algebra::equal(args),
        TreeCommand::Memoryless(args) => crate::trees::machines::memoryless(args),
        TreeCommand::FromFsm(args) => crate::trees::machines::from_fsm(args),
        #[cfg(feature = "gateway")]
        TreeCommand::FromIndividual(args) => guests::gateway::serve::individual_tree::run(args),
        TreeCommand::ToFsm(args) => crate::trees::machines::to_fsm(args),
        TreeCommand::Rasp(args) => crate::trees::machines::rasp(args),
        TreeCommand::Explain(args) => crate::trees::explain::run(args),
        TreeCommand::Nodes => print(reference_page().as_bytes()),
    }
}

fn check(args: &CheckArgs) -> Result<()> {
    let tree = read_asked(&args.file, &Ask { tree: args.tree.as_deref(), ..ask(args.from, false) })?;
    let program = Program::compile(&tree).with_context(|| args.file.display().to_string())?;
    let free = 100.0 * program.parsimony();
    let line = format!(
        "{}: a tree of {}, {} with subtrees expanded; {free:.1} % of a robot's room is free\n",
        args.file.display(),
        output::count(tree.nodes().len(), "node", "nodes"),
        program.len()
    );
    print(line.as_bytes())
}

fn format(args: &FmtArgs) -> Result<()> {
    let text = read(&args.file, None, args.exact)?.to_string();
    if !args.write {
        return print(text.as_bytes());
    }
    if Form::of(&args.file) != Form::Text {
        bail!("{}: --write is for the text form; use `xpuck tree convert`", args.file.display());
    }
    write(&args.file, text.as_bytes())
}

fn convert(args: &ConvertArgs) -> Result<()> {
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
    };
    if args.to == To::Bin && args.output.is_none() && output::is_terminal() {
        bail!("bytes are not for a terminal; add -o FILE");
    }
    deliver(args.output.as_deref(), &bytes)
}

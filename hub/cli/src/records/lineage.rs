//! `xpuck runs lineage`: prints the ancestry of a tree.

use crate::files::results::sweep;
use crate::records::lineage_record::{self, Form};
use crate::records::runs::{find, print};
use crate::terminal::print_json;
use anyhow::{Context, Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use xpuck_evolve::{Id, Operator};
use xpuck_lab::evolution_run::RECORD;
use xpuck_lab::evolution_run::lineage::{Index, Individual, Lineage, Place, Taken, individuals};
use xpuck_stats::figure::Figure;
use xpuck_wire::output;

/// Print the ancestry of any tree of a run, from the record of `xpuck evolve --output` or from that of a hub.
///
/// Without an ID, the islands' champions are listed. With an ID, the ancestors of this individual are printed as a
/// tree: each with its operator, its generation of birth (as in generations.csv) and its fitness samples. An ancestor
/// that occurs again is printed only by its id. A record that is still being written, or that was cut off, is read up
/// to its last whole generation.
#[derive(Args)]
pub struct LineageArgs {
    /// Folder of the run, `last`, or the id of a recorded run as in `xpuck runs list`.
    run: PathBuf,
    /// Individual: island and number, such as 3.1204.
    #[arg(value_parser = read_id)]
    id: Option<Id>,
    /// Number of ancestor generations to print, 0 to 10000.
    #[arg(long, default_value_t = 4, requires = "id")]
    depth: usize,
    /// Print one JSON object, with every sample and every tree.
    #[arg(long, conflicts_with = "dot")]
    json: bool,
    /// Print a graph for Graphviz, with edges from parents to children.
    #[arg(long, requires = "id")]
    dot: bool,
}

fn read_id(text: &str) -> Result<Id, String> {
    let parts = text.split_once('.').and_then(|(island, number)| Some((island.parse().ok()?, number.parse().ok()?)));
    let (island, number) = parts.ok_or("must be island and number with a dot, such as 3.1204")?;
    Ok(Id { island, number })
}

/// Runs the command.
pub fn run(args: &LineageArgs, runs: &Path) -> Result<()> {
    if args.depth > 10_000 {
        bail!("--depth {}: must be at most 10000", args.depth);
    }
    let run = &resolve_run(args, runs)?;
    let is_record = run.file_name().is_some_and(|name| name == RECORD) && run.is_file();
    let path = if is_record { run.clone() } else { run.join(RECORD) };
    let of_hub = match run.is_dir() {
        true => !xpuck_record::parts(run)?.is_empty(),
        false => run.extension().is_some_and(|e| e == "mcap"),
    };
    if of_hub && !path.try_exists().unwrap_or(false) {
        let form = match (args.json, args.dot) {
            (true, _) => Form::Json,
            (false, true) => Form::Dot,
            (false, false) => Form::Text,
        };
        return lineage_record::run(run, args.id, args.depth, &form);
    }
    if let Some(told) = sweep(run).filter(|_| !path.try_exists().unwrap_or(true)) {
        bail!(told);
    }
    let index = Index::read(&path)?;
    if index.left_over > 0 {
        let (bytes, generation) = (index.left_over, index.generation);
        output::print_error(format_args!(
            "xpuck: the last {bytes} bytes of the record are an incomplete generation; read up to generation {generation}"
        ));
    }
    let Some(id) = args.id else {
        let champions = individuals(&path, &index.champions)?;
        return champions_table(&champions, &index, args.json);
    };
    let lineage = index.lineage(&path, id, args.depth)?;
    if args.json {
        print_json(&ancestry(&lineage))
    } else if args.dot {
        print(&to_dot(&lineage)?)
    } else {
        print(&to_text(&lineage)?)
    }
}

/// Returns the path in `args` if it exists, else the folder of the recorded run with this id.
fn resolve_run(args: &LineageArgs, runs: &Path) -> Result<PathBuf> {
    let nothing = |path: &PathBuf| !path.try_exists().unwrap_or(true);
    let text = args.run.to_string_lossy();
    match nothing(&args.run) && !text.contains('/') {
        true => find(runs, &text),
        false => Ok(args.run.clone()),
    }
}

fn champions_table(champions: &[Individual], index: &Index, json: bool) -> Result<()> {
    if json {
        let champions = champions.iter().map(member).collect();
        return print_json(&Champions { generation: index.generation, champions });
    }
    let mut text = format!("champions of generation {}\n", index.generation);
    writeln!(text, "{:>9}  born in  ancestors  nodes  fitness  samples  operator", "id")?;
    for c in champions {
        let (n, mean) = c.fitness();
        let (ancestors, nodes, operator) = (index.ancestors(c.id), c.tree.nodes().len(), name(c.operator)?);
        let id = c.id.to_string();
        writeln!(
            text,
            "{id:>9}  {:>7}  {ancestors:>9}  {nodes:>5}  {:>7.3}  {n:>7}  {operator}",
            c.generation,
            Figure(mean)
        )?;
    }
    text.push_str(
        "fitness: mean of all recorded trials, on all islands. In result.json, `fitness` is the mean of the trials \
         that the island counted, and `remeasured` the mean of fresh simulations.\n",
    );
    print(&text)
}

/// Returns the name of an operator, as it is written in all files.
fn name(operator: Operator) -> Result<String> {
    let value = serde_json::to_value(operator)?;
    Ok(value.as_str().context("internal error: the operator has no name")?.to_string())
}

/// Describes an individual in one line: id, operator, generation of birth, fitness, and islands.
fn describe(i: &Individual) -> Result<String> {
    let (n, mean) = i.fitness();
    let mut line = format!("{}  {} in generation {}", i.id, name(i.operator)?, i.generation);
    match n {
        0 => line.push_str(", no samples"),
        1 => write!(line, ", fitness {:.3} in 1 sample", Figure(mean))?,
        _ => write!(line, ", fitness {:.3} in {n} samples", Figure(mean))?,
    }
    if i.refused() > 0 {
        write!(line, ", {} refused", i.refused())?;
    }
    if !i.arrivals.is_empty() {
        let islands: BTreeSet<u16> = i.arrivals.iter().map(|a| a.island).collect();
        let islands: Vec<String> = islands.iter().map(u16::to_string).collect();
        write!(line, ", sent to {}", islands.join(" "))?;
    }
    Ok(line)
}

/// Formats a lineage as text in the form of a tree. An explicit stack replaces recursion, because the lineage may be
/// deep.
fn to_text(lineage: &Lineage) -> Result<String> {
    let mut text = String::new();
    let mut open = vec![(0, String::new(), String::new())];
    let places: BTreeMap<Id, usize> = lineage.members.iter().map(|m| m.id).zip(0..).collect();
    while let Some((at, lead, below)) = open.pop() {
        let member = &lineage.members[at];
        let mut children = Vec::new();
        let mut named = Vec::new();
        for (which, parent) in member.parents.iter().flatten().enumerate() {
            match places.get(parent) {
                Some(p) if lineage.named_by[*p] == Some((at, which)) => children.push(*p),
                _ => named.push(parent.to_string()),
            }
        }
        let also = if children.is_empty() { "of" } else { "and of" };
        let rest = if named.is_empty() { String::new() } else { format!("; {also} {}", named.join(" and ")) };
        writeln!(text, "{lead}{}{rest}", describe(member)?)?;
        for (i, child) in children.iter().enumerate().rev() {
            let last = i + 1 == children.len();
            let (branch, bar) = if last { ("└─ ", "   ") } else { ("├─ ", "│  ") };
            open.push((*child, format!("{below}{branch}"), format!("{below}{bar}")));
        }
    }
    if lineage.further > 0 {
        let ancestors = output::count(lineage.further, "ancestor", "ancestors");
        writeln!(text, "and {ancestors} further back (--depth)")?;
    }
    writeln!(text, "\n# {}\n{}", lineage.members[0].id, lineage.members[0].tree.under_avoiding())?;
    Ok(text)
}

/// Champions of a run of evolution, as printed by `--json` without an ID.
#[derive(Serialize, JsonSchema)]
pub struct Champions<'a> {
    /// Last generation of the run.
    generation: u32,
    /// Best individual of each island.
    champions: Vec<Member<'a>>,
}

/// Ancestry of an individual of a run of evolution, as printed by `--json`.
#[derive(Serialize, JsonSchema)]
pub struct Ancestry<'a> {
    /// Id of the individual.
    id: String,
    /// Requested individual, followed by its ancestors.
    members: Vec<Member<'a>>,
    /// Number of ancestors that are not listed, because they are beyond `--depth`.
    further: usize,
}

/// Individual of a run of evolution.
#[derive(Serialize, JsonSchema)]
struct Member<'a> {
    /// Id of the individual, unique in the run.
    id: String,
    /// Generation in which the individual was born.
    generation: u32,
    /// Operator that created the individual.
    operator: Operator,
    /// Ids of the individual's parents.
    parents: Vec<String>,
    /// Number of the individual's evaluations.
    evaluations: u32,
    /// Mean fitness over the evaluations.
    fitness: f64,
    /// Number of evaluations that the individual's island rejected.
    refused: usize,
    /// Results of the evaluations, by generation.
    samples: &'a [Taken],
    /// Islands that the individual reached by migration.
    arrivals: &'a [Place],
    /// Behaviour tree of the individual, as text.
    tree: String,
}

fn member(i: &Individual) -> Member<'_> {
    let (evaluations, fitness) = i.fitness();
    Member {
        id: i.id.to_string(),
        generation: i.generation,
        operator: i.operator,
        parents: i.parents.iter().flatten().map(Id::to_string).collect(),
        evaluations,
        fitness,
        refused: i.refused(),
        samples: &i.samples,
        arrivals: &i.arrivals,
        tree: i.tree.under_avoiding().to_string(),
    }
}

fn ancestry(lineage: &Lineage) -> Ancestry<'_> {
    let members = lineage.members.iter().map(member).collect();
    Ancestry { id: lineage.members[0].id.to_string(), members, further: lineage.further }
}

/// Formats a lineage as a Graphviz graph with edges from parents to children.
fn to_dot(lineage: &Lineage) -> Result<String> {
    let mut dot = String::from("digraph lineage {\n  node [shape=box, style=rounded, fontname=\"monospace\"];\n");
    for member in &lineage.members {
        // The label needs no escapes, because names, operators and numbers contain no quotes or backslashes.
        writeln!(dot, "  \"{}\" [label=\"{}\"];", member.id, describe(member)?.replace(", ", "\\n"))?;
    }
    for member in &lineage.members {
        for parent in member.parents.iter().flatten() {
            writeln!(dot, "  \"{parent}\" -> \"{}\";", member.id)?;
        }
    }
    dot.push_str("}\n");
    Ok(dot)
}

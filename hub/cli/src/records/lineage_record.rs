//! `xpuck runs lineage` for a robots' run, read from the MCAP record of the hub.

use crate::records::runs::{print, print_problems};
use crate::terminal::print_json;
use anyhow::{Result, bail};
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;
use xpuck_evolve::Id;
use xpuck_record::lineage::{Individual, LineageIndex};
use xpuck_stats::figure::Figure;
use xpuck_wire::message::Operator;

/// Output format of the lineage.
pub enum Form {
    /// Text for people.
    Text,
    /// One JSON object.
    Json,
    /// Graph for Graphviz.
    Dot,
}

/// Last emigrant of each robot of a recorded run, as printed by `--json` without an ID.
#[derive(Serialize, JsonSchema)]
pub struct Fittest {
    /// Last emigrants, one for each robot.
    fittest: Vec<Emigrant>,
}

/// Last emigrant of a robot.
#[derive(Serialize, JsonSchema)]
struct Emigrant {
    /// Robot that sent the emigrant.
    robot: String,
    /// Id of the individual.
    id: String,
    /// Number of the individual's ancestors.
    ancestors: usize,
}

/// Ancestry of an individual of a recorded run, as printed by `--json`.
#[derive(Serialize, JsonSchema)]
pub struct Ancestry<'a> {
    /// Id of the individual.
    id: String,
    /// Requested individual, followed by its ancestors.
    members: Vec<Member<'a>>,
}

/// Individual of a recorded run.
#[derive(Serialize, JsonSchema)]
struct Member<'a> {
    /// Id of the individual, unique in the run.
    id: String,
    /// Number of births from this individual to the requested one; 0 for the requested one.
    step: usize,
    /// Birth and evaluations of the individual.
    individual: &'a Individual,
}

/// Prints the ancestry of the individual `id`. Without an id, prints the last emigrant of each robot.
pub fn run(path: &Path, id: Option<Id>, depth: usize, form: &Form) -> Result<()> {
    let births = LineageIndex::read(path)?;
    print_problems(&births.damage);
    let Some(id) = id else { return fittest(&births, form) };
    if births.get(id).is_none() {
        bail!("{}: contains no {id}; omit the ID to list the fittest tree of each robot", path.display());
    }
    let all = births.ancestry(id, depth);
    let nobody = Individual::default();
    let of = |id: Id| births.get(id).unwrap_or(&nobody);
    let mut text = String::new();
    match form {
        Form::Json => {
            let member = |(step, id): &(usize, Id)| Member { id: id.to_string(), step: *step, individual: of(*id) };
            return print_json(&Ancestry { id: id.to_string(), members: all.iter().map(member).collect() });
        }
        Form::Dot => {
            writeln!(text, "digraph lineage {{\n  node [shape=box, style=rounded, fontname=\"monospace\"];")?;
            for (_, id) in &all {
                writeln!(text, "  \"{id}\" [label=\"{}\"];", describe(*id, of(*id)).replace(", ", "\\n"))?;
                for parent in &of(*id).parents {
                    writeln!(text, "  \"{parent}\" -> \"{id}\";")?;
                }
            }
            writeln!(text, "}}")?;
        }
        Form::Text => {
            for (step, id) in &all {
                let parents: Vec<String> = of(*id).parents.iter().map(Id::to_string).collect();
                let parents =
                    if parents.is_empty() { String::new() } else { format!("; of {}", parents.join(" and ")) };
                writeln!(text, "{:>3}  {}{parents}", step, describe(*id, of(*id)))?;
            }
            if let Some(tree) = &of(id).tree {
                writeln!(text, "\n# {id}\n{tree}")?;
            }
        }
    }
    print(&text)
}

fn describe(id: Id, individual: &Individual) -> String {
    if individual.generation == 0 {
        return format!("{id}, birth not recorded");
    }
    let fitness = individual.fitness.map_or(String::new(), |f| format!(", first fitness {:.3}", Figure(f.into())));
    let drove = match individual.drove.is_empty() {
        true => String::new(),
        false => format!(", drove {}", individual.drove.join(" ")),
    };
    let operator = match individual.operator {
        Operator::Unknown => "born",
        Operator::Random => "random",
        Operator::Crossover => "crossover",
        Operator::Mutation => "mutation",
    };
    let later = individual
        .samples
        .last()
        .map_or(String::new(), |(.., n, fitness)| format!(", later {:.3} in {n} samples", Figure(f64::from(*fitness))));
    format!("{id}, {operator} in generation {}{fitness}{later}{drove}", individual.generation)
}

fn fittest(births: &LineageIndex, form: &Form) -> Result<()> {
    let row = |(robot, id): (&String, &Id)| Emigrant {
        robot: robot.clone(),
        id: id.to_string(),
        ancestors: births.ancestry(*id, usize::MAX).len() - 1,
    };
    let fittest: Vec<_> = births.fittest.iter().map(row).collect();
    if matches!(form, Form::Json) {
        return print_json(&Fittest { fittest });
    }
    let mut text = String::from("robot           id  ancestors\n");
    for Emigrant { robot, id, ancestors } in fittest {
        writeln!(text, "{robot:<8} {id:>9}  {ancestors:>9}")?;
    }
    print(&text)
}

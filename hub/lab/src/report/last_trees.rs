//! Chapter on the final trees of runs: their number, fitness, structure, common subtrees and ancestry.

use super::ancestry_graph;
use super::collect::{LastTree, RunFacts};
use super::page::Section;
use super::trees::{MeasuredTree, same_behaviour, shared};
use crate::measure::Plan;
use crate::sweep::summary::Readable;
use std::collections::{BTreeMap, BTreeSet};
use xpuck_kernels::analysis::explain::{explain, to_text};
use xpuck_stats::figure::Figure;
use xpuck_stats::statistics::mean_and_sd;

/// Maximum number of the fittest trees that are explained, and of the most common subtrees that are listed.
const EXPLAINED: usize = 10;
const SHARED: usize = 12;

fn mean(known: &MeasuredTree) -> Option<(f64, f64)> {
    (!known.fitness.is_empty()).then(|| mean_and_sd(&known.fitness))
}

/// Returns the chapter on final trees. `runs` are all runs of the report, because the names of trees contain the
/// numbers of runs.
pub fn section(runs: &[RunFacts], known: &[MeasuredTree], plan: &Plan<'_>) -> Section {
    let mut section = Section {
        title: "The trees at the end".into(),
        text: vec![format!(
            "The trees that drove the robots at the end of each run. Reduction removes nodes that can have no effect; \
             trees that are equal after reduction count as one. Each is simulated on all robots, {} times for {} s.",
            plan.runs, plan.seconds
        )],
        ..Section::default()
    };
    section.tables.push(unique(runs));
    let mut order: Vec<usize> = (0..known.len()).collect();
    let worth = |i: &usize| mean(&known[*i]).map_or(f64::NEG_INFINITY, |(mean, _)| mean);
    order.sort_by(|a, b| worth(b).total_cmp(&worth(a)).then(a.cmp(b)));
    section.tables.push(table(known, &order));
    if let Some(best) = order.first() {
        let (value, sd) = mean(&known[*best]).unwrap_or((f64::NAN, f64::NAN));
        section.results.push(format!(
            "{} different trees; the fittest, {}, has a fitness of {:.3} (sd of a run {sd:.3}) and {} nodes; reduction \
             leaves {}.",
            known.len(),
            known[*best].name,
            Figure(value),
            known[*best].tree.nodes().len(),
            known[*best].reduced.nodes().len()
        ));
    }
    for group in same_behaviour(known) {
        let names: Vec<&str> = group.iter().map(|i| known[*i].name.as_str()).collect();
        section
            .results
            .push(format!("{} behave identically in every simulation, although their texts differ.", names.join(", ")));
    }
    section.tables.push(usage(known));
    let common = shared(known);
    if !common.is_empty() {
        let row = |shared: &super::trees::Shared| {
            let trees: Vec<&str> = shared.trees.iter().map(|i| known[*i].name.as_str()).collect();
            let number =
                |(low, high): &(f64, f64)| if low == high { format!("{low}") } else { format!("{low} to {high}") };
            let numbers: Vec<String> = shared.numbers.iter().map(number).collect();
            vec![shared.shape.replace('\n', " / "), trees.len().to_string(), numbers.join("; "), trees.join(" ")]
        };
        let head = ["subtree (# is a number)", "trees", "values of #", "which"];
        section.tables.push(Readable {
            title: format!("The {} most common shared subtrees", common.len().min(SHARED)),
            head: head.map(String::from).to_vec(),
            rows: common.iter().take(SHARED).map(row).collect(),
        });
    }
    for i in order.iter().take(EXPLAINED) {
        let text = to_text(&explain(&known[*i].tree).for_world(plan.spec), |_| None, |_, words| words.to_string());
        section.details.push((format!("How {} works", known[*i].name), text));
    }
    section
}

/// Returns a table of the individuals that drove the robots at the end of each run, as Table 8.6 of the thesis.
fn unique(runs: &[RunFacts]) -> Readable {
    let row = |(i, run): (usize, &RunFacts)| {
        let name = |last: &LastTree| last.id.map_or("from the experiment".into(), |id| id.to_string());
        let list: Vec<String> = run.trees.iter().map(|last| format!("{} {}", last.robot, name(last))).collect();
        // A tree from the experiment has no identifier. Equal trees without identifiers count as one.
        let different: BTreeSet<_> = run.trees.iter().map(|last| last.id.ok_or_else(|| last.tree.key())).collect();
        vec![(i + 1).to_string(), different.len().to_string(), list.join(", ")]
    };
    Readable {
        title: "Individuals in the last segment".into(),
        head: ["run", "different", "robot and individual (island.number)"].map(String::from).to_vec(),
        rows: runs.iter().enumerate().map(row).collect(),
    }
}

/// Returns a table of the nodes and registers that the reduced trees use, in descending order of use. It corresponds
/// to Table 4.5, which is for Kilobots.
fn usage(known: &[MeasuredTree]) -> Readable {
    let mut used: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for one in known {
        let text = one.reduced.to_string();
        let words = text.split_whitespace().filter(|word| word.starts_with(|c: char| c.is_ascii_alphabetic()));
        let words: BTreeSet<&str> = words.map(|word| word.split('.').next().unwrap_or(word)).collect();
        words.into_iter().for_each(|word| used.entry(word.to_string()).or_default().push(&one.name));
    }
    let mut rows: Vec<(String, Vec<&str>)> = used.into_iter().collect();
    rows.sort_by_key(|(_, trees)| std::cmp::Reverse(trees.len()));
    let row = |(word, trees): (String, Vec<&str>)| vec![word, trees.len().to_string(), trees.join(" ")];
    Readable {
        title: "What the trees use, after reduction".into(),
        head: ["node or register", "trees", "which"].map(String::from).to_vec(),
        rows: rows.into_iter().map(row).collect(),
    }
}

fn table(known: &[MeasuredTree], order: &[usize]) -> Readable {
    let row = |i: &usize| {
        let one = &known[*i];
        let robots: Vec<String> = one.drove.iter().map(|(run, robot)| format!("{}:{robot}", run + 1)).collect();
        let (value, sd) = mean(one)
            .map_or(("-".into(), "-".into()), |(mean, sd)| (format!("{:.3}", Figure(mean)), format!("{sd:.3}")));
        vec![
            one.name.clone(),
            one.tree.nodes().len().to_string(),
            one.reduced.nodes().len().to_string(),
            value,
            sd,
            robots.len().to_string(),
            robots.join(" "),
        ]
    };
    Readable {
        title: "Different trees, the fittest first".into(),
        head: ["tree (run:island.number)", "nodes", "reduced", "fitness", "sd of a run", "robots", "where"]
            .map(String::from)
            .to_vec(),
        rows: order.iter().map(row).collect(),
    }
}

/// Returns the chapter on the ancestry of the last trees. It contains a graph for each run, but at most `most`
/// graphs.
pub fn origins(runs: &[&RunFacts], most: usize) -> Section {
    let mut section = Section {
        title: "Ancestry".into(),
        text: vec![
            "All ancestors of the trees that drove robots at the end, founders on the left. Each row is an island, \
             which is a robot; a line between rows is a tree that migrated from robot to robot through the hub. Each \
             island counts its own generations, so a parent from a faster island may be to the right of its child. \
             Point at a dot to see its name."
                .into(),
        ],
        ..Section::default()
    };
    for run in runs {
        let told = run.ancestry.iter().filter(|ancestor| ancestor.generation > 0).count();
        if told == 0 {
            section.results.push(format!("{}: the record contains no births.", run.name));
            continue;
        }
        let founders =
            run.ancestry.iter().filter(|ancestor| ancestor.parents.is_empty() && ancestor.generation > 0).count();
        section.results.push(format!("{}: {told} ancestors, {founders} of them founders.", run.name));
    }
    section.figures = runs.iter().filter_map(|run| ancestry_graph::draw(run)).take(most).collect();
    section
}

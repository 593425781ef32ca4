//! Reproduction of chapter 4 of the thesis: Figures 4.4 and 4.5, Table 4.5, and the tree of Figure 4.6. One page shows
//! the results next to the thesis's numbers.

use super::config::Config;
use super::evolve::{RunResult, fresh_seed};
use super::figures::{curves, spreads};
use super::measure::{Measurement, measure};
use super::reduction::minimise;
use super::trails::trails;
use super::usage::Usage;
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use xpuck_evolve::Algorithm;
use xpuck_kernels::tree::{RegisterMap, Tree};
use xpuck_kilobots::{Foraging, Program};
use xpuck_lab::report::page::{Section, html};
use xpuck_lab::sweep::summary::Readable;
use xpuck_stats::plot::to_svg;
use xpuck_stats::statistics::spread::{median, sorted};
use xpuck_wire::output::count;

/// Text of the fittest tree of the thesis.
const FIGURE_4_6: &str = include_str!("../../../docs/kilobots/figure-4-6.bt");
/// Fitness of Figure 4.6's tree in the thesis. The values are those of evolution, of 200 simulations, and of real
/// robots.
const PRINTED: [f64; 3] = [0.104, 0.075, 0.058];
/// Number of best trees per algorithm in Table 4.5.
const TOP: usize = 5;

/// Results of an experiment.
pub struct Chapter {
    /// Whether the world is that of the thesis, so that the thesis's numbers are comparable.
    pub is_of_the_thesis: bool,
    /// Results as numbers.
    pub result: ChapterResult,
    /// Names of files in the folder, with their contents.
    pub files: Vec<(String, String)>,
}

/// Results of an experiment as numbers.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct ChapterResult {
    /// Results of each algorithm, by the algorithm's name.
    pub algorithms: BTreeMap<&'static str, OfAlgorithm>,
    /// Fitness of Figure 4.6's tree, measured in the same fresh starts as the best trees.
    pub figure_4_6: Value,
    /// Number of fresh starts.
    pub fresh: u32,
}

/// Fitness in fresh starts, which are starts not used in evolution.
#[derive(Clone, Copy, Debug, Serialize, schemars::JsonSchema)]
pub struct Value {
    /// Mean fitness.
    pub mean: f64,
    /// Standard error of the mean.
    pub standard_error: f64,
}

impl Value {
    fn from_measurement(measured: &Measurement) -> Value {
        Value { mean: measured.mean, standard_error: measured.standard_error }
    }
}

/// Results of the runs with one algorithm.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct OfAlgorithm {
    /// Number of runs.
    pub runs: usize,
    /// Maximum number of generations of a run.
    pub generations: u32,
    /// Number of simulations of all runs.
    pub simulations: u64,
    /// Selection fitness of the first generation's best tree, as the mean over the runs.
    pub first_generation: f64,
    /// Selection fitness of the best tree of all runs.
    pub best_chosen: f64,
    /// Fitness of the best tree in fresh starts.
    pub best_again: Value,
    /// Fitness of each run's best tree in fresh starts, as the median over the runs.
    pub median_again: f64,
    /// Text of the best tree.
    pub tree: String,
}

/// Creates the chapter, which can take a minute. The page shows `command` as the command that reproduces the results.
/// `watch` is called with the name of each step.
pub fn chapter(config: &Config, runs: &[RunResult], command: &str, mut watch: impl FnMut(&str)) -> Chapter {
    let foraging = config.world.foraging();
    let mut of: Vec<(Algorithm, Vec<&RunResult>)> = Vec::new();
    for algorithm in &config.algorithms {
        let mut its: Vec<&RunResult> = runs.iter().filter(|run| run.algorithm == *algorithm).collect();
        its.sort_by_key(|run| run.run);
        if !its.is_empty() {
            of.push((*algorithm, its));
        }
    }
    watch("measuring the tree of Figure 4.6");
    let published = measure(&tree(FIGURE_4_6), &foraging, fresh_seed(config), config.fresh);
    let result = ChapterResult {
        algorithms: of.iter().filter_map(|(algorithm, its)| Some((algorithm.name(), algorithm_result(its)?))).collect(),
        figure_4_6: Value::from_measurement(&published),
        fresh: config.fresh,
    };
    let mut files = Vec::new();
    let mut sections = vec![fitness(&of, &published, (&result, config.is_of_the_thesis()), &mut files)];
    watch("drawing paths");
    sections.push(trail_section(config, &foraging, &of, &mut files));
    watch("reducing trees");
    sections.push(usage(config, &foraging, &of, &mut files));
    let lead = [format!(
        "{} Kilobots forage for {:.0} s: nest of radius {} m, a gap of {} m, food beyond it. Fitness is the delivered \
         food as a fraction of the maximum (thesis Eq. 4.1, 4.2), derated by memory (Eq. 4.4).",
        foraging.robots, foraging.seconds, foraging.nest, foraging.gap
    )];
    files.push(("chapter.html".into(), html("Foraging Kilobots", &lead, command, &sections)));
    let json = serde_json::to_string_pretty(&result).unwrap_or_default();
    files.push(("result.json".into(), json + "\n"));
    Chapter { is_of_the_thesis: config.is_of_the_thesis(), result, files }
}

fn tree(text: &str) -> Tree {
    Tree::parse_with(text, RegisterMap::Kilobot, false).expect("runs hold trees that a Kilobot ran")
}

/// Returns the run whose best tree has the highest selection fitness. Among equal runs, it returns the first one.
fn best<'a>(runs: &[&'a RunResult]) -> Option<&'a RunResult> {
    ranked(runs).first().copied()
}

/// Sorts runs by selection fitness, the highest first. The fitness in fresh starts is only reported and not used for
/// selection.
fn ranked<'a>(runs: &[&'a RunResult]) -> Vec<&'a RunResult> {
    let mut ranked = runs.to_vec();
    ranked.sort_by(|a, b| b.best.chosen.total_cmp(&a.best.chosen));
    ranked
}

fn algorithm_result(runs: &[&RunResult]) -> Option<OfAlgorithm> {
    let best = best(runs)?;
    let again: Vec<f64> = runs.iter().map(|run| run.best.again.mean).collect();
    Some(OfAlgorithm {
        runs: runs.len(),
        generations: runs.iter().map(|run| run.generations).max()?,
        simulations: runs.iter().map(|run| run.simulations).sum(),
        first_generation: runs.iter().map(|run| run.first.chosen).sum::<f64>() / runs.len() as f64,
        best_chosen: best.best.chosen,
        best_again: Value::from_measurement(&best.best.again),
        median_again: median(&again),
        tree: best.best.tree.clone(),
    })
}

fn fitness(
    of: &[(Algorithm, Vec<&RunResult>)],
    published: &Measurement,
    (result, printed): (&ChapterResult, bool),
    files: &mut Vec<(String, String)>,
) -> Section {
    let mut panels: Vec<_> = of
        .iter()
        .map(|(algorithm, runs)| curves(&format!("{}, {}", algorithm.name(), count(runs.len(), "run", "runs")), runs))
        .collect();
    let sample = |measured: &Measurement| measured.starts.iter().copied().map(f64::from).collect::<Vec<f64>>();
    let mut samples = vec![("Figure 4.6".to_string(), sample(published))];
    for (algorithm, runs) in of {
        samples.extend(best(runs).map(|run| (format!("best of {}", algorithm.name()), sample(&run.best.again))));
    }
    panels.push(spreads("The fittest in fresh starts", &samples));
    let figure = to_svg(&panels);
    files.push(("figure-4-4.svg".into(), figure.clone()));
    let head = [
        "",
        "runs",
        "simulations",
        "first generation",
        "best, as evolved",
        "again",
        "standard error",
        "median of the runs, fresh starts",
    ];
    let of_value = |value: Value| [format!("{:.4}", value.mean), format!("{:.4}", value.standard_error)];
    let [again, error] = of_value(result.figure_4_6);
    let mut rows = Vec::new();
    if printed {
        let numbers = ["about 0.03", &format!("{}", PRINTED[0]), &format!("{}", PRINTED[1])];
        rows.push(
            [&["thesis", "25", "1100750"], &numbers[..], &["", ""]].concat().into_iter().map(String::from).collect(),
        );
    }
    rows.push(["Figure 4.6's tree here", "", "", "", "", &again, &error, ""].map(String::from).to_vec());
    for (name, its) in &result.algorithms {
        let [again, error] = of_value(its.best_again);
        rows.push(vec![
            (*name).into(),
            its.runs.to_string(),
            its.simulations.to_string(),
            format!("{:.4}", its.first_generation),
            format!("{:.4}", its.best_chosen),
            again,
            error,
            format!("{:.4}", its.median_again),
        ]);
    }
    let trees = result.algorithms.iter().map(|(name, its)| {
        files.push((format!("trees/{name}.bt"), its.tree.clone()));
        (format!("The fittest tree of {name}"), its.tree.clone())
    });
    Section {
        title: "Fitness (Figure 4.4)".into(),
        text: vec![format!(
            "Each grey line is a run; boxes show the spread over runs every five generations. The fittest of all runs is measured again in {} fresh starts{}.",
            result.fresh,
            if printed { format!("; on real robots the thesis measured {}", PRINTED[2]) } else { String::new() }
        )],
        details: trees.collect(),
        figures: vec![figure],
        tables: vec![Readable { title: "Fitness of the fittest".into(), head: head.map(String::from).to_vec(), rows }],
        ..Section::default()
    }
}

fn trail_section(
    config: &Config,
    foraging: &Foraging,
    of: &[(Algorithm, Vec<&RunResult>)],
    files: &mut Vec<(String, String)>,
) -> Section {
    let mut figures = Vec::new();
    let text = vec![
        "The fittest tree of the first and of the last generation, from the run with the best tree, in the start with \
         median fitness. Blue: nest; green: food; white: gap between them; black lines: paths. Robots are drawn at \
         their final positions: red if they carry food, greener at higher density, yellow if both."
            .to_string(),
    ];
    for (algorithm, runs) in of {
        let Some(run) = best(runs) else { continue };
        for (when, fittest) in [("first", &run.first), ("last", &run.best)] {
            let Ok(program) = Program::compile(&tree(&fittest.tree)) else { continue };
            // The start with the median fitness is shown as a typical start.
            let world = typical(&fittest.again);
            let title = format!("{}, run {}: fittest tree of the {when} generation", algorithm.name(), run.run);
            let figure = trails(foraging, &program, (fresh_seed(config), world), &title);
            files.push((format!("trails-{}-{when}.svg", algorithm.name()), figure.clone()));
            figures.push(figure);
        }
    }
    Section { title: "Paths (Figure 4.5)".into(), text, figures, ..Section::default() }
}

/// Returns the number of the first start with the median fitness.
fn typical(measured: &Measurement) -> u32 {
    let starts: Vec<f64> = measured.starts.iter().copied().map(f64::from).collect();
    let middle = sorted(&starts).get(starts.len() / 2).copied().unwrap_or_default();
    starts.iter().position(|fitness| *fitness == middle).unwrap_or(0) as u32
}

fn usage<'a>(
    config: &Config,
    foraging: &Foraging,
    of: &[(Algorithm, Vec<&'a RunResult>)],
    files: &mut Vec<(String, String)>,
) -> Section {
    let top = |(algorithm, runs): &(Algorithm, Vec<&'a RunResult>)| {
        let ranked = ranked(runs).into_iter().take(TOP).enumerate();
        ranked.map(|(rank, run)| (algorithm.name(), rank + 1, run)).collect::<Vec<_>>()
    };
    let fittest: Vec<(&str, usize, &RunResult)> = of.iter().flat_map(top).collect();
    let row = |(algorithm, rank, run): &(&str, usize, &RunResult)| {
        let whole = tree(&run.best.tree);
        let less = minimise(&whole, foraging, fresh_seed(config));
        let name = format!("{algorithm}, run {}", run.run);
        let sizes = [whole.nodes().len(), less.nodes().len()].map(|nodes| nodes.to_string());
        let first = vec![name.clone(), rank.to_string(), format!("{:.4}", run.best.chosen)];
        (
            [first, sizes.to_vec(), Usage::from_tree(&less).cells()].concat(),
            (format!("{name}, required nodes"), less.to_string()),
        )
    };
    let (rows, details): (Vec<Vec<String>>, Vec<(String, String)>) = fittest.par_iter().map(row).unzip();
    let mut head: Vec<String> = ["run", "rank", "fitness", "nodes", "needed"].map(String::from).to_vec();
    head.extend(Usage::columns().into_iter().map(String::from));
    let field = |cell: &String| cell.replace(", run ", "-");
    let line = |row: &Vec<String>| row.iter().map(field).collect::<Vec<String>>().join(",");
    let csv: Vec<String> = [&head].into_iter().chain(&rows).map(line).collect();
    files.push(("usage.csv".into(), csv.join("\n") + "\n"));
    Section {
        title: "Use of blackboard and nodes (Table 4.5)".into(),
        text: vec![
            "Use by the fittest trees of each algorithm, reduced to needed nodes: a node is left out if all robots \
             end at the same positions without it in sixteen starts."
                .into(),
        ],
        tables: vec![Readable { title: "Use by the fittest trees".into(), head, rows }],
        details,
        ..Section::default()
    }
}

//! The report's numbers as tables, each written as CSV and as Parquet.

use super::collect::RunFacts;
use super::fitness::counts;
use super::gap::Gap;
use super::trees::MeasuredTree;
use crate::behaviour::Metrics;
use crate::study::hetero::HeteroStudy;
use serde_json::{Value, json};
use xpuck_record::table::{Column, Table};
use xpuck_stats::statistics::mean_and_sd;

/// A table with the name of its file.
pub struct Named {
    /// File name without extension.
    pub name: &'static str,
    /// Columns of the table.
    pub table: Table,
}

fn table(name: &'static str, head: &[&str], rows: &[Vec<Value>]) -> Named {
    let column = |(i, name): (usize, &&str)| {
        let values: Vec<&Value> = rows.iter().map(|row| &row[i]).collect();
        (name.to_string(), Column::from_values(&values))
    };
    Named { name, table: head.iter().enumerate().map(column).collect() }
}

/// Returns all tables: runs, curves, segments, trees, simulated last segments, swarms of different trees, senses, and
/// world parameters estimated by robots.
pub fn all(runs: &[RunFacts], known: &[MeasuredTree], gaps: &[Gap], mixed: Option<&HeteroStudy>) -> Vec<Named> {
    let run = |run: &RunFacts| {
        vec![
            json!(run.name),
            json!(run.experiment),
            json!(run.version),
            json!(run.seed),
            json!(run.robots),
            json!(run.dead),
            json!(run.ping_ms),
            json!(run.slow_percent),
            json!(run.evolved),
            json!(run.generations),
            json!(counts(run)),
        ]
    };
    let names = [
        "run",
        "experiment",
        "version",
        "seed",
        "robots",
        "dead",
        "ping_ms",
        "slow_percent",
        "evolved",
        "generations",
        "counts",
    ];
    let curve = |run: &RunFacts| -> Vec<Vec<Value>> {
        run.curve.iter().map(|(minutes, fitness)| vec![json!(run.name), json!(minutes), json!(fitness)]).collect()
    };
    // Only missions have raw values.
    let has_values = runs.iter().flat_map(|run| &run.segments).any(|segment| segment.value.is_some());
    let segment = |run: &RunFacts| -> Vec<Vec<Value>> {
        let row = |segment: &super::collect::SegmentFacts| {
            let mut row = vec![json!(run.name), json!(segment.number), json!(segment.fitness)];
            if has_values {
                row.push(json!(segment.value));
            }
            match segment.metrics {
                Some(metrics) => row.extend(metrics.values().map(|x| json!(x))),
                None => row.extend(std::iter::repeat_n(Value::Null, Metrics::NAMES.len())),
            }
            row
        };
        run.segments.iter().map(row).collect()
    };
    let tree = |one: &MeasuredTree| {
        let (mean, sd) = match one.fitness.is_empty() {
            true => (Value::Null, Value::Null),
            false => {
                let (mean, sd) = mean_and_sd(&one.fitness);
                (json!(mean), json!(sd))
            }
        };
        let nodes = (one.tree.nodes().len(), one.reduced.nodes().len());
        let text = one.reduced.to_string();
        vec![json!(one.name), json!(nodes.0), json!(nodes.1), mean, sd, json!(one.drove.len()), json!(text)]
    };
    let gap = |gap: &Gap| {
        let (mean, sd) = mean_and_sd(&gap.simulated);
        vec![json!(gap.run), json!(gap.real), json!(mean), json!(sd), json!(gap.simulated.len()), json!(gap.p)]
    };
    let held = |run: &RunFacts| -> Vec<Vec<Value>> {
        let rows = |one: &super::parameter_history::ParameterHistory| -> Vec<Vec<Value>> {
            let (robot, parameter) = (one.robot.clone(), one.parameter.clone());
            let row = move |(minutes, simulated): &(f64, f64)| {
                vec![json!(run.name), json!(robot), json!(parameter), json!(minutes), json!(simulated)]
            };
            one.course.iter().map(row).collect()
        };
        run.held.iter().flat_map(rows).collect()
    };
    let senses = |run: &RunFacts| -> Vec<Vec<Value>> {
        let row = |row: &xpuck_record::verify::SenseRow| {
            let (mean, largest) = (json!(row.mean), json!(row.largest));
            let (values, different) = (json!(row.values), json!(row.different));
            vec![
                json!(run.name),
                json!(row.sense),
                json!(row.unit),
                values,
                different,
                mean,
                largest,
                json!(row.tolerance),
            ]
        };
        run.senses.iter().flatten().map(row).collect()
    };
    let swarms = mixed.into_iter().flat_map(|study| &study.swarms);
    let swarm = |swarm: &crate::study::hetero::Swarm| {
        let (mixed, se) = (json!(swarm.mixed.mean), json!(swarm.mixed.se));
        vec![json!(swarm.run), json!(swarm.different), mixed, se, json!(swarm.alone)]
    };
    let value = has_values.then_some("value");
    let metrics: Vec<&str> = ["run", "segment", "fitness"].into_iter().chain(value).chain(Metrics::NAMES).collect();
    let rows =
        |each: &dyn Fn(&RunFacts) -> Vec<Vec<Value>>| -> Vec<Vec<Value>> { runs.iter().flat_map(each).collect() };
    vec![
        table("runs", &names, &runs.iter().map(run).collect::<Vec<_>>()),
        table("curves", &["run", "minutes", "fitness"], &rows(&curve)),
        table("segments", &metrics, &rows(&segment)),
        table(
            "trees",
            &["tree", "nodes", "reduced", "fitness", "sd", "robots", "text"],
            &known.iter().map(tree).collect::<Vec<_>>(),
        ),
        table(
            "gap",
            &["run", "real", "simulated", "sd", "simulations", "p"],
            &gaps.iter().map(gap).collect::<Vec<_>>(),
        ),
        table("swarms", &["run", "different", "together", "se", "alone"], &swarms.map(swarm).collect::<Vec<_>>()),
        table(
            "senses",
            &["run", "sense", "unit", "values", "different", "mean", "largest", "tolerance"],
            &rows(&senses),
        ),
        table("estimates", &["run", "robot", "parameter", "minutes", "simulated"], &rows(&held)),
    ]
}

//! Chapter of the report on behaviour: metrics of each segment, and a map of segments with reasonable fitness (thesis
//! 8.5).

use super::collect::{RunFacts, SegmentFacts};
use super::page::Section;
use crate::behaviour::Metrics;
use crate::sweep::summary::Readable;
use xpuck_stats::figure::Figure;
use xpuck_stats::som::{Grid, Map, Topology, draw};
use xpuck_wire::output::count;

/// Minimum fitness of segments on the map (thesis 8.5).
const REASONABLE: f64 = 0.1;

/// Returns all segments that have metrics. Each entry contains the name (numbers of the run and of the segment, as in
/// Table 8.5), the segment, and its metrics.
pub fn segments<'a>(runs: &[&'a RunFacts]) -> Vec<(String, &'a SegmentFacts, Metrics)> {
    let mut all = Vec::new();
    for (i, run) in runs.iter().enumerate() {
        for segment in &run.segments {
            if let Some(metrics) = segment.metrics {
                all.push((format!("{},{}", i + 1, segment.number), segment, metrics));
            }
        }
    }
    all
}

/// Returns the chapter on behaviour. `disc` is true if the world has a frisbee. `topology` is the topology of the
/// map's cells.
pub fn section(runs: &[&RunFacts], disc: bool, topology: Topology) -> Section {
    let all = segments(runs);
    // The metrics with the indices 1 to 3 require a frisbee.
    let shown: &[usize] = if disc { &[0, 1, 2, 3, 4] } else { &[0, 4] };
    let names: Vec<&str> = shown.iter().map(|i| Metrics::NAMES[*i]).collect();
    let values = |metrics: &Metrics| shown.iter().map(|i| metrics.values()[*i]).collect::<Vec<f64>>();
    let mut section = Section {
        title: "How the swarm behaves".into(),
        text: vec![format!(
            "Fitness does not show how a swarm behaves; {} describe it. Energy: sum of the robots' wheel speeds, m/s. \
             {}Acceleration: sum of the wheels' accelerations, m/s^2.",
            if disc { "five metrics" } else { "two metrics" },
            if disc {
                "Pushing: fraction of the robots within 1 frisbee radius and 1.5 robot radii of its centre. Loitering: \
                 fraction within 3 frisbee radii that does not push. Cooperation: alignment of the headings of pushing \
                 robots, 0 to 1. "
            } else {
                ""
            }
        )],
        ..Section::default()
    };
    let mut head = vec!["run,segment".to_string(), "fitness".to_string()];
    head.extend(names.iter().map(|name| name.to_string()));
    let row = |(name, segment, metrics): &(String, &SegmentFacts, Metrics)| {
        let numbers = std::iter::once(segment.fitness).chain(values(metrics));
        std::iter::once(name.clone()).chain(numbers.map(|x| format!("{:.3}", Figure(x)))).collect()
    };
    section.tables.push(Readable {
        title: "Metrics of the segments".into(),
        head,
        rows: all.iter().map(row).collect(),
    });
    let good: Vec<&(String, &SegmentFacts, Metrics)> = all.iter().filter(|(_, s, _)| s.fitness > REASONABLE).collect();
    let cells: Vec<String> = good.iter().map(|(name, ..)| name.clone()).collect();
    let rows: Vec<Vec<f64>> = good.iter().map(|(.., metrics)| values(metrics)).collect();
    let fitness: Vec<f64> = good.iter().map(|(_, segment, _)| segment.fitness).collect();
    let map = Grid::for_data(topology, &rows).and_then(|grid| Map::fit(&cells, &names, &rows, &fitness, grid));
    match map {
        Ok(map) => {
            section.text.push(format!(
                "The map places segments with similar behaviour in neighbouring cells (a self-organising map of the {} \
                 segments with a fitness above {REASONABLE}). The wedges show the metrics, the background shows \
                 fitness. The plot beside the map shows the same segments by their principal components.",
                cells.len()
            ));
            section.figures.push(draw(&map));
            let rows = map.table().into_iter().map(|(cell, names)| vec![cell.to_string(), names.join("  ")]);
            section.tables.push(Readable {
                title: "Segments in each cell".into(),
                head: vec!["cell".into(), "run,segment".into()],
                rows: rows.collect(),
            });
            section.results.push(format!(
                "{} in {}; quantisation error {:.3}.",
                count(cells.len(), "segment", "segments"),
                count(map.table().len(), "cell", "cells"),
                map.quantisation_error
            ));
        }
        Err(why) => section.results.push(format!(
            "No map of behaviours: {} of {} segments have a fitness above {REASONABLE} ({why}).",
            cells.len(),
            all.len()
        )),
    }
    section
}

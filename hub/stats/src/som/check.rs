//! Comparison of map errors and training results with the Python package `minisom`.

use super::{Grid, Pca, Topology, Training, quantisation_error, standardised, start, topographic_error, train};
use crate::python::{self, numbers};
use serde_json::json;
use xpuck_kernels::random::{Draws, Stream, normal_pair};

/// Returns samples similar to the thesis's segments: 33 rows of five numbers, in four groups.
fn samples() -> Vec<Vec<f64>> {
    let mut draws = Draws::new(8, 0, 0, 0, Stream::Start);
    let centres = [
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [3.0, 1.0, -2.0, 0.0, 1.0],
        [-2.0, 3.0, 0.0, 2.0, -1.0],
        [1.0, -3.0, 2.0, -2.0, 3.0],
    ];
    let row = |i: usize, draws: &mut Draws| {
        centres[i % 4].iter().map(|x| x + 0.7 * f64::from(normal_pair(draws.word(), draws.word()).0)).collect()
    };
    let rows: Vec<Vec<f64>> = (0..33).map(|i| row(i, &mut draws)).collect();
    standardised(&rows).unwrap()
}

#[test]
fn errors_match_minisom_and_maps_are_not_worse() {
    let samples = samples();
    let pca = Pca::fit(&samples).unwrap();
    // The numbers of rows are odd, because minisom shifts every second row counted from the last row.
    let cases: Vec<(Topology, &str, usize, usize)> = vec![
        (Topology::Rectangular, "rectangular", 6, 5),
        (Topology::Hexagonal, "hexagonal", 6, 5),
        (Topology::Rectangular, "rectangular", 4, 3),
        (Topology::Hexagonal, "hexagonal", 4, 3),
    ];
    let grids: Vec<Grid> = cases.iter().map(|(t, _, x, y)| Grid::new(*t, *x, *y).unwrap()).collect();
    let question = |((_, topology, columns, rows), grid): (&(Topology, &str, usize, usize), &Grid)| {
        let sigma = (*columns.max(rows) as f64 / 2.0).max(1.0);
        json!({
            "topology": topology, "columns": columns, "rows": rows, "sigma": sigma, "iterations": 100 * samples.len(),
            "samples": samples, "weights": start(grid, &pca),
        })
    };
    let questions: Vec<_> = cases.iter().zip(&grids).map(question).collect();
    let Some(answers) = python::run(include_str!("check.py"), &json!(questions)) else { return };
    for (grid, answer) in grids.iter().zip(answers.as_array().unwrap()) {
        let errors = |weights: &[Vec<f64>]| {
            [quantisation_error(weights, &samples).unwrap(), topographic_error(grid, weights, &samples).unwrap()]
        };
        let begun = start(grid, &pca);
        for (ours, theirs) in errors(&begun).into_iter().zip(numbers(&answer["same"])) {
            assert!((ours - theirs).abs() < 1e-9, "{grid:?}: {ours}, not {theirs}");
        }
        let ours = errors(&train(grid, &samples, &begun, &Training::for_grid(grid)).unwrap());
        for (what, (ours, theirs)) in
            ["quantisation", "topographic"].iter().zip(ours.into_iter().zip(numbers(&answer["trained"])))
        {
            assert!(ours <= theirs + 1e-9, "{grid:?}: {what} error {ours}, theirs {theirs}");
        }
    }
}

//! Plots of the progress of runs, and of the distributions of their results (thesis Figure 4.4).

use super::evolve::RunResult;
use xpuck_stats::plot::{BoxShape, Colour, Plot, Stroke, ViolinOf};
use xpuck_stats::statistics::spread::{quantile, sorted};

/// Interval between the boxes of a box plot (generations).
const EVERY: usize = 5;

/// Returns a plot of the best fitness of each generation, with one line per run. Every five generations, a box shows
/// the distribution over all runs.
pub fn curves(title: &str, runs: &[&RunResult]) -> Plot {
    let mut plot = Plot::new(title, "generation", "fitness of the fittest, as evolved").whole_x();
    for run in runs {
        let points = run.curve.iter().enumerate().map(|(i, (_, best))| (1.0 + i as f64, *best)).collect();
        plot.line("", Stroke::from(Colour::Grey).faint(), points);
    }
    let last = runs.iter().map(|run| run.curve.len()).min().unwrap_or(0);
    let boxes = (0..last).step_by(EVERY).map(|i| {
        let sample = sorted(&runs.iter().map(|run| run.curve[i].1).collect::<Vec<f64>>());
        BoxShape { x: (1.0 + i as f64, 1.6), numbers: [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| quantile(&sample, part)) }
    });
    let boxes = boxes.collect();
    plot.boxes(Colour::Blue, boxes);
    plot
}

/// Returns a violin plot of the fitness of trees in fresh starts. Each tree has one violin, in the order of
/// `samples`.
pub fn spreads(title: &str, samples: &[(String, Vec<f64>)]) -> Plot {
    let names: Vec<String> = samples.iter().enumerate().map(|(i, (name, _))| format!("{}: {name}", i + 1)).collect();
    let mut plot = Plot::new(title, &names.join(", "), "fitness in fresh starts").whole_x();
    let violin =
        |(i, (_, sample)): (usize, &(String, Vec<f64>))| ViolinOf { x: (1.0 + i as f64, 0.35), sample: sample.clone() };
    plot.violins(Colour::Blue, samples.iter().enumerate().map(violin).collect());
    plot
}

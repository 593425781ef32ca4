//! Figure of the study of perturbed starts.

use super::perturb::{Bin, FEWEST, PerturbStudy, Perturbed};
use xpuck_stats::plot::{BoxShape, Colour, Footer, Plot, Stroke, to_svg_with};
use xpuck_wire::output::count;

/// Draws a panel for each tree. The panel shows the extremes, quartiles and median of the fitness against the mean
/// distance from the tree's best start.
pub fn draw(study: &PerturbStudy) -> String {
    let panels: Vec<Plot> = study.trees.iter().map(|tree| panel(study, tree)).collect();
    let mut caption = vec![format!(
        "{} runs of {} s with {} around ({}, {}, {}), standard deviations ({} m, {} m, {} rad).",
        study.budget.runs,
        study.budget.seconds,
        count(study.perturbation.robots, "robot", "robots"),
        study.perturbation.centre.0,
        study.perturbation.centre.1,
        study.perturbation.centre.2,
        study.perturbation.by.0,
        study.perturbation.by.1,
        study.perturbation.by.2,
    )];
    caption.push(format!("Boxes: quartiles and median, whiskers to the extremes; bins with at least {FEWEST} runs."));
    to_svg_with(&panels, &Footer { series: vec![("median".into(), Stroke::from(Colour::Orange))], caption })
}

fn panel(study: &PerturbStudy, tree: &Perturbed) -> Plot {
    let mut plot = Plot::new(&tree.name, "mean distance from the best start, m", "fitness");
    let middle = |bin: &Bin| (bin.distance[0] + bin.distance[1]) / 2.0;
    let bins: Vec<&Bin> = tree.bins.iter().filter(|bin| bin.runs >= FEWEST).collect();
    let half = 0.4 * study.perturbation.bin;
    plot.boxes(
        Colour::Blue,
        bins.iter().map(|bin| BoxShape { x: (middle(bin), half), numbers: bin.fitness }).collect(),
    );
    plot.line("", Colour::Orange, bins.iter().map(|bin| (middle(bin), bin.fitness[2])).collect());
    plot.notes(bins.iter().map(|bin| (middle(bin), bin.fitness[2], format!("{} runs", bin.runs))).collect());
    plot
}

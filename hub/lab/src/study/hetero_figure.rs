//! Figure of the study of heterogeneity.

use super::hetero::{HeteroStudy, Kind, Swarm};
use xpuck_stats::figure::Figure;
use xpuck_stats::plot::{Colour, Footer, Plot, Stroke, to_svg_with};

/// Draws the fitness of mixed swarms against the mean fitness of homogeneous swarms of the same trees. The runs' own
/// swarms and drawn swarms have separate panels.
pub fn draw(study: &HeteroStudy) -> String {
    let (own, drawn): (Vec<&Swarm>, Vec<&Swarm>) = study.swarms.iter().partition(|swarm| swarm.run.is_some());
    let mut panels = vec![panel("The runs' own swarms", &own, study.own.as_ref())];
    if !drawn.is_empty() {
        panels.push(panel("Swarms drawn from all runs", &drawn, study.drawn.as_ref()));
    }
    let series = vec![
        ("mixed = alone".into(), Stroke::from(Colour::Black).dashed()),
        ("best fit".into(), Stroke::from(Colour::Orange)),
    ];
    let mut caption = vec![format!(
        "{} runs of {} s for a mixed swarm, {} for a tree alone; {} robots.",
        study.plan.mixed.runs, study.plan.mixed.seconds, study.plan.alone, study.robots
    )];
    caption.extend(study.sentences());
    to_svg_with(&panels, &Footer { series, caption })
}

fn panel(title: &str, swarms: &[&Swarm], kind: Option<&Kind>) -> Plot {
    let mut plot = Plot::new(title, "mean fitness of its trees alone", "fitness of the mixed swarm");
    let points: Vec<(f64, f64)> = swarms.iter().map(|swarm| (swarm.alone, swarm.mixed.mean)).collect();
    let ends = points.iter().flat_map(|(x, y)| [*x, *y]);
    let low = ends.clone().fold(f64::INFINITY, f64::min);
    let high = ends.fold(f64::NEG_INFINITY, f64::max);
    if low < high {
        plot.line("", Stroke::from(Colour::Black).dashed(), vec![(low, low), (high, high)]);
    }
    if let Some((intercept, slope)) = kind.and_then(|kind| kind.line) {
        let x = points.iter().map(|point| point.0);
        let (low, high) = (x.clone().fold(f64::INFINITY, f64::min), x.fold(f64::NEG_INFINITY, f64::max));
        plot.line("", Colour::Orange, [low, high].map(|x| (x, intercept + slope * x)).to_vec());
    }
    plot.points("", Colour::Blue, points);
    let note = |swarm: &&Swarm| {
        let name = swarm.run.as_deref().unwrap_or("drawn");
        let [low, high] = swarm.mixed.interval;
        let text = format!("{name}: {:.3} ({:.3} to {:.3})", Figure(swarm.mixed.mean), Figure(low), Figure(high));
        (swarm.alone, swarm.mixed.mean, text)
    };
    plot.notes(swarms.iter().map(note).collect());
    plot
}

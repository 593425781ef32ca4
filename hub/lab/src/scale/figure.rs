//! Figure of the scaling study: spread of a gene, and fitness of champions over time.

use super::ScaleStudy;
use xpuck_stats::plot::{Footer, Plot, Stroke, to_svg_with};

/// Draws two panels with a legend, as SVG: the spread of a gene, and the mean fitness of champions.
pub fn draw(study: &ScaleStudy) -> String {
    let mut spread = Plot::new("One gene", "log10 of the seconds since its origin", "islands that have it, %");
    let mut mean = Plot::new("Champions, mean of all islands", "generations", "fitness");
    let mut series = Vec::new();
    for (i, row) in study.rows.iter().enumerate() {
        let stroke = Stroke::of_series(i);
        // The origin island has the gene at time 0, which a logarithmic axis cannot show.
        let curve = row.curve.iter().filter(|(time, _)| *time > 0.0);
        spread.line("", stroke, curve.map(|(time, share)| (time.log10(), 100.0 * share)).collect());
        mean.line("", stroke, row.course.iter().map(|s| (f64::from(s.generation), s.mean)).collect());
        series.push((row.topology.clone(), stroke));
    }
    let plan = study.plan;
    let caption = vec![
        format!(
            "{} islands, one exchange every {} s, network {}, law {}, seed {}.",
            plan.islands,
            plan.period,
            serde_json::to_string(&plan.network).unwrap_or_default().replace('"', ""),
            serde_json::to_string(&plan.law).unwrap_or_default().replace('"', ""),
            plan.seed
        ),
        format!("{}.", study.sentence()),
    ];
    to_svg_with(&[spread, mean], &Footer { series, caption })
}

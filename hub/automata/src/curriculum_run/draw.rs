//! Plots of a run: fitness over evaluations, and contributions of operators (like Petrovic's figures 12, 15 and 16).

use super::outcome::{Outcome, StepOutcome};
use xpuck_stats::plot::{Colour, Footer, Plot, Stroke, to_svg, to_svg_with};

/// Curves of a step: best and mean fitness (in thousands) over the number of evaluations.
#[derive(Default)]
struct Course {
    step: String,
    bests: Vec<(f64, f64)>,
    means: Vec<(f64, f64)>,
}

/// Returns a plot of fitness over evaluations, with two lines per step: best and mean fitness. `table` is the text of
/// `generations.csv`.
pub(super) fn course(table: &str) -> String {
    let rows = table.lines().skip(1).filter_map(|line| {
        let fields: Vec<&str> = line.rsplitn(8, ',').collect();
        let number = |i: usize| fields.get(i).and_then(|field| field.parse::<f64>().ok());
        Some((fields.get(7)?.to_string(), number(4)?, number(2)?, number(1)?))
    });
    let mut steps: Vec<Course> = Vec::new();
    for (step, evaluations, best, mean) in rows {
        if steps.last().is_none_or(|last| last.step != step) {
            steps.push(Course { step, ..Course::default() });
        }
        if let Some(last) = steps.last_mut() {
            last.bests.push((evaluations, best / 1000.0));
            last.means.push((evaluations, mean / 1000.0));
        }
    }
    let mut plot = Plot::new("fitness by step", "evaluations", "fitness / 1000 (weights differ by step)");
    for (i, Course { step, bests, means }) in steps.into_iter().enumerate() {
        plot.line(&step, Stroke::of_series(i), bests);
        plot.line("", Stroke::of_series(i).faint(), means);
    }
    to_svg(&[plot])
}

/// Returns a plot with two panels over the steps. The first shows each operator's share of all fitness gains. The
/// second shows each operator's fraction of fitter genotypes among its genotypes whose fitness changed.
pub(super) fn operators(outcome: &Outcome) -> String {
    let steps: Vec<&StepOutcome> = outcome.steps.iter().filter(|step| !step.operators.is_empty()).collect();
    let mut shares = Plot::new("share of all gains", "step", "share").whole_x();
    let mut ratios = Plot::new("improvements", "step", "share of all that changed fitness").whole_x();
    let names: Vec<&str> =
        steps.first().map_or(Vec::new(), |step| step.operators.iter().map(|one| one.name.as_str()).collect());
    for i in 0..names.len() {
        let over = |value: &dyn Fn(&StepOutcome) -> f64| -> Vec<(f64, f64)> {
            steps.iter().enumerate().map(|(place, step)| (place as f64 + 1.0, value(step))).collect()
        };
        let share = |step: &StepOutcome| step.operators[i].share;
        let ratio = |step: &StepOutcome| step.operators[i].positive;
        shares.line("", Stroke::of_series(i), over(&share));
        shares.points("", Colour::Grey, over(&share));
        ratios.line("", Stroke::of_series(i), over(&ratio));
        ratios.points("", Colour::Grey, over(&ratio));
    }
    let series = names.iter().enumerate().map(|(i, name)| (name.to_string(), Stroke::of_series(i))).collect();
    let steps: Vec<String> = steps.iter().enumerate().map(|(i, step)| format!("{} {}", i + 1, step.name)).collect();
    to_svg_with(&[shares, ratios], &Footer { series, caption: vec![format!("Steps: {}.", steps.join(", "))] })
}

//! Figure of real and simulated fitness, with a dot for each run and with distributions.

use super::comparison::Compared;
use xpuck_stats::figure::Figure;
use xpuck_stats::plot::{BoxShape, Colour, Footer, Plot, to_svg_with};
use xpuck_stats::statistics::{Spread, quantile};

/// Draws both samples as SVG, with the comparison in the caption if there is one. `None` if a sample is empty.
pub fn draw(real: &[f64], simulated: &[f64], compared: Option<&Compared>) -> Option<String> {
    let (of_real, of_simulated) = (Spread::from_sample(real)?, Spread::from_sample(simulated)?);
    let mut boxes = Plot::new("Every run", "real (1), simulated (2)", "fitness");
    let mut parts = Plot::new("Fraction of the runs below", "fitness", "part");
    for (place, sample, colour) in [(1.0, real, Colour::Red), (2.0, simulated, Colour::Blue)] {
        let mut sorted = sample.to_vec();
        sorted.sort_by(f64::total_cmp);
        let numbers = [0.0, 0.25, 0.5, 0.75, 1.0].map(|part| quantile(&sorted, part));
        boxes.boxes(colour, vec![BoxShape { x: (place - 0.15, 0.12), numbers }]);
        // Dots have different offsets, so that equal values are distinguishable. The golden ratio spreads the offsets
        // evenly.
        let beside = |i: usize| place + 0.08 + 0.25 * (i as f64 * 0.618_034).fract();
        let points: Vec<(f64, f64)> = sample.iter().enumerate().map(|(i, value)| (beside(i), *value)).collect();
        boxes.points("", colour, points);
        let n = sorted.len() as f64;
        let steps = sorted.iter().enumerate().flat_map(|(i, x)| [(*x, i as f64 / n), (*x, (i + 1) as f64 / n)]);
        parts.line(if place < 1.5 { "real" } else { "simulated" }, colour, steps.collect());
    }
    let line = |what: &str, spread: &Spread| {
        format!("{what}: mean {:.3}, sd {:.3}, {} runs", Figure(spread.mean), spread.sd.unwrap_or(0.0), spread.n)
    };
    let mut caption = vec![format!("{}; {}.", line("Real", &of_real), line("simulated", &of_simulated))];
    caption.extend(compared.map(|Compared { welch, mann_whitney_p, hedges_g, .. }| {
        format!(
            "Welch's t: p = {:.2}; Mann-Whitney: p = {mann_whitney_p:.2}; Hedges' g = {:.2}.",
            welch.p,
            Figure(*hedges_g)
        )
    }));
    Some(to_svg_with(&[boxes, parts], &Footer { series: Vec::new(), caption }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_that_do_not_vary_are_drawn_too() {
        let svg = draw(&[0.0; 2], &[0.0; 5], None).unwrap();
        assert!(svg.contains("Real: mean 0.000, sd 0.000, 2 runs") && !svg.contains("NaN"), "{svg}");
        assert!(draw(&[0.1], &[0.1], None).is_some() && draw(&[], &[0.1], None).is_none());
    }
}

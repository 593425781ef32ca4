//! Figure of an ablation, and its result as a sentence.

use crate::ablation::{Ablation, Effect};
use xpuck_stats::figure::Figure;
use xpuck_stats::plot::{Colour, Footer, Plot, Stroke, to_svg_with};

/// Maximum number of effects in a panel. If there are more, the largest effects are shown.
const MOST: usize = 30;
/// Number of standard errors above which an effect is significant (95 %).
const CLEAR: f64 = 1.96;

/// Returns whether an effect differs significantly from zero (95 %).
fn shows(effect: &Effect) -> bool {
    effect.mean.abs() > CLEAR * effect.error
}

/// Draws the effects of removed branches and changed constants on the fitness, each with its 95 % confidence
/// interval.
pub fn draw(ablation: &Ablation) -> String {
    let panels = [panel("Without a branch", &ablation.removals), panel("With another constant", &ablation.constants)];
    let caption = vec![sentence(ablation), "Lines: 95 % intervals; point at a line to see the change.".into()];
    let series = [("significant (95 %)", Colour::Red), ("not significant", Colour::Grey)];
    let series = series.map(|(label, colour)| (label.to_string(), Stroke::from(colour))).to_vec();
    to_svg_with(&panels, &Footer { series, caption })
}

fn panel(title: &str, effects: &[Effect]) -> Plot {
    let mut plot = Plot::new(title, "by the size of the effect", "change of fitness").whole_x();
    let shown = &effects[..effects.len().min(MOST)];
    plot.line("", Stroke::from(Colour::Black).dashed(), vec![(0.5, 0.0), (shown.len() as f64 + 0.5, 0.0)]);
    for (place, effect) in (1..).map(f64::from).zip(shown) {
        let colour = if shows(effect) { Colour::Red } else { Colour::Grey };
        let half = CLEAR * effect.error;
        plot.line("", colour, vec![(place, effect.mean - half), (place, effect.mean + half)]);
        plot.points("", colour, vec![(place, effect.mean)]);
        plot.notes(vec![(place, effect.mean, format!("line {}: {}", effect.node + 1, effect.change.words()))]);
    }
    plot
}

/// Returns the result as a sentence, with the most important branch and the number of dispensable branches.
pub fn sentence(ablation: &Ablation) -> String {
    let worst = ablation.removals.iter().filter(|e| e.mean < 0.0 && shows(e)).min_by(|a, b| a.mean.total_cmp(&b.mean));
    let idle = ablation.removals.iter().filter(|e| !shows(e)).count();
    let gain = ablation.removals.iter().chain(&ablation.constants).filter(|e| e.mean > 0.0 && shows(e));
    let gain = gain.max_by(|a, b| a.mean.total_cmp(&b.mean));
    let mut text = format!("Fitness {:.4} +- {:.4}", Figure(ablation.fitness.0), ablation.fitness.1);
    if let Some(effect) = worst {
        text += &format!("; line {} matters most ({:+.4} without it)", effect.node + 1, Figure(effect.mean));
    }
    text +=
        &format!("; {idle} of {} branches can be removed without a significant difference", ablation.removals.len());
    if let Some(effect) = gain {
        let words = effect.change.words();
        text += &format!("; gains most ({:+.4}) by a change of line {}: {words}", Figure(effect.mean), effect.node + 1);
    }
    text + "."
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ablation::ablate;
    use crate::measure::Plan;
    use xpuck_kernels::engine::Simd;
    use xpuck_kernels::tree::Tree;
    use xpuck_kernels::world::WorldSpec;

    #[test]
    fn unreached_branch_is_removable() {
        let tree = Tree::parse("sel\n  avoiding\n  movcv v_goal 0deg\n  bleft\n").unwrap();
        let spec = WorldSpec::benchmark(9);
        let plan = Plan { spec: &spec, seconds: 20.0, runs: 100, seed: 1 };
        let ablation = ablate(&Simd::default(), &tree, &plan, |_, _| {}).unwrap();
        let sentence = sentence(&ablation);
        assert!(sentence.contains(" of 3 branches can be removed"), "{sentence}");
        let unreached = ablation.removals.iter().find(|effect| effect.node == 3).unwrap();
        assert!(!shows(unreached), "{unreached:?}");
        assert!(draw(&ablation).contains("line 4: "));
    }
}

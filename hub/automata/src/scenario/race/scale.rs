//! From a run's score to the fitness that a race compares.

use crate::scenario::Step;

/// The fitness of a run that is worth what a step's end asks of the best: that of a good tree where the race's thresholds are from,
/// which varies by a fifth from trial to trial.
const GOOD: f64 = 0.3;
/// The fitness of a run that is worth nothing or less.
const WORTHLESS: f64 = -0.3;

/// Scores as shares of what the end of a step asks of the best.
///
/// The share s is worth 1.2 s / (1 + s) - 0.3, between -0.3 and 0.9. About s = 1 that is 0.3 + 0.3 ln s: the mean over runs, by which
/// a race compares, orders trees there as the geometric mean of their scores does, which most steps combine runs by. It is
/// arithmetic alone, so that all platforms have the same digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    threshold: f64,
}

impl Scale {
    /// Of a step; none if its end asks for no best fitness above 0.
    pub fn of(step: &Step) -> Option<Scale> {
        let threshold = step.settings.end.best_asked_for().filter(|&threshold| threshold > 0.0)?;
        Some(Scale { threshold })
    }

    /// What a score is worth.
    pub fn fitness(self, score: f64) -> f32 {
        let share = (score / self.threshold).max(0.0);
        (WORTHLESS + 2.0 * (GOOD - WORTHLESS) * share / (1.0 + share)) as f32
    }

    /// What a node costs that takes so much of a score, by the slope at the threshold.
    pub fn node_cost(self, worth: f64) -> f64 {
        (-worth * (GOOD - WORTHLESS) / (2.0 * self.threshold)).clamp(0.0, 0.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fitness_is_in_bounds_and_rises_with_the_score_and_is_that_of_a_good_tree_at_the_threshold() {
        let scale = Scale { threshold: 700_000.0 };
        assert_eq!(scale.fitness(700_000.0), 0.3);
        assert_eq!(scale.fitness(0.0), -0.3);
        assert_eq!(scale.fitness(-1e9), -0.3);
        let rising: Vec<f32> = (0..40).map(|k| scale.fitness(f64::from(k) * 100_000.0)).collect();
        assert!(rising.is_sorted_by(|a, b| a < b) && rising.iter().all(|fitness| (-0.3..0.9).contains(fitness)));
        // Two runs are worth what two of their geometric mean are, nearly.
        let [less, more, middle] = [600_000.0, 800_000.0, 692_820.3].map(|score| f64::from(scale.fitness(score)));
        assert!(((less + more) / 2.0 - middle).abs() < 1e-4, "{less} {more} {middle}");
    }

    #[test]
    fn a_node_costs_what_its_share_of_a_score_is_worth() {
        let scale = Scale { threshold: 700_000.0 };
        let slope = f64::from(scale.fitness(700_500.0) - scale.fitness(699_500.0)) / 1000.0;
        assert!((scale.node_cost(-5.0) - 5.0 * slope).abs() < 1e-8);
        assert_eq!(scale.node_cost(5.0), 0.0);
    }
}

//! Conversion from the score of a run to the fitness that a race compares.

use crate::scenario::Step;

/// Fitness of a run whose score equals the best fitness required by the step's end formula. The thresholds of the
/// racing algorithm were chosen for worlds in which a good tree has this fitness. In these worlds, the fitness varies
/// by a fifth between trials.
const GOOD: f64 = 0.3;
/// Fitness of a run with a score of 0 or less.
const WORTHLESS: f64 = -0.3;

/// Scale that converts the score of a run to a fitness.
///
/// Let s be the score divided by the best fitness that the step's end formula requires. The fitness is 1.2 s / (1 +
/// s) - 0.3, between -0.3 and 0.9. Near s = 1, it is about 0.3 + 0.3 ln s. The mean of this fitness over runs
/// therefore ranks trees like the geometric mean of their scores, with which most steps combine scores. Only basic
/// arithmetic is used, so that results are identical on all platforms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    threshold: f64,
}

impl Scale {
    /// Returns the scale of a step. `None` if the step's end formula requires no best fitness above 0.
    pub fn from_step(step: &Step) -> Option<Scale> {
        let threshold = step.settings.end.best_asked_for().filter(|&threshold| threshold > 0.0)?;
        Some(Scale { threshold })
    }

    /// Returns the fitness for the score of a run.
    pub fn fitness(self, score: f64) -> f32 {
        let share = (score / self.threshold).max(0.0);
        (WORTHLESS + 2.0 * (GOOD - WORTHLESS) * share / (1.0 + share)) as f32
    }

    /// Returns the cost of a node in units of fitness (0..=0.1). `worth` is the change of the score per node. It is
    /// converted with the slope of the scale at the threshold.
    pub fn node_cost(self, worth: f64) -> f64 {
        (-worth * (GOOD - WORTHLESS) / (2.0 * self.threshold)).clamp(0.0, 0.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fitness_is_bounded_and_monotonic() {
        let scale = Scale { threshold: 700_000.0 };
        assert_eq!(scale.fitness(700_000.0), 0.3);
        assert_eq!(scale.fitness(0.0), -0.3);
        assert_eq!(scale.fitness(-1e9), -0.3);
        let rising: Vec<f32> = (0..40).map(|k| scale.fitness(f64::from(k) * 100_000.0)).collect();
        assert!(rising.is_sorted_by(|a, b| a < b) && rising.iter().all(|fitness| (-0.3..0.9).contains(fitness)));
        // The mean fitness of two runs is nearly the fitness of a run whose score is the geometric mean of both scores.
        let [less, more, middle] = [600_000.0, 800_000.0, 692_820.3].map(|score| f64::from(scale.fitness(score)));
        assert!(((less + more) / 2.0 - middle).abs() < 1e-4, "{less} {more} {middle}");
    }

    #[test]
    fn node_cost_follows_slope_of_fitness_scale() {
        let scale = Scale { threshold: 700_000.0 };
        let slope = f64::from(scale.fitness(700_500.0) - scale.fitness(699_500.0)) / 1000.0;
        assert!((scale.node_cost(-5.0) - 5.0 * slope).abs() < 1e-8);
        assert_eq!(scale.node_cost(5.0), 0.0);
    }
}

//! Growth law for the fitness of an island's champion, fitted to measured runs.

use serde::Serialize;

/// Fitness limit for an infinite budget. The law is fitness = [`LIMIT`] - [`DEFICIT`] * b^-[`EXPONENT`] after b times
/// the budget of the thesis. It is fitted to the results in docs/evolution.md (20 seeds). The fitness there is 0.205
/// for b = 0.25, 0.303 for b = 1, 0.345 for b = 3, and 0.356 for b = 10.
pub const LIMIT: f64 = 0.37;
/// Deficit of the fitness to [`LIMIT`] after one budget.
pub const DEFICIT: f64 = 0.067;
/// Exponent with which the deficit decreases as the budget grows.
pub const EXPONENT: f64 = 0.65;
/// Budget of the thesis as a number of island generations: 84 generations of each of 9 islands.
pub const BUDGET: f64 = 756.0;
/// Mean share of the deficit that one success of `Law::Steps` removes.
const STEP: f64 = 0.05;
/// Gamma(1 + EXPONENT): ratio of the mean deficit of the best draw to the scale of its distribution.
const GAMMA: f64 = 0.900_116_8;

/// Returns the fitness predicted for a total number of island generations.
pub fn fitness(generations: f64) -> f64 {
    (LIMIT - DEFICIT * (generations / BUDGET).powf(-EXPONENT)).max(0.0)
}

/// Mechanism of improvement. Both mechanisms produce the same law, and real evolution lies between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Each generation is a random draw that is independent of the champion. The best of all draws counts, as with
    /// independent restarts.
    Draws,
    /// Each success removes a small share of the deficit of the island's own champion. The next success builds on the
    /// improved champion.
    Steps,
}

impl Law {
    /// Returns the deficit of an island after one generation. `missing` is the deficit before the generation. `luck`
    /// decides whether the island improves, and `size` by which amount; both are random numbers in 0..1.
    pub fn next(self, missing: f32, luck: f32, size: f32) -> f32 {
        let relative = f64::from(missing) / DEFICIT;
        let power = relative.powf(1.0 / EXPONENT);
        let chance = match self {
            Law::Draws => power * GAMMA.powf(1.0 / EXPONENT) / BUDGET,
            Law::Steps => power * EXPONENT / STEP / BUDGET,
        };
        if f64::from(luck) >= chance {
            return missing;
        }
        match self {
            // The deficit of a successful draw is the current deficit times a power of a uniform number.
            Law::Draws => missing * f64::from(1.0 - size).powf(EXPONENT) as f32,
            Law::Steps => missing * (1.0 - 2.0 * STEP as f32 * size),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::random::{Draws, Stream};

    #[test]
    fn fitness_law_matches_measured_values() {
        for (budgets, measured) in [(0.25, 0.205), (1.0, 0.303), (3.0, 0.345), (10.0, 0.356)] {
            assert!((fitness(budgets * BUDGET) - measured).abs() < 0.009, "{budgets}: {}", fitness(budgets * BUDGET));
        }
    }

    #[test]
    fn both_ways_give_the_law_on_nine_islands_that_share() {
        for law in [Law::Draws, Law::Steps] {
            let mut sum = 0.0;
            for seed in 0..200 {
                let mut best = LIMIT as f32;
                for generation in 0..84 {
                    let before = best;
                    for island in 0..9 {
                        let mut draws = Draws::new(seed, island, 0, generation, Stream::Evolution);
                        best = best.min(law.next(before, draws.unit(), draws.unit()));
                    }
                }
                sum += LIMIT - f64::from(best);
            }
            assert!((sum / 200.0 - fitness(BUDGET)).abs() < 0.012, "{law:?}: {}", sum / 200.0);
        }
    }
}

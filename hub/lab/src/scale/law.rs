//! How an island's champion grows: a law taken from measured runs.

use serde::Serialize;

/// What no tree reaches: fitness = [`LIMIT`] - [`DEFICIT`] budgets^-[`EXPONENT`], fitted to docs/evolution.md: 0.205 after
/// a quarter of the thesis's budget, 0.303 after all of it (20 seeds), 0.345 after three and 0.356 after ten.
pub const LIMIT: f64 = 0.37;
/// What is missing to the limit after one budget.
pub const DEFICIT: f64 = 0.067;
/// How what is missing falls with the budget.
pub const EXPONENT: f64 = 0.65;
/// A budget: the thesis's, in generations of an island (9 islands, 84 generations).
pub const BUDGET: f64 = 756.0;
/// The share of what is missing that one step takes away, on average.
const STEP: f64 = 0.05;
/// Gamma(1 + EXPONENT): the mean of a best draw to its scale.
const GAMMA: f64 = 0.900_116_8;

/// The fitness that the law promises for so many generations of islands, wherever they were done.
pub fn fitness(generations: f64) -> f64 {
    (LIMIT - DEFICIT * (generations / BUDGET).powf(-EXPONENT)).max(0.0)
}

/// Two ways in which the same law comes about; real evolution lies between them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Law {
    /// Each generation is a draw, whatever the champion is: the best of all draws counts, as with independent starts.
    Draws,
    /// Each success takes a small part of what is missing to the island's own champion away: the next builds on it.
    Steps,
}

impl Law {
    /// What is missing after one generation of an island, given what was missing before; two numbers from 0..1.
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
            // The smallest of draws that are below what is missing: a power of an even number.
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
    fn the_law_meets_the_measured_rows() {
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

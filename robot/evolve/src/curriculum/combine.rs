//! Fitness from the scores of many runs.

use schemars::JsonSchema;
use serde::Deserialize;

/// Combination of the scores of several runs to a fitness. The number in brackets identifies the combination in the
/// project files of Petrovic's program.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Combination {
    /// Mean (0).
    Mean,
    /// Worst score (1).
    Worst,
    /// Best score (2).
    Best,
    /// Geometric mean, 0 if any score is 0 or negative (3).
    Geometric,
    /// Smallest of the geometric means that are computed separately for each start (4).
    #[default]
    WorstGeometric,
}

impl Combination {
    /// Returns the combination with this number in Petrovic's project files; `None` if there is no such combination.
    pub fn of_number(number: u8) -> Option<Combination> {
        use Combination::*;
        [Mean, Worst, Best, Geometric, WorstGeometric].get(usize::from(number)).copied()
    }

    /// Computes the fitness. `scores` contains the scores of all runs, grouped by start. Returns 0 if there are no
    /// scores.
    pub fn fitness(self, scores: &[Vec<f64>]) -> f64 {
        let all: Vec<f64> = scores.iter().flatten().copied().collect();
        if all.is_empty() {
            return 0.0;
        }
        match self {
            Combination::Mean => all.iter().sum::<f64>() / all.len() as f64,
            Combination::Worst => all.iter().copied().fold(f64::INFINITY, f64::min),
            Combination::Best => all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            Combination::Geometric => geometric_mean(&all),
            Combination::WorstGeometric => {
                let starts = scores.iter().filter(|of_start| !of_start.is_empty());
                starts.map(|of_start| geometric_mean(of_start)).fold(f64::INFINITY, f64::min)
            }
        }
    }
}

/// Computes the geometric mean; 0 if any number is not positive. It uses Newton's method, because the power functions
/// of platforms differ in the last digits.
fn geometric_mean(numbers: &[f64]) -> f64 {
    let most = numbers.iter().copied().fold(0.0, f64::max);
    if numbers.iter().any(|&number| number <= 0.0) {
        return 0.0;
    }
    // Dividing by the greatest number keeps the product in range.
    let product: f64 = numbers.iter().map(|number| number / most).product();
    let n = numbers.len() as i32;
    let mut root = 1.0f64;
    for _ in 0..200 {
        let power = (1..n).fold(1.0, |power, _| power * root);
        let next = root + (product / power - root) / f64::from(n);
        if (next - root).abs() <= 1e-15 * next {
            break;
        }
        root = next;
    }
    root * most
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_the_documents() {
        let scores = [vec![1.0, 4.0], vec![8.0, 8.0, 8.0]];
        let fitness = |number| Combination::of_number(number).unwrap().fitness(&scores);
        assert_eq!((fitness(0), fitness(1), fitness(2)), (5.8, 1.0, 8.0));
        assert!((fitness(3) - 2048f64.powf(0.2)).abs() < 1e-12);
        assert!((fitness(4) - 2.0).abs() < 1e-12);
        assert_eq!(Combination::Geometric.fitness(&[vec![-1.0, 2.0]]), 0.0);
        assert!(Combination::of_number(5).is_none());
        // The geometric mean of a start is 0 if one of its runs has the score 0. Starts without runs are ignored.
        assert_eq!(Combination::WorstGeometric.fitness(&[vec![4.0, 9.0], vec![], vec![7.0, 0.0]]), 0.0);
        assert!((Combination::WorstGeometric.fitness(&[vec![4.0, 9.0], vec![]]) - 6.0).abs() < 1e-12);
        assert!((0..5).all(|number| Combination::of_number(number).is_some_and(|combination| combination.fitness(&[]) == 0.0)));
    }
}

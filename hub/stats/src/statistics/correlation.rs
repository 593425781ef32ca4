//! Correlation of two quantities.

use super::{constant, finite, rank};
use serde::Serialize;
use statrs::function::beta::beta_reg;

/// Correlation with its significance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Correlation {
    /// Coefficient, -1 to 1.
    pub r: f64,
    /// Two-sided p.
    pub p: f64,
}

/// Computes Pearson's correlation. Its p assumes that both samples are normal (Student's t with n - 2 degrees of
/// freedom). Returns `None` if the lengths differ, there are fewer than three pairs, or a sample is constant.
pub fn pearson(x: &[f64], y: &[f64]) -> Option<Correlation> {
    if x.len() != y.len() || x.len() < 3 || !finite(x) || !finite(y) || constant(x) || constant(y) {
        return None;
    }
    let n = x.len() as f64;
    // Deviations are scaled to a range of about 1, so that squares neither overflow nor underflow.
    let deviations = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / n;
        let most = values.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max);
        values.iter().map(|value| (value - mean) / most).collect::<Vec<f64>>()
    };
    let (dx, dy) = (deviations(x), deviations(y));
    let products = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let r = (products(&dx, &dy) / (products(&dx, &dx) * products(&dy, &dy)).sqrt()).clamp(-1.0, 1.0);
    if !r.is_finite() {
        return None;
    }
    // If the samples are uncorrelated, r has a beta distribution on -1..1. This distribution gives the same p as
    // Student's t, but without cancellation for r near 1.
    let shape = n / 2.0 - 1.0;
    let p = (2.0 * beta_reg(shape, shape, (1.0 - r.abs()) / 2.0)).min(1.0);
    Some(Correlation { r, p })
}

/// Computes Spearman's rank correlation, in which equal values share their mean rank. p is by Student's t with n - 2
/// degrees of freedom, which is accurate from about ten pairs. Returns `None` in the same cases as [`pearson`].
pub fn spearman(x: &[f64], y: &[f64]) -> Option<Correlation> {
    if !finite(x) || !finite(y) {
        return None;
    }
    let ranks = |values: &[f64]| rank::doubled(values).into_iter().map(|r| r as f64).collect::<Vec<f64>>();
    pearson(&ranks(x), &ranks(y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlations_of_known_numbers() {
        // The deviations are (-1, 0, 1) and (-1, 1, 0). Therefore r is one half, and p is 2 / 3 with one degree of
        // freedom.
        let found = pearson(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0]).unwrap();
        assert!((found.r - 0.5).abs() < 1e-12 && (found.p - 2.0 / 3.0).abs() < 1e-12, "{found:?}");
        // The ranks agree perfectly although the values are not on a line.
        let (x, y) = ([1.0, 2.0, 3.0, 4.0], [1.0, 10.0, 100.0, 1000.0]);
        assert!(pearson(&x, &y).unwrap().r < 0.9);
        let found = spearman(&x, &y).unwrap();
        assert!((found.r - 1.0).abs() < 1e-12 && found.p < 1e-12, "{found:?}");
        assert!((spearman(&x, &y.map(|y| -y)).unwrap().r + 1.0).abs() < 1e-12);
    }

    #[test]
    fn what_has_no_answer_has_none() {
        assert_eq!((pearson(&[1.0, 2.0], &[1.0, 2.0]), spearman(&[1.0; 5], &[1.0, 2.0, 3.0, 4.0, 5.0])), (None, None));
        assert_eq!(pearson(&[1.0, 2.0, 3.0], &[1.0, 2.0]), None);
        assert_eq!(spearman(&[1.0, 2.0, f64::NAN], &[1.0, 2.0, 3.0]), None);
    }
}

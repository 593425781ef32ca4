//! Straight line through points, and its intersection with y = x.

use super::tail::t_two_sided;
use super::{constant, finite};
use serde::Serialize;

/// Line fitted by least squares along y.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Line {
    /// Slope.
    pub slope: f64,
    /// Value of y at x = 0.
    pub intercept: f64,
    /// Standard error of the slope.
    pub slope_se: f64,
    /// Standard error of the intercept.
    pub intercept_se: f64,
    /// Two-sided p of a slope of 0, by Student's t with n - 2 degrees of freedom.
    pub p: f64,
}

impl Line {
    /// Returns the value of y at `x`.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }

    /// Returns x at the intersection with y = x; `None` for a line parallel to y = x. If x is the fitness of
    /// homogeneous swarms and y the fitness of heterogeneous swarms, mixing is better where the line is above y = x
    /// (thesis 8.7.2).
    pub fn crossing(&self) -> Option<f64> {
        let at = self.intercept / (1.0 - self.slope);
        at.is_finite().then_some(at)
    }
}

/// Fits a line to points by least squares. Returns `None` if the lengths differ, there are fewer than three points, or
/// x is constant.
pub fn line(x: &[f64], y: &[f64]) -> Option<Line> {
    if x.len() != y.len() || x.len() < 3 || !finite(x) || !finite(y) || constant(x) {
        return None;
    }
    let n = x.len() as f64;
    let (mean_x, mean_y) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let products =
        |a: &[f64], of_a: f64, b: &[f64], of_b: f64| a.iter().zip(b).map(|(a, b)| (a - of_a) * (b - of_b)).sum();
    let xx: f64 = products(x, mean_x, x, mean_x);
    let xy: f64 = products(x, mean_x, y, mean_y);
    let slope = xy / xx;
    let residual: f64 = x.iter().zip(y).map(|(x, y)| (y - mean_y - slope * (x - mean_x)).powi(2)).sum();
    let slope_se = (residual / (n - 2.0) / xx).sqrt();
    let intercept_se = slope_se * (xx / n + mean_x * mean_x).sqrt();
    // If all points lie exactly on a line with a slope other than 0, p is 0.
    let p = if slope == 0.0 { 1.0 } else { t_two_sided(slope / slope_se, n - 2.0) };
    let line = Line { slope, intercept: mean_y - slope * mean_x, slope_se, intercept_se, p };
    (line.at(0.0).is_finite() && intercept_se.is_finite()).then_some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_so_small_that_their_squares_vanish_give_none() {
        assert!(line(&[0.0, 1e-200, 2e-200], &[1.0, 3.0, 2.0]).is_none());
    }

    #[test]
    fn line_fit_matches_hand_calculation() {
        // The deviations of x are -1, 0, 1, and the deviations of y are -1, 1, 0. The slope is therefore one half, and
        // the residuals are -1/2, 1, -1/2.
        let fit = line(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0]).unwrap();
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a}, not {b}");
        close(fit.slope, 0.5);
        close(fit.intercept, 1.0);
        close(fit.slope_se, 0.75f64.sqrt());
        close(fit.intercept_se, (0.75f64 * (2.0 / 3.0 + 4.0)).sqrt());
        close(fit.p, 2.0 / 3.0);
        close(fit.crossing().unwrap(), 2.0);
        close(fit.at(4.0), 3.0);
    }

    #[test]
    fn lines_without_doubt_and_without_slope() {
        let exact = line(&[0.0, 1.0, 2.0], &[1.0, 2.0, 3.0]).unwrap();
        assert_eq!((exact.slope, exact.p, exact.crossing()), (1.0, 0.0, None));
        let flat = line(&[0.0, 1.0, 2.0], &[4.0; 3]).unwrap();
        assert_eq!((flat.slope, flat.p, flat.crossing()), (0.0, 1.0, Some(4.0)));
    }

    #[test]
    fn what_has_no_answer_has_none() {
        assert_eq!((line(&[1.0, 2.0], &[1.0, 2.0]), line(&[1.0; 3], &[1.0, 2.0, 3.0])), (None, None));
        assert_eq!((line(&[1.0, 2.0, 3.0], &[1.0, 2.0]), line(&[1.0, 2.0, f64::NAN], &[1.0; 3])), (None, None));
    }
}

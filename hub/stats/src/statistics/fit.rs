//! Least-squares fit of polynomials.

use super::finite;
use serde::Serialize;

/// Fitted polynomial.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Polynomial {
    /// Centre of the range of the points' x, and half of the range.
    scale: (f64, f64),
    /// Coefficients of the polynomial in (x - centre) / half range, the constant term first.
    scaled: Vec<f64>,
    /// Sum of the squared residuals along y.
    pub residual: f64,
}

impl Polynomial {
    /// Returns the value of the polynomial at `x`.
    pub fn at(&self, x: f64) -> f64 {
        let (middle, half) = self.scale;
        let t = (x - middle) / half;
        self.scaled.iter().rev().fold(0.0, |sum, c| sum * t + c)
    }

    /// Returns the coefficients of the powers of x, the highest power first, as in `numpy.polyfit`.
    pub fn coefficients(&self) -> Vec<f64> {
        let (middle, half) = self.scale;
        // Horner's rule, in which each intermediate result is a polynomial in x with the constant term first.
        let mut powers = vec![0.0; self.scaled.len()];
        for c in self.scaled.iter().rev() {
            for i in (0..powers.len()).rev() {
                let lower = if i > 0 { powers[i - 1] } else { 0.0 };
                powers[i] = (lower - middle * powers[i]) / half;
            }
            powers[0] += c;
        }
        powers.reverse();
        powers
    }
}

/// Fits a polynomial of the given order by least squares (Householder QR of the powers of x, scaled to -1..1). Returns
/// `None` if the lengths differ, a number is not finite, or the number of different x does not exceed the order.
pub fn polynomial(x: &[f64], y: &[f64], order: usize) -> Option<Polynomial> {
    let mut different = super::spread::sorted(x);
    different.dedup();
    if x.len() != y.len() || !finite(x) || !finite(y) || different.len() <= order {
        return None;
    }
    let (low, high) = (different[0], *different.last()?);
    let half = if high > low { high / 2.0 - low / 2.0 } else { 1.0 };
    let scale = (low / 2.0 + high / 2.0, half);
    let mut columns = vec![vec![1.0; x.len()]];
    let scaled: Vec<f64> = x.iter().map(|x| (x - scale.0) / half).collect();
    for power in 0..order {
        let next = columns[power].iter().zip(&scaled).map(|(p, t)| p * t).collect();
        columns.push(next);
    }
    let (scaled, residual) = least_squares(columns, y.to_vec())?;
    Some(Polynomial { scale, scaled, residual })
}

/// Returns factors for which the weighted sum of the columns is closest to `y`, and the squared residual. Returns
/// `None` if the columns are linearly dependent.
fn least_squares(mut columns: Vec<Vec<f64>>, mut y: Vec<f64>) -> Option<(Vec<f64>, f64)> {
    let k = columns.len();
    for j in 0..k {
        let norm = columns[j][j..].iter().map(|v| v * v).sum::<f64>().sqrt();
        let mut mirror = columns[j][j..].to_vec();
        // The norm gets the sign of the first entry to avoid cancellation.
        mirror[0] += norm.copysign(mirror[0]);
        let squared = mirror.iter().map(|v| v * v).sum::<f64>();
        if squared <= 0.0 {
            return None;
        }
        for values in columns[j..].iter_mut().chain([&mut y]) {
            let part = 2.0 * mirror.iter().zip(&values[j..]).map(|(m, v)| m * v).sum::<f64>() / squared;
            values[j..].iter_mut().zip(&mirror).for_each(|(v, m)| *v -= part * m);
        }
    }
    let mut factors = vec![0.0; k];
    for j in (0..k).rev() {
        let others: f64 = (j + 1..k).map(|i| columns[i][j] * factors[i]).sum();
        factors[j] = (y[j] - others) / columns[j][j];
    }
    let residual = y[k..].iter().map(|v| v * v).sum();
    finite(&factors).then_some((factors, residual))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_of_a_cubic_give_it_back() {
        let cubic = |x: f64| 2.0 * x * x * x - x * x + 0.5 * x - 7.0;
        let x: Vec<f64> = (0..9).map(|i| 3.0 + 0.5 * f64::from(i)).collect();
        let y: Vec<f64> = x.iter().map(|x| cubic(*x)).collect();
        let fit = polynomial(&x, &y, 3).unwrap();
        let expected = [2.0, -1.0, 0.5, -7.0];
        assert!(fit.coefficients().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{:?}", fit.coefficients());
        assert!((fit.at(10.0) - cubic(10.0)).abs() < 1e-9 && fit.residual < 1e-18);
        // The number of points equals the number of coefficients.
        assert!((polynomial(&x[..4], &y[..4], 3).unwrap().at(8.0) - cubic(8.0)).abs() < 1e-8);
    }

    #[test]
    fn order_zero_is_the_mean() {
        let fit = polynomial(&[1.0, 1.0, 1.0], &[2.0, 3.0, 7.0], 0).unwrap();
        assert!((fit.at(55.0) - 4.0).abs() < 1e-12 && (fit.residual - 14.0).abs() < 1e-12, "{fit:?}");
    }

    #[test]
    fn what_has_no_answer_has_none() {
        assert_eq!((polynomial(&[1.0, 1.0], &[2.0, 3.0], 1), polynomial(&[], &[], 0)), (None, None));
        assert_eq!((polynomial(&[1.0, 2.0], &[1.0], 1), polynomial(&[1.0, f64::NAN], &[1.0, 2.0], 1)), (None, None));
    }
}

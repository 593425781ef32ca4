//! Effect sizes: measures of a difference that do not depend on the number of values.

use super::{constant, finite};
use crate::statistics::mean_and_sd;

/// Computes Cohen's d: the first mean minus the second mean, divided by the pooled standard deviation. A sample may be
/// a single value. Returns `None` if a sample is empty, both samples are single values, or neither sample varies.
pub fn cohens_d(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.is_empty() || b.is_empty() || a.len() + b.len() < 3 || !finite(a) || !finite(b) || constant(a) && constant(b) {
        return None;
    }
    let ((mean_a, sd_a), (mean_b, sd_b)) = (mean_and_sd(a), mean_and_sd(b));
    let (above_a, above_b) = ((a.len() - 1) as f64, (b.len() - 1) as f64);
    let pooled = ((above_a * sd_a * sd_a + above_b * sd_b * sd_b) / (above_a + above_b)).sqrt();
    let d = (mean_a - mean_b) / pooled;
    d.is_finite().then_some(d)
}

/// Computes Hedges' g: [`cohens_d`], corrected for its bias in small samples by the approximate factor
/// 1 - 3 / (4 (n + m) - 9) (Hedges 1981, equation 6a). Returns `None` in the same cases as [`cohens_d`], and for fewer
/// than 4 values in total.
pub fn hedges_g(a: &[f64], b: &[f64]) -> Option<f64> {
    let count = (a.len() + b.len()) as f64;
    if count < 4.0 {
        return None;
    }
    cohens_d(a, b).map(|d| d * (1.0 - 3.0 / (4.0 * count - 9.0)))
}

/// Computes Cliff's delta (1993), -1 to 1. It is the probability that a value of the first sample is greater than a
/// value of the second, minus the probability that it is smaller. Returns `None` if a sample is empty or contains NaN.
pub fn cliffs_delta(a: &[f64], b: &[f64]) -> Option<f64> {
    if a.is_empty() || b.is_empty() || a.iter().chain(b).any(|x| x.is_nan()) {
        return None;
    }
    let sorted = super::spread::sorted(b);
    let balance = |x: &f64| {
        let (below, up_to) = (sorted.partition_point(|y| y < x), sorted.partition_point(|y| y <= x));
        below as i64 - (sorted.len() - up_to) as i64
    };
    Some(a.iter().map(balance).sum::<i64>() as f64 / (a.len() as f64 * b.len() as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_of_known_numbers() {
        // The samples have means 2 and 5, and both have variance 1.
        let (a, b) = ([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]);
        assert_eq!((cohens_d(&a, &b), hedges_g(&a, &b)), (Some(-3.0), Some(-3.0 * 0.8)));
        assert_eq!(cohens_d(&a, &[5.0]), Some(-3.0));
        assert_eq!((cliffs_delta(&a, &b), cliffs_delta(&b, &a)), (Some(-1.0), Some(1.0)));
        // In one of nine pairs, the first value is greater. It is smaller in six pairs, and equal in two pairs.
        assert_eq!(cliffs_delta(&[1.0, 2.0, 3.0], &[2.0, 3.0, 5.0]), Some(-5.0 / 9.0));
    }

    #[test]
    fn what_has_no_answer_has_none() {
        let nan = [f64::NAN, 1.0];
        assert_eq!(
            (cohens_d(&[1.0], &[2.0]), cohens_d(&[1.0; 3], &[2.0; 3]), cohens_d(&nan, &[2.0])),
            (None, None, None)
        );
        assert_eq!((hedges_g(&[1.0, 2.0], &[2.0]), hedges_g(&[], &[1.0; 9])), (None, None));
        assert_eq!((cliffs_delta(&[], &[1.0]), cliffs_delta(&nan, &[1.0])), (None, None));
    }
}

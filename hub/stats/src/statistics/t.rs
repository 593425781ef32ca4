//! Tests of means of normal samples: Student's and Welch's t.

use super::tail::t_two_sided;
use super::{constant, finite};
use crate::statistics::mean_and_sd;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Result of a t-test, which compares two means, or a mean and a number.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct TTest {
    /// First mean minus the second mean, or mean minus the number.
    pub difference: f64,
    /// Statistic of the test.
    pub t: f64,
    /// Degrees of freedom.
    pub degrees: f64,
    /// Two-sided p.
    pub p: f64,
    /// 95 % confidence interval of the difference.
    pub interval: [f64; 2],
}

/// Returns the quantile `part` of Student's t with `degrees` degrees of freedom. Returns `None` unless
/// 0 < `part` < 1, and `degrees` is positive and finite.
pub fn t_quantile(degrees: f64, part: f64) -> Option<f64> {
    let inside = 0.0 < part && part < 1.0 && degrees.is_finite();
    inside.then(|| StudentsT::new(0.0, 1.0, degrees).ok()).flatten().map(|t| t.inverse_cdf(part))
}

/// Returns the 97.5 % quantile of Student's t; NaN for 0 degrees of freedom.
pub fn student_t_975(degrees: usize) -> f64 {
    t_quantile(degrees as f64, 0.975).unwrap_or(f64::NAN)
}

fn t_test(difference: f64, error: f64, degrees: f64) -> Option<TTest> {
    let t = difference / error;
    // The standard error is 0 if the squares of the deviations underflow.
    if !(error > 0.0 && error.is_finite() && t.is_finite()) {
        return None;
    }
    let half = t_quantile(degrees, 0.975)? * error;
    let interval = [difference - half, difference + half];
    Some(TTest { difference, t, degrees, p: t_two_sided(t, degrees), interval })
}

/// Returns the mean, the variance and the number of values.
fn moments(sample: &[f64]) -> (f64, f64, f64) {
    let (mean, sd) = mean_and_sd(sample);
    (mean, sd * sd, sample.len() as f64)
}

/// Computes Welch's t-test (1947) of two samples, which does not assume equal variances. Returns `None` if a sample has
/// fewer than two values, or both samples are constant.
pub fn welch(a: &[f64], b: &[f64]) -> Option<TTest> {
    if a.len() < 2 || b.len() < 2 || !finite(a) || !finite(b) || constant(a) && constant(b) {
        return None;
    }
    let ((mean_a, var_a, n), (mean_b, var_b, m)) = (moments(a), moments(b));
    let (ea, eb) = (var_a / n, var_b / m);
    let degrees = (ea + eb).powi(2) / (ea * ea / (n - 1.0) + eb * eb / (m - 1.0));
    t_test(mean_a - mean_b, (ea + eb).sqrt(), degrees)
}

/// Computes Student's t-test of two samples, which assumes equal variances. One sample may be a single value, such as
/// one real run compared with many simulated runs (thesis 8.7.1). A single value does not contribute to the variance.
/// Returns `None` if a sample is empty, both samples are single values, or neither sample varies.
pub fn student(a: &[f64], b: &[f64]) -> Option<TTest> {
    if a.is_empty() || b.is_empty() || a.len() + b.len() < 3 || !finite(a) || !finite(b) || constant(a) && constant(b) {
        return None;
    }
    let ((mean_a, var_a, n), (mean_b, var_b, m)) = (moments(a), moments(b));
    let degrees = n + m - 2.0;
    let variance = ((n - 1.0) * var_a + (m - 1.0) * var_b) / degrees;
    t_test(mean_a - mean_b, (variance * (1.0 / n + 1.0 / m)).sqrt(), degrees)
}

/// Computes Student's t-test of a sample's mean against a number. Returns `None` for fewer than two values, or a
/// constant sample.
pub fn one_sample(sample: &[f64], mean: f64) -> Option<TTest> {
    if sample.len() < 2 || !finite(sample) || !mean.is_finite() || constant(sample) {
        return None;
    }
    let (found, variance, n) = moments(sample);
    t_test(found - mean, (variance / n).sqrt(), n - 1.0)
}

/// Computes Student's t-test of the differences of pairs, such as the results of two controllers with the same seeds.
/// Returns `None` if the lengths differ, there are fewer than two pairs, or all differences are equal.
pub fn paired(a: &[f64], b: &[f64]) -> Option<TTest> {
    let differences: Vec<f64> = a.iter().zip(b).map(|(a, b)| a - b).collect();
    if a.len() == b.len() { one_sample(&differences, 0.0) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, within: f64) {
        assert!((a - b).abs() <= within, "{a} and {b}");
    }

    #[test]
    fn students_t_is_that_of_the_tables() {
        // These values were computed by bisection of the finite series of Abramowitz and Stegun 26.7.3 and 26.7.4.
        let known = [
            (1, 12.706_204_736_175),
            (2, 4.302_652_729_749),
            (3, 3.182_446_305_284),
            (9, 2.262_157_162_798),
            (19, 2.093_024_054_408),
            (10_000, 1.960_201_239_891),
        ];
        for (degrees, t) in known {
            close(student_t_975(degrees), t, 1e-10);
            close(t_two_sided(t, degrees as f64), 0.05, 1e-11);
        }
        assert!(student_t_975(0).is_nan());
        assert_eq!((t_quantile(3.0, 1.0), t_quantile(f64::NAN, 0.5), t_quantile(3.0, 0.0)), (None, None, None));
    }

    #[test]
    fn tests_of_known_numbers() {
        // The sample has mean 2 and variance 1, and is compared with 1. Therefore t is sqrt(3). With 2 degrees of
        // freedom, p is 1 - t / sqrt(2 + t^2).
        let test = one_sample(&[1.0, 2.0, 3.0], 1.0).unwrap();
        close(test.t, 3f64.sqrt(), 1e-12);
        close(test.p, 1.0 - (3.0f64 / 5.0).sqrt(), 1e-12);
        assert_eq!((test.degrees, test.difference), (2.0, 1.0));
        close(test.interval[1], 1.0 + 4.302_652_729_749 / 3f64.sqrt(), 1e-9);
        assert_eq!(paired(&[5.0, 4.0, 9.0], &[4.0, 2.0, 6.0]).unwrap().t, one_sample(&[1.0, 2.0, 3.0], 0.0).unwrap().t);
        // One value is compared with three values. The variance is the variance of the three values, 1, and the
        // standard error is sqrt(1 + 1 / 3).
        let test = student(&[1.0, 2.0, 3.0], &[6.0]).unwrap();
        close(test.t, -4.0 / (4.0f64 / 3.0).sqrt(), 1e-12);
        assert_eq!(test.degrees, 2.0);
        assert_eq!(student(&[6.0], &[1.0, 2.0, 3.0]).unwrap().t, -test.t);
    }

    #[test]
    fn what_has_no_answer_has_none() {
        let some = [1.0, 2.0];
        assert_eq!((student(&[1.0], &[2.0]), student(&[], &some), welch(&[1.0], &some)), (None, None, None));
        assert_eq!((student(&[3.0; 4], &[2.0]), welch(&[1.0, 1.0], &[2.0, 2.0])), (None, None));
        assert_eq!(
            (one_sample(&[0.1; 3], 0.2), one_sample(&[1.0], 0.0), one_sample(&some, f64::NAN)),
            (None, None, None)
        );
        assert_eq!((paired(&some, &[1.0]), paired(&some, &some)), (None, None));
        assert_eq!((student(&[1.0, f64::NAN], &some), welch(&some, &[f64::INFINITY, 1.0])), (None, None));
        assert_eq!(one_sample(&[0.0, 1e-200], 1.0), None);
        assert!(welch(&[0.1, 0.1], &[0.2, 0.3]).is_some());
    }
}

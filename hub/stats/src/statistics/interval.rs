//! Confidence intervals of the mean and the median.

use super::spread::sorted;
use super::t::t_quantile;
use super::{constant, finite};
use crate::statistics::mean_and_sd;

/// Computes the confidence interval of the mean at a level between 0 and 1, by Student's t. Returns `None` for fewer
/// than two values, a constant sample, or an invalid level.
pub fn of_mean(sample: &[f64], level: f64) -> Option<[f64; 2]> {
    if sample.len() < 2 || !finite(sample) || constant(sample) || !(0.0 < level && level < 1.0) {
        return None;
    }
    let (mean, sd) = mean_and_sd(sample);
    let n = sample.len() as f64;
    let half = t_quantile(n - 1.0, 0.5 + level / 2.0)? * sd / n.sqrt();
    Some([mean - half, mean + half])
}

/// Computes the confidence interval of the median by order statistics, without an assumption about the distribution.
/// The limits are the k-th smallest and the k-th greatest value, with the greatest k for which the interval covers the
/// median with at least probability `level`. Returns `None` for too few values (fewer than 6 at a level of 0.95), or a
/// level that is not between 0 and 1.
pub fn of_median(sample: &[f64], level: f64) -> Option<[f64; 2]> {
    if !(finite(sample) && 0.0 < level && level < 1.0) {
        return None;
    }
    let (n, outside) = (sample.len(), (1.0 - level) / 2.0);
    let sorted = sorted(sample);
    // The number of values below the median is binomial with probability one half. The binomial probabilities are
    // computed as logarithms, because 2^-n underflows beyond about a thousand values.
    let mut log_weight = -(n as f64) * std::f64::consts::LN_2;
    let (mut below, mut first) = (0.0, 0);
    while first < n / 2 && below + log_weight.exp() <= outside {
        below += log_weight.exp();
        log_weight += ((n - first) as f64 / (first + 1) as f64).ln();
        first += 1;
    }
    (first > 0).then(|| [sorted[first - 1], sorted[n - first]])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_known_numbers() {
        let [low, high] = of_mean(&[1.0, 2.0, 3.0], 0.95).unwrap();
        assert!((high - 2.0 - 4.302_652_729_749 / 3f64.sqrt()).abs() < 1e-9 && (low + high - 4.0).abs() < 1e-12);
        // With six values, the extremes cover the median with probability 1 - 2 / 64. With ten values, the second
        // smallest and the second greatest value cover the median with probability 1 - 22 / 1024.
        let of = |n: i32| of_median(&(1..=n).rev().map(f64::from).collect::<Vec<_>>(), 0.95);
        assert_eq!((of(5), of(6), of(9), of(10)), (None, Some([1.0, 6.0]), Some([2.0, 8.0]), Some([2.0, 9.0])));
        // With 2000 values, the interval extends by about 0.98 sqrt(n) ranks to each side of the median.
        let [low, high] = of(2000).unwrap();
        assert!((950.0..=958.0).contains(&low) && low + high == 2001.0, "{low} {high}");
        // At a low level, the limits are the two central values.
        assert_eq!(of_median(&[1.0, 2.0, 3.0, 4.0], 0.01), Some([2.0, 3.0]));
    }

    #[test]
    fn what_has_no_answer_has_none() {
        assert_eq!((of_mean(&[1.0], 0.95), of_mean(&[1.0; 3], 0.95), of_mean(&[1.0, 2.0], 1.0)), (None, None, None));
        assert_eq!((of_median(&[], 0.95), of_median(&[1.0; 9], f64::NAN)), (None, None));
        assert_eq!((of_median(&[f64::NAN; 9], 0.95), of_mean(&[f64::NAN, 1.0], 0.95)), (None, None));
    }
}

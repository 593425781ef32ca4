//! Summary statistics of a sample.

use serde::Serialize;

/// Summary of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Spread {
    /// Number of values.
    pub n: usize,
    /// Mean.
    pub mean: f64,
    /// Standard deviation; `None` for a single value.
    pub sd: Option<f64>,
    /// Standard error of the mean; `None` for a single value.
    pub se: Option<f64>,
    /// Minimum.
    pub min: f64,
    /// Maximum.
    pub max: f64,
}

impl Spread {
    /// Summarises a sample. Returns `None` for an empty sample.
    pub fn from_sample(sample: &[f64]) -> Option<Spread> {
        let (min, max) = (sample.iter().copied().reduce(f64::min)?, sample.iter().copied().reduce(f64::max)?);
        let n = sample.len();
        let (mean, sd) = mean_and_sd(sample);
        let sd = (n > 1).then_some(sd);
        Some(Spread { n, mean, sd, se: sd.map(|sd| sd / (n as f64).sqrt()), min, max })
    }

    /// Returns half the width of the 95 % confidence interval of the mean (Student's t). `t` must be
    /// [`super::student_t_975`] with n - 1 degrees of freedom. Returns `None` for a single value.
    pub fn half_interval(&self, t: f64) -> Option<f64> {
        self.se.map(|se| t * se)
    }
}

/// Returns the mean of a sample; NaN for an empty sample.
pub fn mean(sample: &[f64]) -> f64 {
    sample.iter().sum::<f64>() / sample.len() as f64
}

/// Returns the mean and the standard deviation of a non-empty sample.
pub fn mean_and_sd(sample: &[f64]) -> (f64, f64) {
    let n = sample.len() as f64;
    let mean = mean(sample);
    let variance = sample.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / (n - 1.0).max(1.0);
    (mean, variance.sqrt())
}

/// Returns the quantile `part` (0 to 1) of a sorted sample by linear interpolation. Returns NaN for an empty sample.
pub fn quantile(sorted: &[f64], part: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = part * last as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    low + (high - low) * place.fract()
}

/// Returns the sample in ascending order.
pub fn sorted(sample: &[f64]) -> Vec<f64> {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

/// Returns the median of a sample; NaN for an empty sample.
pub fn median(sample: &[f64]) -> f64 {
    let sorted = sorted(sample);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    (sorted[last / 2] + sorted[last.div_ceil(2)]) / 2.0
}

#[cfg(test)]
mod tests {
    use super::super::student_t_975;
    use super::*;

    fn close(a: f64, b: f64, within: f64) {
        assert!((a - b).abs() <= within, "{a} and {b}");
    }

    #[test]
    fn spread_matches_hand_calculation() {
        let spread = Spread::from_sample(&[2.0, 4.0, 4.0, 6.0]).unwrap();
        assert_eq!((spread.n, spread.mean, spread.min, spread.max), (4, 4.0, 2.0, 6.0));
        close(spread.sd.unwrap(), (8.0f64 / 3.0).sqrt(), 1e-12);
        close(spread.half_interval(student_t_975(3)).unwrap(), 3.182_446 * (8.0f64 / 12.0).sqrt(), 1e-6);
        assert_eq!((Spread::from_sample(&[]), Spread::from_sample(&[1.0]).unwrap().se), (None, None));
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        let found = [0.0, 0.25, 0.5, 0.9, 1.0].map(|part| quantile(&sorted, part));
        for (found, expected) in found.into_iter().zip([1.0, 1.75, 3.0, 6.8, 8.0]) {
            close(found, expected, 1e-12);
        }
        assert_eq!(quantile(&[3.0], 0.5), 3.0);
        assert!(quantile(&[], 0.5).is_nan());
    }

    #[test]
    fn median_is_independent_of_sample_order() {
        assert_eq!((median(&[9.0, 1.0, 4.0]), median(&[9.0, 1.0, 4.0, 3.0]), median(&[2.0])), (4.0, 3.5, 2.0));
        assert!(median(&[]).is_nan());
    }
}

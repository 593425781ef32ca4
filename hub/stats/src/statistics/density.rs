//! Smoothed probability density of a sample.

use super::{constant, finite};
use crate::statistics::mean_and_sd;

/// Density as a sum of normal distributions, one for each value of the sample.
#[derive(Clone, Debug, PartialEq)]
pub struct Density {
    sample: Vec<f64>,
    bandwidth: f64,
}

impl Density {
    /// Estimates the density of a sample by Scott's rule (1992). The standard deviation of each normal distribution is
    /// the standard deviation of the sample, divided by the fifth root of the sample's size. Returns `None` for fewer
    /// than two values or a constant sample.
    pub fn from_sample(sample: &[f64]) -> Option<Density> {
        if sample.len() < 2 || !finite(sample) || constant(sample) {
            return None;
        }
        let bandwidth = mean_and_sd(sample).1 * (sample.len() as f64).powf(-0.2);
        (bandwidth > 0.0 && bandwidth.is_finite()).then(|| Density { sample: sample.to_vec(), bandwidth })
    }

    /// Returns the probability density at `x`.
    pub fn at(&self, x: f64) -> f64 {
        let sum: f64 = self.sample.iter().map(|value| (-((x - value) / self.bandwidth).powi(2) / 2.0).exp()).sum();
        sum / (self.sample.len() as f64 * self.bandwidth * std::f64::consts::TAU.sqrt())
    }

    /// Returns the standard deviation of each normal distribution.
    pub fn bandwidth(&self) -> f64 {
        self.bandwidth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn density_of_two_values_matches_formula() {
        // The standard deviation of -1 and 1 is sqrt(2).
        let density = Density::from_sample(&[-1.0, 1.0]).unwrap();
        let h = 2f64.sqrt() / 2f64.powf(0.2);
        assert!((density.bandwidth() - h).abs() < 1e-12);
        let expected = (-1.0 / (2.0 * h * h)).exp() / (h * std::f64::consts::TAU.sqrt());
        assert!((density.at(0.0) - expected).abs() < 1e-12);
        // The integral of the density is 1.
        let sum: f64 = (-2000..2000).map(|i| density.at(f64::from(i) / 100.0)).sum();
        assert!((sum / 100.0 - 1.0).abs() < 1e-9, "{sum}");
    }

    #[test]
    fn what_has_no_answer_has_none() {
        assert_eq!(
            (Density::from_sample(&[1.0]), Density::from_sample(&[1.0; 4]), Density::from_sample(&[1.0, f64::NAN])),
            (None, None, None)
        );
    }
}

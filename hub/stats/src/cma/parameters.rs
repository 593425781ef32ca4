//! Parameters of the strategy, as in table 1 of Hansen's tutorial.

/// Weights and learning rates. The fields may be changed before a strategy is created.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Number of variables, n.
    pub dimension: usize,
    /// Weight of each point of a generation, the best first. The positive weights sum to 1; negative weights reduce
    /// the covariance in the directions of bad points.
    pub weights: Vec<f64>,
    /// Variance-effective number of parents, from the positive weights.
    pub mu_eff: f64,
    /// Learning rate of the evolution path for the step size.
    pub c_sigma: f64,
    /// Damping of the step size.
    pub d_sigma: f64,
    /// Learning rate of the evolution path for the rank-one update.
    pub c_c: f64,
    /// Learning rate of the rank-one update.
    pub c_1: f64,
    /// Learning rate of the rank-mu update.
    pub c_mu: f64,
    /// Expected length of a vector of n standard normal variables.
    pub chi_n: f64,
}

impl Parameters {
    /// Creates the tutorial's parameters for n variables, where n is `dimension`. The default number of points per
    /// generation is 4 + floor(3 ln n). `active` enables negative weights. Returns `None` without variables, or with
    /// fewer than 4 or more than 65535 points.
    ///
    /// The package `cma` 4.5 differs in two parameters. Its `cs` has mueff + 3 in the denominator where the tutorial
    /// has mueff + 5, and is at most 0.5. Its `damps` multiplies the root of (mueff - 1) / (n + 1) by up to three,
    /// which matters only with more points than the default.
    pub fn new(dimension: usize, points: Option<usize>, active: bool) -> Option<Parameters> {
        let n = dimension as f64;
        let points = points.unwrap_or_else(|| 4 + (3.0 * n.ln()).floor() as usize);
        if dimension == 0 || !(4..=65535).contains(&points) {
            return None;
        }
        let lambda = points as f64;
        let raw: Vec<f64> = (1..=points).map(|i| ((lambda + 1.0) / 2.0).ln() - (i as f64).ln()).collect();
        // For an odd number of points, the middle weight is 0 except for rounding, and belongs to the second half.
        let (good, bad) = raw.split_at(points / 2);
        let mu_eff = effective(good);
        let c_1 = (lambda / 6.0).min(1.0) * 2.0 / ((n + 1.3).powi(2) + mu_eff);
        let c_mu = (1.0 - c_1).min(2.0 * (0.25 + mu_eff - 2.0 + 1.0 / mu_eff) / ((n + 2.0).powi(2) + mu_eff));
        let c_sigma = (mu_eff + 2.0) / (n + mu_eff + 5.0);
        let limit =
            (1.0 + c_1 / c_mu).min(1.0 + 2.0 * effective(bad) / (mu_eff + 2.0)).min((1.0 - c_1 - c_mu) / (n * c_mu));
        let negative = if active { limit.max(0.0) / bad.iter().sum::<f64>().abs() } else { 0.0 };
        let positive = 1.0 / good.iter().sum::<f64>();
        // Adding zero turns a negative zero into a positive zero.
        let weights = good.iter().map(|w| w * positive).chain(bad.iter().map(|w| w * negative + 0.0)).collect();
        Some(Parameters {
            dimension,
            weights,
            mu_eff,
            c_sigma,
            d_sigma: 1.0 + c_sigma + 2.0 * (((mu_eff - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0),
            c_c: (4.0 + mu_eff / n) / (n + 4.0 + 2.0 * mu_eff / n),
            c_1,
            c_mu,
            // Exact value sqrt(2) gamma((n + 1) / 2) / gamma(n / 2), computed by recursion from n = 1.
            chi_n: (1..dimension).fold((2.0 / std::f64::consts::PI).sqrt(), |chi, i| i as f64 / chi),
        })
    }

    /// Returns the number of points of a generation.
    pub fn points(&self) -> usize {
        self.weights.len()
    }
}

/// Returns the effective number of the weighted points: the number of points with equal weights whose weighted mean has
/// the same variance.
fn effective(weights: &[f64]) -> f64 {
    weights.iter().sum::<f64>().powi(2) / weights.iter().map(|w| w * w).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_match_reference_for_10_and_20_variables() {
        let close = |a: f64, b: f64| assert!((a - b).abs() < 6e-5, "{a}, not {b}");
        let of = Parameters::new(10, None, true).unwrap();
        assert_eq!(of.points(), 10);
        for (weight, expected) in of.weights.iter().zip([0.4563, 0.2708, 0.1622, 0.0852, 0.0255]) {
            close(*weight, expected);
        }
        for (found, expected) in [
            (of.mu_eff, 3.1673),
            (of.c_sigma, 0.2844),
            (of.d_sigma, 1.2844),
            (of.c_c, 0.2950),
            (of.c_1, 0.01528),
            (of.c_mu, 0.02355),
            (of.chi_n, 3.0843),
            (-of.weights[5..].iter().sum::<f64>(), 1.6489),
        ] {
            close(found, expected);
        }
        let of = Parameters::new(20, None, false).unwrap();
        for (found, expected) in [(of.mu_eff, 3.7295), (of.c_sigma, 0.1994), (of.c_c, 0.1718), (of.c_mu, 0.00922)] {
            close(found, expected);
        }
        assert!(of.points() == 12 && of.weights[6..].iter().all(|w| *w == 0.0));
        assert!((of.weights.iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn expected_lengths_are_those_of_the_gamma_function() {
        let of = |n| Parameters::new(n, None, false).unwrap().chi_n;
        let one = (2.0 / std::f64::consts::PI).sqrt();
        for (found, expected) in [(of(1), one), (of(2), 1.0 / one), (of(3), 2.0 * one), (of(4), 1.5 / one)] {
            assert!((found - expected).abs() < 1e-14, "{found}, not {expected}");
        }
    }

    #[test]
    fn numbers_of_points_that_do_not_do() {
        assert_eq!((Parameters::new(0, None, true), Parameters::new(3, Some(3), true)), (None, None));
        assert_eq!(Parameters::new(3, Some(70_000), false), None);
        assert_eq!(Parameters::new(1, None, false).unwrap().points(), 4);
    }
}

//! Comparison of real and simulated fitness: means as in Table 7.8, and significance tests.

use serde::Serialize;
use xpuck_stats::statistics::effect::{cohens_d, hedges_g};
use xpuck_stats::statistics::mann_whitney;
use xpuck_stats::statistics::spread::Spread;
use xpuck_stats::statistics::t::{TTest, student, welch};

/// Result of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Compared {
    /// Spread of the real runs.
    pub real: Spread,
    /// Spread of the simulated runs.
    pub simulated: Spread,
    /// Welch's t-test, which does not assume equal variances.
    pub welch: TTest,
    /// Student's t-test, as in the thesis.
    pub student: TTest,
    /// Two-sided p-value of the Mann-Whitney test.
    pub mann_whitney_p: f64,
    /// Probability that a real run is better than a simulated one. Ties count half.
    pub superiority: f64,
    /// Cohen's d: difference of the means divided by the pooled standard deviation.
    pub cohens_d: f64,
    /// Hedges' g: Cohen's d corrected for its bias in small samples (Hedges 1981).
    pub hedges_g: f64,
}

/// Compares real with simulated fitness. `None` if a sample has fewer than two values, or all values are equal.
pub fn compare(real: &[f64], simulated: &[f64]) -> Option<Compared> {
    let ranks = mann_whitney(real, simulated)?;
    Some(Compared {
        real: Spread::from_sample(real)?,
        simulated: Spread::from_sample(simulated)?,
        welch: welch(real, simulated)?,
        student: student(real, simulated)?,
        mann_whitney_p: ranks.p,
        superiority: ranks.superiority,
        cohens_d: cohens_d(real, simulated)?,
        hedges_g: hedges_g(real, simulated)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fitness of the real runs in Table 7.8.
    const REAL: [f64; 18] = [
        0.103, 0.064, 0.126, 0.019, 0.141, 0.121, 0.149, 0.135, 0.187, 0.156, 0.152, 0.073, 0.136, 0.045, 0.181, 0.176,
        0.071, 0.112,
    ];
    const SIMULATED: [f64; 24] = [
        0.129, 0.083, 0.1765, 0.201, 0.097, 0.142, 0.118, 0.155, 0.061, 0.133, 0.1495, 0.188, 0.092, 0.127, 0.171,
        0.104, 0.139, 0.066, 0.158, 0.113, 0.182, 0.1215, 0.146, 0.075,
    ];

    fn close(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-9 * expected.abs().max(1.0), "{value}, not {expected}");
    }

    #[test]
    fn comparison_matches_scipy() {
        let compared = compare(&REAL, &SIMULATED).unwrap();
        // Values from scipy 1.17.1: `stats.ttest_ind(real, simulated, equal_var=False)`, and the method
        // `confidence_interval(0.95)` of its result.
        close(compared.welch.t, -0.795980504314991);
        close(compared.welch.p, 0.43188531849417106);
        close(compared.welch.degrees, 32.12994513542837);
        close(compared.welch.interval[0], -0.03926836469109396);
        close(compared.welch.interval[1], 0.017198920246649485);
        // Values from `stats.ttest_ind(real, simulated)`.
        close(compared.student.t, -0.820438891228283);
        close(compared.student.p, 0.41682855939873303);
        // Values from `stats.mannwhitneyu(real, simulated, method='exact')`. The statistic is 191.0, out of 18 * 24
        // pairs.
        close(compared.mann_whitney_p, 0.5374747426149568);
        close(compared.superiority, 191.0 / 432.0);
        // Cohen's d is (mean(real) - mean(simulated)) / s_pooled. Hedges' g is d * (1 - 3 / (4 (n + m) - 9)), where n
        // and m are the sample sizes.
        close(compared.cohens_d, -0.25581676981341056);
        close(compared.hedges_g, -0.25099003830749717);
        // The thesis prints rounded values. Its standard deviation has the divisor n, whereas `sd` has the divisor
        // n - 1.
        let over_n = compared.real.sd.unwrap() * (17.0f64 / 18.0).sqrt();
        assert!((compared.real.mean - 0.119).abs() < 6e-4 && (over_n - 0.047).abs() < 6e-4, "{over_n}");
    }

    #[test]
    fn samples_without_spread_are_not_compared() {
        assert_eq!(compare(&[0.1], &SIMULATED), None);
        assert_eq!(compare(&[0.1, 0.1], &[0.2, 0.2]), None);
        assert!(compare(&[0.1, 0.1], &[0.2, 0.3]).is_some());
    }
}

//! Noise of robot motion (Eq. 5.9) from the residuals of one-step predictions.
//!
//! A residual belongs to one physics step of 0.025 s. It is normally distributed with variance f^2 + sum of (alpha_i
//! a_i)^2. The a_i are the distances and angles with which the noise scales. While a robot stands, only the pose noise
//! f remains.

use xpuck_kernels::math::linear::solve_underdetermined;

/// Squared residual, with the squares of the quantities with which the residual's noise scales.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residual {
    /// Square of the residual.
    pub square: f64,
    /// Squares of the a_i.
    pub scales: [f64; 2],
}

/// Number of reweighting iterations. The estimates converge within ten iterations.
const ROUNDS: usize = 30;
/// Minimum variance (m^2 or rad^2): the square of a micrometre or microradian, which is the resolution of records.
const LEAST_VARIANCE: f64 = 1e-12;

/// Returns the maximum-likelihood estimates of f, alpha_1 and alpha_2 by Fisher scoring. Each iteration fits the
/// squared residuals by least squares, weighted by 1 / variance^2.
pub fn deviations(residuals: &[Residual]) -> [f64; 3] {
    // Scaling the columns to similar sizes keeps the system well conditioned.
    let n = residuals.len().max(1) as f64;
    let size = |k: usize| (residuals.iter().map(|r| r.scales[k]).sum::<f64>() / n).max(f64::MIN_POSITIVE);
    let total = residuals.iter().map(|r| r.square).sum::<f64>() / n;
    let sizes = [total.max(LEAST_VARIANCE), size(0), size(1)];
    let row = |r: &Residual| [1.0, r.scales[0] / sizes[1], r.scales[1] / sizes[2]];
    let mut variances = [0.1 * sizes[0], sizes[0], sizes[0]];
    for _ in 0..ROUNDS {
        let (mut matrix, mut right) = ([[0.0; 3]; 3], [0.0; 3]);
        for residual in residuals {
            let x = row(residual);
            let variance = (0..3).map(|k| x[k] * variances[k]).sum::<f64>().max(LEAST_VARIANCE);
            let weight = (sizes[0] / variance).powi(2);
            for i in 0..3 {
                (0..3).for_each(|j| matrix[i][j] += weight * x[i] * x[j]);
                right[i] += weight * x[i] * residual.square;
            }
        }
        variances = solve_underdetermined(matrix, right).map(|v| v.max(0.0));
    }
    [variances[0].sqrt(), (variances[1] / sizes[1]).sqrt(), (variances[2] / sizes[2]).sqrt()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::random::{Stream, normal_pair, random_block, unit};

    #[test]
    fn noise_deviations_are_recovered_from_residuals() {
        let residual = |i: u32| {
            let words = random_block(5, 0, 0, i, Stream::Motion, 0);
            let (n, _) = normal_pair(words[0], words[1]);
            // The robot stands for a third of the time.
            let moving = f64::from(!i.is_multiple_of(3));
            let scales = [f64::from(unit(words[2])) * moving, 0.02 * f64::from(unit(words[3])) * moving];
            let variance = 0.01f64.powi(2) + 0.2f64.powi(2) * scales[0] + 0.5f64.powi(2) * scales[1];
            Residual { square: f64::from(n).powi(2) * variance, scales }
        };
        let found = deviations(&(0..40_000).map(residual).collect::<Vec<_>>());
        for (found, truth) in found.into_iter().zip([0.01, 0.2, 0.5]) {
            assert!((found / truth - 1.0).abs() < 0.04, "{found} for {truth}");
        }
        assert_eq!(deviations(&[]), [0.0; 3]);
    }
}

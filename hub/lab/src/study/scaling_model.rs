//! Model of fitness against swarm size (Hamann 2013, "Towards Swarm Calculus", Swarm Intelligence 7). The fitness is
//! a power of the number of robots (cooperation) times an exponential decay (interference).

use serde::Serialize;
use xpuck_kernels::math::linear::solve_underdetermined;

/// Minimum number of swarm sizes for a fit of the model's three parameters. Only sizes with a mean fitness clearly
/// above zero count.
const FEWEST: usize = 4;
/// Number of standard errors by which a mean must exceed zero to be used. The logarithm of a smaller mean would be
/// noise.
const CLEAR: f64 = 3.0;

/// Fitted model for n robots: fitness(n) = scale * n^cooperation * exp(-interference * n).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct ScalingModel {
    /// Scale factor of the fitness.
    pub scale: f64,
    /// Exponent of the number of robots. Above 1, robots help one another.
    pub cooperation: f64,
    /// Standard error of `cooperation`.
    pub cooperation_se: f64,
    /// Exponential decay per additional robot; <= 0 if the measured sizes show no interference.
    pub interference: f64,
    /// Standard error of `interference`.
    pub interference_se: f64,
    /// Number of robots at which the model predicts the highest fitness of the swarm; `None` unless `cooperation` and
    /// `interference` are positive.
    pub peak: Option<f64>,
    /// Share of the weighted variance of ln fitness that the model explains, at most 1.
    pub r_squared: f64,
}

impl ScalingModel {
    /// Returns the fitness that the model predicts for a swarm.
    pub fn at(&self, robots: f64) -> f64 {
        self.scale * robots.powf(self.cooperation) * (-self.interference * robots).exp()
    }

    /// Fits the model to points of (number of robots, mean fitness, standard error of the mean). Minimises the weighted
    /// sum of the squared errors of ln fitness. The weight of a point is (mean / standard error)^2, which is the
    /// inverse variance of ln fitness. Returns `None` if fewer than four sizes have a fitness clearly above zero.
    pub fn fit(points: &[(usize, f64, f64)]) -> Option<ScalingModel> {
        let clear: Vec<(f64, f64, f64)> = points
            .iter()
            .filter(|(_, mean, se)| *se > 0.0 && *mean > CLEAR * se)
            .map(|(robots, mean, se)| (*robots as f64, mean.ln(), (mean / se).powi(2)))
            .collect();
        if clear.len() < FEWEST {
            return None;
        }
        let row = |n: f64| [1.0, n.ln(), -n];
        let (mut normal, mut right) = ([[0.0; 3]; 3], [0.0; 3]);
        for (n, y, weight) in &clear {
            let x = row(*n);
            for i in 0..3 {
                for j in 0..3 {
                    normal[i][j] += weight * x[i] * x[j];
                }
                right[i] += weight * x[i] * y;
            }
        }
        let [ln_scale, cooperation, interference] = solve_underdetermined(normal, right);
        let variance =
            |i: usize| solve_underdetermined(normal, std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }))[i];
        let weights: f64 = clear.iter().map(|p| p.2).sum();
        let mean = clear.iter().map(|p| p.2 * p.1).sum::<f64>() / weights;
        let model = |n: f64| ln_scale + cooperation * n.ln() - interference * n;
        let left: f64 = clear.iter().map(|(n, y, w)| w * (y - model(*n)).powi(2)).sum();
        let all: f64 = clear.iter().map(|(_, y, w)| w * (y - mean).powi(2)).sum();
        // A misfit beyond chance increases the standard errors (scaled chi-square).
        let excess = (left / (clear.len() - 3) as f64).max(1.0);
        Some(ScalingModel {
            scale: ln_scale.exp(),
            cooperation,
            cooperation_se: (variance(1) * excess).sqrt(),
            interference,
            interference_se: (variance(2) * excess).sqrt(),
            peak: (interference > 0.0 && cooperation > 0.0).then_some(cooperation / interference),
            r_squared: if all > 0.0 { 1.0 - left / all } else { 1.0 },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(scale: f64, cooperation: f64, interference: f64) -> Vec<(usize, f64, f64)> {
        let at = |n: f64| scale * n.powf(cooperation) * (-interference * n).exp();
        (1..=16).map(|n| (n, at(n as f64), 0.001)).collect()
    }

    #[test]
    fn known_scaling_law_is_recovered() {
        let model = ScalingModel::fit(&points(0.02, 1.6, 0.12)).unwrap();
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-9, "{a}, not {b}");
        close(model.scale, 0.02);
        close(model.cooperation, 1.6);
        close(model.interference, 0.12);
        close(model.peak.unwrap(), 1.6 / 0.12);
        close(model.r_squared, 1.0);
        close(model.at(4.0), 0.02 * 4f64.powf(1.6) * (-0.48f64).exp());
        assert!(model.cooperation_se > 0.0 && model.cooperation_se < 0.1);
    }

    #[test]
    fn errors_are_those_of_repeated_fits() {
        use xpuck_kernels::random::{Draws, Stream, normal_pair};
        let mut draws = Draws::new(3, 0, 0, 0, Stream::Start);
        let (mut found, mut told) = (Vec::new(), 0.0);
        for _ in 0..400 {
            let noisy: Vec<(usize, f64, f64)> = points(0.02, 1.6, 0.12)
                .into_iter()
                .map(|(n, mean, se)| (n, mean + se * f64::from(normal_pair(draws.word(), draws.word()).0), se))
                .collect();
            let model = ScalingModel::fit(&noisy).unwrap();
            found.push(model.cooperation);
            told += model.cooperation_se / 400.0;
        }
        let (mean, sd) = xpuck_stats::statistics::mean_and_sd(&found);
        assert!((mean - 1.6).abs() < 0.02, "{mean}");
        assert!((told / sd - 1.0).abs() < 0.35, "told {told}, spread {sd}");
    }

    #[test]
    fn sizes_without_fitness_are_left_out() {
        let mut few = points(0.02, 1.6, 0.12);
        few.iter_mut().skip(3).for_each(|point| point.1 = -0.01);
        assert_eq!(ScalingModel::fit(&few), None);
        few[3].1 = 0.1;
        assert!(ScalingModel::fit(&few).is_some());
        assert_eq!(ScalingModel::fit(&[]), None);
    }
}

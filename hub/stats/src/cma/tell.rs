//! Update of the strategy from the values of a generation.

use super::error::CmaError;
use super::parameters::Parameters;
use super::strategy::Strategy;
use crate::eigen::{Eigen, dot};

impl Strategy {
    /// Updates the strategy from the points of a generation and their values. Smaller values are better; infinity marks
    /// a point that failed. The points are usually those of [`Strategy::ask`], but other points are allowed.
    ///
    /// # Errors
    /// Returns an error for a wrong number of points or values, an invalid point, or a NaN value. The strategy is then
    /// unchanged.
    pub fn tell(&mut self, points: &[Vec<f64>], values: &[f64]) -> Result<(), CmaError> {
        let (n, expected) = (self.mean.len(), self.parameters.points());
        if points.len() != expected || values.len() != expected {
            return Err(CmaError::Points { points: points.len(), values: values.len(), expected });
        }
        if let Some(bad) = points.iter().position(|point| point.len() != n || !point.iter().all(|x| x.is_finite())) {
            return Err(CmaError::Point(bad));
        }
        if let Some(bad) = values.iter().position(|value| value.is_nan()) {
            return Err(CmaError::Value(bad));
        }
        let mut order: Vec<usize> = (0..expected).collect();
        order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
        let step = |i: usize| points[i].iter().zip(&self.mean).map(|(x, m)| (x - m) / self.sigma).collect();
        let steps: Vec<Vec<f64>> = order.into_iter().map(step).collect();
        self.generation += 1;
        let stalls = self.move_mean(&steps);
        self.learn_covariance(&steps, stalls);
        self.learn_step_size();
        self.decompose_if_due();
        Ok(())
    }

    /// Updates the mean and both evolution paths. Returns whether the path of the rank-one update stalls.
    fn move_mean(&mut self, steps: &[Vec<f64>]) -> bool {
        let Parameters { ref weights, mu_eff, c_sigma, c_c, .. } = self.parameters;
        let n = self.mean.len() as f64;
        let mut shift = vec![0.0; self.mean.len()];
        for (weight, step) in weights.iter().zip(steps).filter(|(weight, _)| **weight > 0.0) {
            add(&mut shift, *weight, step);
        }
        add(&mut self.mean, self.sigma, &shift);
        let white = self.whitened(&shift);
        self.path_sigma.iter_mut().for_each(|p| *p *= 1.0 - c_sigma);
        add(&mut self.path_sigma, (c_sigma * (2.0 - c_sigma) * mu_eff).sqrt(), &white);
        let started = 1.0 - (1.0 - c_sigma).powi(2 * self.generation as i32);
        let stalls = dot(&self.path_sigma, &self.path_sigma) / started / n >= 2.0 + 4.0 / (n + 1.0);
        self.path_c.iter_mut().for_each(|p| *p *= 1.0 - c_c);
        if !stalls {
            add(&mut self.path_c, (c_c * (2.0 - c_c) * mu_eff).sqrt(), &shift);
        }
        stalls
    }

    fn learn_covariance(&mut self, steps: &[Vec<f64>], stalls: bool) {
        let Parameters { ref weights, c_c, c_1, c_mu, .. } = self.parameters;
        let n = self.mean.len();
        // While the path stalls, the rank-one update is smaller. A slower decay of C compensates for this.
        let kept = if stalls { c_1 * c_c * (2.0 - c_c) } else { 0.0 };
        let decay = 1.0 + kept - c_1 - c_mu * weights.iter().sum::<f64>();
        let mut updates = vec![(c_1, self.path_c.as_slice())];
        for (weight, step) in weights.iter().zip(steps).filter(|(weight, _)| **weight != 0.0) {
            let white = if *weight < 0.0 { self.whitened(step) } else { Vec::new() };
            // Each step with a negative weight is scaled to the expected length of a step, so that only its direction
            // has an effect.
            let length = if *weight < 0.0 { n as f64 / (dot(&white, &white).sqrt() + 1e-9).powi(2) } else { 1.0 };
            updates.push((c_mu * weight * length, step));
        }
        for i in 0..n {
            for j in 0..=i {
                let sum: f64 = updates.iter().map(|(factor, vector)| factor * vector[i] * vector[j]).sum();
                let value = decay * self.covariance[i][j] + sum;
                (self.covariance[i][j], self.covariance[j][i]) = (value, value);
            }
        }
    }

    fn learn_step_size(&mut self) {
        let Parameters { c_sigma, d_sigma, chi_n, .. } = self.parameters;
        let length = dot(&self.path_sigma, &self.path_sigma).sqrt();
        self.sigma *= (c_sigma / d_sigma * (length / chi_n - 1.0)).min(1.0).exp();
    }

    fn decompose_if_due(&mut self) {
        let Parameters { dimension, c_1, c_mu, .. } = self.parameters;
        let gap = 1.0 / (10.0 * dimension as f64 * (c_1 + c_mu));
        if f64::from(self.generation - self.decomposed) < gap {
            return;
        }
        self.eigen = Eigen::decompose(&self.covariance);
        // If one eigenvalue is 1e16 times as large as another, rounding may make the smaller one 0 or negative. The
        // limit keeps the eigenvalues positive, and the condition number remains very large.
        let least = self.eigen.values.iter().fold(0.0f64, |most, value| most.max(*value)) * f64::EPSILON;
        self.eigen.values.iter_mut().for_each(|value| *value = value.max(least));
        self.decomposed = self.generation;
    }

    /// Multiplies a vector by C^(-1/2).
    fn whitened(&self, vector: &[f64]) -> Vec<f64> {
        let Eigen { values, vectors } = &self.eigen;
        let mut along = vec![0.0; vector.len()];
        vectors.iter().zip(vector).for_each(|(row, x)| add(&mut along, *x, row));
        let scaled: Vec<f64> = along.iter().zip(values).map(|(x, value)| x / value.sqrt()).collect();
        vectors.iter().map(|row| dot(row, &scaled)).collect()
    }
}

/// Adds `factor` times `vector` to `to`.
fn add(to: &mut [f64], factor: f64, vector: &[f64]) {
    to.iter_mut().zip(vector).for_each(|(x, v)| *x += factor * v);
}

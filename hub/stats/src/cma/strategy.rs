//! State of the strategy, and the sampling of points.

use super::error::CmaError;
use super::parameters::Parameters;
use crate::eigen::{Eigen, dot};
use xpuck_kernels::random::{Draws, Stream, normal_pair};

/// (mu/mu_w, lambda)-CMA-ES with full covariance, cumulative step-size adaptation, and rank-one and rank-mu updates.
///
/// Details that the tutorial leaves open follow the package `cma`. The path of the rank-one update stalls (h = 0)
/// while the squared length of the step-size path, corrected for its start, is at least (2 + 4 / (n + 1)) n. The step
/// size grows at most by a factor of e per generation. The covariance matrix C is decomposed again after
/// 1 / (10 n (c_1 + c_mu)) generations.
#[derive(Clone, Debug)]
pub struct Strategy {
    pub(super) parameters: Parameters,
    pub(super) seed: u64,
    pub(super) generation: u32,
    pub(super) mean: Vec<f64>,
    pub(super) sigma: f64,
    pub(super) covariance: Vec<Vec<f64>>,
    pub(super) path_sigma: Vec<f64>,
    pub(super) path_c: Vec<f64>,
    pub(super) eigen: Eigen,
    pub(super) decomposed: u32,
}

impl Strategy {
    /// Creates a strategy whose first distribution has the given mean, and the standard deviation `sigma` in every
    /// direction. All random numbers depend only on `seed`.
    ///
    /// # Errors
    /// See [`CmaError`].
    pub fn new(parameters: Parameters, mean: Vec<f64>, sigma: f64, seed: u64) -> Result<Strategy, CmaError> {
        let (n, points) = (parameters.dimension, parameters.points());
        if mean.len() != n {
            return Err(CmaError::Dimension { found: mean.len(), expected: n });
        }
        if !(4..=65535).contains(&points) {
            return Err(CmaError::Size(points));
        }
        if !(mean.iter().all(|x| x.is_finite()) && sigma > 0.0 && sigma.is_finite()) {
            return Err(CmaError::Start);
        }
        let eigen = Eigen::identity(n);
        let covariance = eigen.vectors.clone();
        let (path_sigma, path_c) = (vec![0.0; n], vec![0.0; n]);
        Ok(Strategy {
            parameters,
            seed,
            generation: 0,
            mean,
            sigma,
            covariance,
            path_sigma,
            path_c,
            eigen,
            decomposed: 0,
        })
    }

    /// Returns the points of the next generation. Repeated calls return the same points until [`Strategy::tell`] is
    /// called.
    pub fn ask(&self) -> Vec<Vec<f64>> {
        let n = self.mean.len();
        let point = |body: usize| {
            let mut draws = Draws::new(self.seed, self.generation, body as u32, 0, Stream::Evolution);
            let mut normals = Vec::with_capacity(n + 1);
            while normals.len() < n {
                let (one, other) = normal_pair(draws.word(), draws.word());
                normals.extend([f64::from(one), f64::from(other)]);
            }
            let scaled: Vec<f64> = self.eigen.values.iter().zip(&normals).map(|(value, z)| value.sqrt() * z).collect();
            let along = |(mean, row): (&f64, &Vec<f64>)| mean + self.sigma * dot(row, &scaled);
            self.mean.iter().zip(&self.eigen.vectors).map(along).collect()
        };
        (0..self.parameters.points()).map(point).collect()
    }

    /// Returns the parameters of the strategy.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Returns the number of finished generations.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// Returns the mean of the distribution. It is the best estimate of the minimum, also for a noisy function.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Returns the step size.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// Returns the rows of the matrix C. The covariance of the distribution is C times the squared step size.
    pub fn covariance(&self) -> &[Vec<f64>] {
        &self.covariance
    }

    /// Returns the evolution path of the rank-one update.
    pub fn path(&self) -> &[f64] {
        &self.path_c
    }

    /// Returns the condition number of C: the greatest eigenvalue divided by the smallest.
    pub fn condition(&self) -> f64 {
        let values = self.eigen.values.iter().copied();
        values.clone().fold(0.0, f64::max) / values.fold(f64::INFINITY, f64::min)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strategy(seed: u64) -> Strategy {
        Strategy::new(Parameters::new(3, None, true).unwrap(), vec![1.0, 2.0, 3.0], 0.5, seed).unwrap()
    }

    #[test]
    fn same_seed_gives_same_points() {
        let (mut a, b) = (strategy(1), strategy(1));
        assert_eq!(a.ask(), b.ask());
        assert_ne!(a.ask(), strategy(2).ask());
        let points = a.ask();
        assert!(points.iter().all(|point| point != &points[0] || std::ptr::eq(point, &points[0])), "all different");
        a.tell(&points, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]).unwrap();
        assert_ne!(a.ask(), points);
    }

    #[test]
    fn points_have_the_distributions_moments() {
        let parameters = Parameters::new(2, Some(20_000), false).unwrap();
        let mut strategy = Strategy::new(parameters, vec![10.0, -4.0], 0.3, 4).unwrap();
        strategy.eigen = Eigen { values: vec![4.0, 1.0], vectors: vec![vec![0.6, -0.8], vec![0.8, 0.6]] };
        let points = strategy.ask();
        let n = points.len() as f64;
        let mean = |of: &dyn Fn(&Vec<f64>) -> f64| points.iter().map(of).sum::<f64>() / n;
        assert!((mean(&|p| p[0]) - 10.0).abs() < 0.02 && (mean(&|p| p[1]) + 4.0).abs() < 0.02);
        // The expected entries are those of C = B diag(4, 1) B^T, where the rows of B are `vectors`.
        for (i, j, c) in [(0, 0, 2.08), (0, 1, 1.44), (1, 1, 2.92)] {
            let centre = [10.0, -4.0];
            let found = mean(&|p| (p[i] - centre[i]) * (p[j] - centre[j])) / 0.09;
            assert!((found - c).abs() < 0.1, "{i} {j}: {found}, not {c}");
        }
    }

    #[test]
    fn invalid_input_is_rejected() {
        let parameters = || Parameters::new(3, None, true).unwrap();
        let start = |mean: Vec<f64>, sigma| Strategy::new(parameters(), mean, sigma, 0).unwrap_err();
        assert_eq!(start(vec![0.0; 2], 1.0), CmaError::Dimension { found: 2, expected: 3 });
        assert_eq!((start(vec![0.0; 3], 0.0), start(vec![f64::NAN; 3], 1.0)), (CmaError::Start, CmaError::Start));
        let mut strategy = strategy(1);
        let points = strategy.ask();
        let mut tell = |points: &[Vec<f64>], values: &[f64]| strategy.tell(points, values).unwrap_err();
        assert_eq!(tell(&points, &[1.0]), CmaError::Points { points: 7, values: 1, expected: 7 });
        assert_eq!(tell(&points, &[1.0, 2.0, f64::NAN, 0.0, 0.0, 0.0, 0.0]), CmaError::Value(2));
        let mut bad = points.clone();
        bad[4][1] = f64::INFINITY;
        assert_eq!(tell(&bad, &[0.0; 7]), CmaError::Point(4));
        assert_eq!((strategy.generation(), strategy.ask()), (0, points));
    }
}

//! The strategy's state, what it asks and what it learns.

use super::eigen::Eigen;
use super::parameters::Parameters;
use xpuck_kernels::random::{Draws, Stream, normal_pair};

/// Why a strategy cannot be made or go on.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what they are")]
pub enum CmaError {
    #[error("the mean has {found} numbers, and there are {expected} variables")]
    Dimension { found: usize, expected: usize },
    #[error("the bounds are of {found} variables, and there are {expected}")]
    Bounds { found: usize, expected: usize },
    #[error("the mean and the step size have to be finite numbers, and the step size greater than 0")]
    Start,
    #[error("a generation has {expected} points, and {points} points with {values} values are told")]
    Points { points: usize, values: usize, expected: usize },
    #[error("point {0} has another number of variables, or one that is not finite")]
    Point(usize),
    #[error("the value of point {0} is not a number")]
    Value(usize),
    #[error("{0} points a generation are none that a strategy can have: 4 to 65535")]
    Size(usize),
}

/// A (mu/mu_w, lambda)-CMA-ES with full covariance, cumulative step-size adaptation, and rank-one and rank-mu updates.
///
/// Where the tutorial leaves something open it is as in the package `cma`: the path of the rank-one update stalls (h of
/// 0) while the squared length of the other path, corrected for its start, is at least (2 + 4 / (n + 1)) n; the step size
/// grows by a factor of e a generation at most; and C is decomposed again after 1 / (10 n (c_1 + c_mu)) generations.
#[derive(Clone, Debug)]
pub struct Strategy {
    parameters: Parameters,
    seed: u64,
    generation: u32,
    mean: Vec<f64>,
    sigma: f64,
    covariance: Vec<Vec<f64>>,
    path_sigma: Vec<f64>,
    path_c: Vec<f64>,
    eigen: Eigen,
    decomposed: u32,
}

impl Strategy {
    /// A strategy about a mean, with the same standard deviation in every direction. Everything is random by `seed`
    /// alone.
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

    /// The points of the next generation: the same ones until values are told.
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

    /// Learns from the points of a generation and their values, of which smaller ones are better; an infinite one is a
    /// point that failed. Usually the points are those of [`Strategy::ask`], but need not be.
    ///
    /// # Errors
    /// If the points or values are not those of a generation; nothing is learned then.
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

    /// Moves the mean and both paths; gives whether the path of the rank-one update stalled.
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
        // What a stalled path leaves out of the rank-one update stays in C.
        let kept = if stalls { c_1 * c_c * (2.0 - c_c) } else { 0.0 };
        let decay = 1.0 + kept - c_1 - c_mu * weights.iter().sum::<f64>();
        let mut updates = vec![(c_1, self.path_c.as_slice())];
        for (weight, step) in weights.iter().zip(steps).filter(|(weight, _)| **weight != 0.0) {
            let white = if *weight < 0.0 { self.whitened(step) } else { Vec::new() };
            // A negative update of whatever length takes no more than a step of expected length would.
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
        self.eigen = Eigen::of(&self.covariance);
        // Rounding can leave a value of 0 or below where others are 1e16 times as large; the condition number tells.
        let least = self.eigen.values.iter().fold(0.0f64, |most, value| most.max(*value)) * f64::EPSILON;
        self.eigen.values.iter_mut().for_each(|value| *value = value.max(least));
        self.decomposed = self.generation;
    }

    /// C^(-1/2) times a vector.
    fn whitened(&self, vector: &[f64]) -> Vec<f64> {
        let Eigen { values, vectors } = &self.eigen;
        let mut along = vec![0.0; vector.len()];
        vectors.iter().zip(vector).for_each(|(row, x)| add(&mut along, *x, row));
        let scaled: Vec<f64> = along.iter().zip(values).map(|(x, value)| x / value.sqrt()).collect();
        vectors.iter().map(|row| dot(row, &scaled)).collect()
    }

    /// Its parameters.
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// Generations told so far.
    pub fn generation(&self) -> u32 {
        self.generation
    }

    /// The distribution's mean: the best guess, under noise too.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// The step size.
    pub fn sigma(&self) -> f64 {
        self.sigma
    }

    /// The rows of C; the distribution's covariance is its product with the squared step size.
    pub fn covariance(&self) -> &[Vec<f64>] {
        &self.covariance
    }

    /// The path of the rank-one update.
    pub fn path(&self) -> &[f64] {
        &self.path_c
    }

    /// The greatest eigenvalue of C over the smallest.
    pub fn condition(&self) -> f64 {
        let values = self.eigen.values.iter().copied();
        values.clone().fold(0.0, f64::max) / values.fold(f64::INFINITY, f64::min)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Adds `factor` times a vector.
fn add(to: &mut [f64], factor: f64, vector: &[f64]) {
    to.iter_mut().zip(vector).for_each(|(x, v)| *x += factor * v);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strategy(seed: u64) -> Strategy {
        Strategy::new(Parameters::new(3, None, true).unwrap(), vec![1.0, 2.0, 3.0], 0.5, seed).unwrap()
    }

    #[test]
    fn a_seed_gives_the_same_points() {
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
        // C is B diag(4, 1) B^T.
        for (i, j, c) in [(0, 0, 2.08), (0, 1, 1.44), (1, 1, 2.92)] {
            let centre = [10.0, -4.0];
            let found = mean(&|p| (p[i] - centre[i]) * (p[j] - centre[j])) / 0.09;
            assert!((found - c).abs() < 0.1, "{i} {j}: {found}, not {c}");
        }
    }

    #[test]
    fn what_cannot_be_learned_is_told() {
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

//! Stopping criteria of a minimisation.

use super::strategy::Strategy;
use std::collections::VecDeque;

/// Limits of the stopping criteria (section B.3 of Hansen's tutorial).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Range of function values below which the run stops. The range covers all values of the last generation, and the
    /// best value of each of the last 10 + 30 n / lambda generations, for n variables and lambda points per generation.
    pub tol_fun: f64,
    /// Minimum step. The run stops when two quantities are below it for every variable: the standard deviation, and the
    /// step size times the component of the evolution path of the rank-one update.
    pub tol_x: f64,
    /// Maximum condition number of the covariance matrix.
    pub condition: f64,
    /// Maximum number of generations.
    pub generations: u32,
    /// Function value at or below which the run stops; `None` without a target.
    pub target: Option<f64>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { tol_fun: 1e-12, tol_x: 1e-11, condition: 1e14, generations: 10_000, target: None }
    }
}

/// Reason why a run stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A function value has reached the target.
    Target,
    /// The range of the function values is below [`Limits::tol_fun`].
    TolFun,
    /// The steps of all variables are below [`Limits::tol_x`].
    TolX,
    /// The condition number is above [`Limits::condition`].
    Condition,
    /// The step size or a standard deviation is not finite: the function has no reachable minimum.
    Diverged,
    /// The maximum number of generations is reached.
    Generations,
}

/// Best function value of each of the last generations, the oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct History(VecDeque<f64>);

impl History {
    /// Adds a generation's values, and returns the reason to stop, if any.
    pub(super) fn stop(&mut self, strategy: &Strategy, values: &[f64], limits: &Limits) -> Option<Stop> {
        let best = values.iter().copied().fold(f64::INFINITY, f64::min);
        let parameters = strategy.parameters();
        let n = parameters.dimension as f64;
        let kept = 10 + (30.0 * n / parameters.points() as f64).ceil() as usize;
        self.0.push_back(best);
        if self.0.len() > kept {
            self.0.pop_front();
        }
        let all = self.0.iter().chain(values).copied();
        let range = all.clone().fold(f64::NEG_INFINITY, f64::max) - all.fold(f64::INFINITY, f64::min);
        let sigma = strategy.sigma();
        let deviation = |i: usize| sigma * strategy.covariance()[i][i].sqrt().max(strategy.path()[i].abs());
        let widest = (0..parameters.dimension).map(deviation).fold(0.0, f64::max);
        let checks = [
            (limits.target.is_some_and(|target| best <= target), Stop::Target),
            (!widest.is_finite() || !sigma.is_finite(), Stop::Diverged),
            (self.0.len() >= kept && range < limits.tol_fun, Stop::TolFun),
            (widest < limits.tol_x, Stop::TolX),
            (strategy.condition() > limits.condition, Stop::Condition),
            (strategy.generation() >= limits.generations, Stop::Generations),
        ];
        checks.into_iter().find(|(stops, _)| *stops).map(|(_, stop)| stop)
    }
}

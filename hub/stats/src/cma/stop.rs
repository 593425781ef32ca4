//! When a strategy has nothing more to find.

use super::strategy::Strategy;
use std::collections::VecDeque;

/// When to stop; see the tutorial's section B.3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Least range of values: those of the last generation, and the best ones of the last 10 + 30 n / lambda.
    pub tol_fun: f64,
    /// Least standard deviation of the distribution: that of every variable, and as much along the path.
    pub tol_x: f64,
    /// Greatest condition number of C.
    pub condition: f64,
    /// Greatest number of generations.
    pub generations: u32,
    /// A value that is good enough.
    pub target: Option<f64>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { tol_fun: 1e-12, tol_x: 1e-11, condition: 1e14, generations: 10_000, target: None }
    }
}

/// Why it stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// A value is as good as the target.
    Target,
    /// Values hardly differ.
    TolFun,
    /// The distribution is as good as a point.
    TolX,
    /// One direction is too much longer than another.
    Condition,
    /// The step size is no finite number: the function has no minimum in reach.
    Diverged,
    /// The generations are spent.
    Generations,
}

/// The best values of the latest generations.
#[derive(Clone, Debug, Default)]
pub(super) struct History(VecDeque<f64>);

impl History {
    /// Takes a generation's values, and says whether to stop.
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

//! Complete run of a minimisation.

use super::bounds::Bounds;
use super::error::CmaError;
use super::stop::{History, Limits, Stop};
use super::strategy::Strategy;

/// Result of a minimisation.
#[derive(Clone, Debug, PartialEq)]
pub struct Minimum {
    /// Best evaluated point, inside the bounds.
    pub best: Vec<f64>,
    /// Function value at the best point. For a noisy function, it is usually too low.
    pub value: f64,
    /// Mean of the last distribution, reflected into the bounds.
    pub mean: Vec<f64>,
    /// Number of evaluated points over all generations.
    pub evaluations: u64,
    /// Reason why the minimisation stopped.
    pub stop: Stop,
}

/// Runs a strategy until a stopping criterion is met. `evaluate` takes the points of a generation, reflected into the
/// bounds if there are any. It returns the function values of these points in the same order; smaller is better.
///
/// # Errors
/// Returns an error if the bounds and the strategy have different numbers of variables. Returns an error if `evaluate`
/// returns a NaN, or if the numbers of values and points differ.
pub fn minimise(
    mut strategy: Strategy,
    bounds: Option<&Bounds>,
    limits: &Limits,
    mut evaluate: impl FnMut(&[Vec<f64>]) -> Vec<f64>,
) -> Result<Minimum, CmaError> {
    let expected = strategy.parameters().dimension;
    if let Some(found) = bounds.map(Bounds::dimension).filter(|found| *found != expected) {
        return Err(CmaError::Bounds { found, expected });
    }
    let inside = |point: &[f64]| bounds.map_or_else(|| point.to_vec(), |bounds| bounds.reflect(point));
    let mut history = History::default();
    let (mut best, mut value, mut evaluations) = (inside(strategy.mean()), f64::INFINITY, 0);
    loop {
        let points = strategy.ask();
        let evaluated: Vec<Vec<f64>> = points.iter().map(|point| inside(point)).collect();
        let values = evaluate(&evaluated);
        strategy.tell(&points, &values)?;
        evaluations += points.len() as u64;
        for (point, found) in evaluated.into_iter().zip(&values) {
            if *found < value {
                (best, value) = (point, *found);
            }
        }
        if let Some(stop) = history.stop(&strategy, &values, limits) {
            return Ok(Minimum { best, value, mean: inside(strategy.mean()), evaluations, stop });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Parameters;
    use super::*;

    fn strategy(n: usize, mean: f64, sigma: f64) -> Strategy {
        Strategy::new(Parameters::new(n, None, true).unwrap(), vec![mean; n], sigma, 7).unwrap()
    }

    fn run(strategy: Strategy, limits: Limits, f: impl Fn(&[f64]) -> f64) -> Minimum {
        minimise(strategy, None, &limits, |points| points.iter().map(|x| f(x)).collect()).unwrap()
    }

    fn sphere(x: &[f64]) -> f64 {
        x.iter().map(|x| x * x).sum()
    }

    #[test]
    fn runs_stop_for_the_reason_that_there_is() {
        let limits = Limits::default();
        let found = run(strategy(4, 3.0, 1.0), limits, sphere);
        assert!(found.value < 1e-11 && matches!(found.stop, Stop::TolFun), "{found:?}");
        assert!(found.mean.iter().all(|x| x.abs() < 1e-5));
        let found = run(strategy(4, 3.0, 1.0), Limits { tol_fun: 0.0, ..limits }, sphere);
        assert!(found.stop == Stop::TolX && found.value < 1e-20, "{found:?}");
        let found = run(strategy(4, 3.0, 1.0), Limits { target: Some(0.1), ..limits }, sphere);
        assert!(found.stop == Stop::Target && (1e-4..=0.1).contains(&found.value), "{found:?}");
        let found = run(strategy(4, 3.0, 1.0), Limits { generations: 5, ..limits }, sphere);
        assert_eq!((found.stop, found.evaluations), (Stop::Generations, 40));
        let found = run(strategy(2, 3.0, 1.0), limits, |x| x[0] + 1e12 * x[1]);
        assert!(matches!(found.stop, Stop::Condition | Stop::Diverged | Stop::Generations), "{found:?}");
        let narrow = Limits { condition: 100.0, ..limits };
        let found = run(strategy(3, 3.0, 1.0), narrow, |x| x[0] * x[0] + 1e4 * (x[1] * x[1] + x[2] * x[2]));
        assert_eq!(found.stop, Stop::Condition);
        // The values of a constant function have a range of 0.
        assert_eq!(run(strategy(3, 0.0, 1.0), limits, |_| 4.0).stop, Stop::TolFun);
    }

    #[test]
    fn minimum_at_bound_is_found_inside_bounds() {
        // In -1..1, (x - 2)^2 has its minimum at the bound 1. The minimum of the second variable is inside the bounds.
        let bounds = Bounds::new(vec![-1.0, -1.0], vec![1.0, 1.0]).unwrap();
        let f = |points: &[Vec<f64>]| -> Vec<f64> {
            assert!(points.iter().flatten().all(|x| x.abs() <= 1.0));
            points.iter().map(|x| (x[0] - 2.0).powi(2) + (x[1] - 0.3).powi(2)).collect()
        };
        let found = minimise(strategy(2, 0.0, 0.5), Some(&bounds), &Limits::default(), f).unwrap();
        assert!((found.value - 1.0).abs() < 1e-9 && (found.best[1] - 0.3).abs() < 1e-4, "{found:?}");
        assert!((found.mean[0] - 1.0).abs() < 1e-6, "{found:?}");
    }

    #[test]
    fn rotation_hardly_changes_evaluation_count() {
        // An ellipsoid along the axes, and the same ellipsoid rotated by 45 degrees in two planes, must need about the
        // same number of evaluations.
        let limits = Limits { target: Some(1e-8), ..Limits::default() };
        let along = |x: &[f64]| x.iter().enumerate().map(|(i, x)| 10f64.powi(2 * i as i32) * x * x).sum::<f64>();
        let turned = |x: &[f64]| {
            let r = 0.5f64.sqrt();
            along(&[r * (x[0] - x[3]), r * (x[1] - x[2]), r * (x[1] + x[2]), r * (x[0] + x[3])])
        };
        let plain = run(strategy(4, 1.0, 0.5), limits, along).evaluations as f64;
        let other = run(strategy(4, 1.0, 0.5), limits, turned).evaluations as f64;
        assert!((0.7..1.4).contains(&(other / plain)), "{plain} and {other}");
    }

    #[test]
    fn other_sizes_are_errors() {
        let bounds = Bounds::new(vec![0.0], vec![1.0]).unwrap();
        let evaluate = |points: &[Vec<f64>]| vec![0.0; points.len()];
        let found = minimise(strategy(2, 0.0, 1.0), Some(&bounds), &Limits::default(), evaluate);
        assert_eq!(found, Err(CmaError::Bounds { found: 1, expected: 2 }));
        let found = minimise(strategy(2, 0.0, 1.0), None, &Limits::default(), |_| vec![0.0]);
        assert_eq!(found, Err(CmaError::Points { points: 6, values: 1, expected: 6 }));
    }
}

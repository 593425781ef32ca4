//! Numerical methods shared by the fits: minimisation, straight lines, jackknife.

use rayon::prelude::*;

/// Factor by which each step of a golden section search shortens the interval.
const GOLDEN: f64 = 0.618_033_988_749_894_9;
/// Maximum number of groups into which the jackknife divides the items.
const GROUPS: usize = 10;

/// Returns `count` evenly spaced numbers from `low` to `high`, both included.
pub fn spread(low: f64, high: f64, count: usize) -> Vec<f64> {
    (0..count).map(|i| low + (high - low) * i as f64 / (count - 1) as f64).collect()
}

/// Returns the position of a unimodal function's minimum in `low..high` to within `tolerance`, by golden section
/// search.
pub fn golden(mut low: f64, mut high: f64, tolerance: f64, cost: impl Fn(f64) -> f64) -> f64 {
    let (mut a, mut b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
    let (mut cost_a, mut cost_b) = (cost(a), cost(b));
    while high - low > tolerance {
        if cost_a <= cost_b {
            (high, b, cost_b) = (b, a, cost_a);
            a = high - GOLDEN * (high - low);
            cost_a = cost(a);
        } else {
            (low, a, cost_a) = (a, b, cost_b);
            b = low + GOLDEN * (high - low);
            cost_b = cost(b);
        }
    }
    (low + high) / 2.0
}

/// Returns the position of the global minimum of a function. The function is first evaluated at the grid points. A
/// golden section search then runs between the neighbours of the best grid point. Each valley of the function must be
/// wider than the grid's spacing.
pub fn minimum(grid: &[f64], tolerance: f64, cost: impl Fn(f64) -> f64) -> f64 {
    let costs: Vec<f64> = grid.iter().map(|x| cost(*x)).collect();
    let best = least(&costs);
    golden(grid[best.saturating_sub(1)], grid[(best + 1).min(grid.len() - 1)], tolerance, cost)
}

/// Returns the index of the smallest number, or of the first such number if several are equal. The list must not be
/// empty.
pub fn least(numbers: &[f64]) -> usize {
    (0..numbers.len()).min_by(|a, b| numbers[*a].total_cmp(&numbers[*b])).expect("not empty")
}

/// Fits a line through points (x, y) by least squares. Returns its value at x = 0 and its slope, or `None` if all
/// points have the same x.
pub fn line(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let n = points.len() as f64;
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let across = points.iter().map(|p| (p.0 - mx).powi(2)).sum::<f64>();
    let slope = points.iter().map(|p| (p.0 - mx) * (p.1 - my)).sum::<f64>() / across;
    (across > 0.0).then_some((my - slope * mx, slope))
}

/// Returns the standard errors of the estimates of `fit` by the jackknife. The items are divided into at most ten
/// groups, and the fit is repeated without each group in turn. Returns `None` if there are fewer than two items or a
/// fit fails.
pub fn jackknife<T: Copy + Send + Sync>(
    items: &[T],
    fit: impl Fn(&[T]) -> Option<Vec<f64>> + Sync,
) -> Option<Vec<f64>> {
    let groups = GROUPS.min(items.len());
    if groups < 2 {
        return None;
    }
    let without = |group: usize| -> Vec<T> {
        items.iter().enumerate().filter(|(i, _)| i % groups != group).map(|(_, item)| *item).collect()
    };
    let fits: Vec<Vec<f64>> = (0..groups).into_par_iter().map(|g| fit(&without(g))).collect::<Option<_>>()?;
    let error = |k: usize| {
        let mean = fits.iter().map(|f| f[k]).sum::<f64>() / groups as f64;
        let square: f64 = fits.iter().map(|f| (f[k] - mean).powi(2)).sum();
        (square * (groups - 1) as f64 / groups as f64).sqrt()
    };
    Some((0..fits[0].len()).map(error).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minima_are_found_where_they_are() {
        assert!((golden(0.0, 1.0, 1e-6, |x| (x - 0.3).powi(2)) - 0.3).abs() < 1e-5);
        // The function has two valleys; the deeper one is near 4.7.
        let wavy = |x: f64| x.sin() - 0.01 * x;
        assert!((minimum(&spread(0.0, 8.0, 30), 1e-6, wavy) - 4.722).abs() < 1e-3);
        assert!((golden(0.0, 1.0, 1e-6, |x| x)).abs() < 1e-5, "a minimum at the edge");
    }

    #[test]
    fn lines_are_fitted() {
        let (at_zero, slope) = line(&[(1.0, 5.0), (2.0, 7.0), (4.0, 11.0)]).unwrap();
        assert!((at_zero - 3.0).abs() < 1e-12 && (slope - 2.0).abs() < 1e-12);
        assert_eq!(line(&[(1.0, 5.0), (1.0, 7.0)]), None);
    }

    #[test]
    fn jackknife_of_mean_equals_standard_error() {
        let items: Vec<f64> = (0..10).map(f64::from).collect();
        let error = jackknife(&items, |x| Some(vec![x.iter().sum::<f64>() / x.len() as f64])).unwrap()[0];
        // The ten numbers have the variance 9.1667.
        assert!((error - (9.166_666_7f64 / 10.0).sqrt()).abs() < 1e-6, "{error}");
        assert_eq!(jackknife(&[1.0], |_| Some(vec![0.0])), None);
    }
}

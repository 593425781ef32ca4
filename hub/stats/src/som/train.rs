//! Training of a map, which starts with weights on a plane through the samples (Kohonen 1982; batch training: Kohonen
//! 2013).

use super::grid::Grid;
use super::pca::Pca;
use super::quality::{best, quantisation_error, topographic_error};
use super::standardise::check;

/// Maximum standard deviation of the neighbourhood for which the weights of an epoch may become the result (distances
/// of adjacent units). With a greater neighbourhood, the map is still too smooth.
const SETTLED: f64 = 1.0;

/// Topographic error and quantisation error, which are compared in this order.
type Errors = (f64, f64);

/// Training parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Training {
    /// Number of passes over all samples, >= 1.
    pub epochs: u32,
    /// Standard deviation of the Gaussian neighbourhood in the first epoch (distances of adjacent units).
    pub from: f64,
    /// Standard deviation of the neighbourhood in the last epoch, > 0 (distances of adjacent units). The standard
    /// deviation decreases by a constant factor per epoch.
    pub to: f64,
}

impl Training {
    /// Returns the default parameters for a grid. The neighbourhood shrinks from half the longer side to a size at
    /// which a unit no longer affects its neighbours.
    pub fn for_grid(grid: &Grid) -> Training {
        let side = grid.columns().max(grid.rows()) as f64;
        Training { epochs: 100, from: (side / 2.0).max(1.0), to: 0.25 }
    }
}

/// Returns initial weights on the plane of the first two principal components, up to one standard deviation from the
/// mean. The first component increases along x of the grid, and the second component along y.
pub fn start(grid: &Grid, pca: &Pca) -> Vec<Vec<f64>> {
    let place = |i: usize, side: usize| if side > 1 { 2.0 * i as f64 / (side - 1) as f64 - 1.0 } else { 0.0 };
    let loadings = [0, 1].map(|k| pca.loadings(k).unwrap_or_else(|| vec![0.0; pca.mean.len()]));
    let of = |unit: usize| {
        let (x, y) = (place(unit % grid.columns(), grid.columns()), place(unit / grid.columns(), grid.rows()));
        pca.mean.iter().zip(&loadings[0]).zip(&loadings[1]).map(|((mean, a), b)| mean + x * a + y * b).collect()
    };
    (0..grid.units()).map(of).collect()
}

/// Trains a map in batches, and returns its weights. In each epoch, the weights of a unit become the weighted mean of
/// all samples. A sample counts more if its best-matching unit is nearer. As the neighbourhood shrinks, the
/// quantisation error falls and the topographic error may rise. The result is the weights after the best epoch. Only
/// the last epoch and epochs with a neighbourhood of at most 1 are compared. The best epoch has the least topographic
/// error and, among equal topographic errors, the least quantisation error. The training is deterministic.
///
/// # Errors
/// Returns a message of one line if [`Pca::fit`] rejects the samples, or if the initial weights do not fit the grid or
/// the samples. It also returns a message if the training has no epochs, or if the neighbourhood grows or does not stay
/// above 0.
pub fn train(
    grid: &Grid,
    samples: &[Vec<f64>],
    start: &[Vec<f64>],
    training: &Training,
) -> Result<Vec<Vec<f64>>, String> {
    check(samples)?;
    if start.len() != grid.units() || start.iter().any(|weight| weight.len() != samples[0].len()) {
        return Err(format!(
            "the initial weights must be {} vectors of {} values each",
            grid.units(),
            samples[0].len()
        ));
    }
    let Training { epochs, from, to } = *training;
    if epochs == 0 || !(from.is_finite() && to > 0.0 && from >= to) {
        return Err(
            "training requires at least 1 epoch, and a neighbourhood radius that decreases and stays above 0".into()
        );
    }
    let mut weights = start.to_vec();
    let mut kept: Option<(Errors, Vec<Vec<f64>>)> = None;
    for epoch in 0..epochs {
        let last = epoch + 1 == epochs;
        let part = f64::from(epoch) / f64::from((epochs - 1).max(1));
        let sd = from * (to / from).powf(part);
        weights = batch(grid, samples, &weights, sd);
        if sd <= SETTLED || last {
            // A map of one unit has no topographic error.
            let topographic = topographic_error(grid, &weights, samples).unwrap_or(0.0);
            let errors = (topographic, quantisation_error(&weights, samples).unwrap_or(0.0));
            if kept.as_ref().is_none_or(|(least, _)| errors < *least) {
                kept = Some((errors, weights.clone()));
            }
        }
    }
    Ok(kept.map_or(weights, |(_, weights)| weights))
}

/// Returns the weights after one epoch with a neighbourhood of standard deviation `sd`.
fn batch(grid: &Grid, samples: &[Vec<f64>], weights: &[Vec<f64>], sd: f64) -> Vec<Vec<f64>> {
    let winners: Vec<usize> = samples.iter().map(|sample| best(weights, sample)).collect();
    let of = |(unit, old): (usize, &Vec<f64>)| {
        let mut sum = vec![0.0; old.len()];
        let mut whole = 0.0;
        for (sample, winner) in samples.iter().zip(&winners) {
            let near = (-grid.squared_distance(unit, *winner) / (2.0 * sd * sd)).exp();
            whole += near;
            sum.iter_mut().zip(sample).for_each(|(sum, x)| *sum += near * x);
        }
        // For a unit far from all best-matching units, the sum of the sample weights underflows. Such a unit keeps its
        // previous weights.
        if whole >= f64::MIN_POSITIVE { sum.into_iter().map(|x| x / whole).collect() } else { old.clone() }
    };
    weights.iter().enumerate().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::som::grid::Topology;

    fn line() -> Vec<Vec<f64>> {
        (0..12).map(|i| vec![f64::from(i), 2.0 * f64::from(i % 2)]).collect()
    }

    #[test]
    fn initial_map_spans_one_standard_deviation() {
        let samples = line();
        let pca = Pca::fit(&samples).unwrap();
        let grid = Grid::new(Topology::Rectangular, 3, 2).unwrap();
        let weights = start(&grid, &pca);
        let scores: Vec<Vec<f64>> = weights.iter().map(|weight| pca.scores(weight)).collect();
        let sd = [pca.variances[0].sqrt(), pca.variances[1].sqrt()];
        for (unit, (x, y)) in
            [(-1.0, -1.0), (0.0, -1.0), (1.0, -1.0), (-1.0, 1.0), (0.0, 1.0), (1.0, 1.0)].iter().enumerate()
        {
            assert!(
                (scores[unit][0] - x * sd[0]).abs() < 1e-12 && (scores[unit][1] - y * sd[1]).abs() < 1e-12,
                "{unit}"
            );
        }
        let one = start(&Grid::new(Topology::Hexagonal, 1, 1).unwrap(), &pca);
        assert_eq!(one, [pca.mean]);
    }

    #[test]
    fn one_batch_by_hand() {
        let grid = Grid::new(Topology::Rectangular, 2, 1).unwrap();
        let samples = [0.0, 1.0, 9.0, 10.0].map(|x| vec![x]);
        let near = (-0.5f64).exp();
        let weights = batch(&grid, &samples, &[vec![0.0], vec![10.0]], 1.0);
        let expected = [(1.0 + near * 19.0) / (2.0 + 2.0 * near), (near + 19.0) / (2.0 + 2.0 * near)];
        assert!(weights.iter().zip(expected).all(|(w, e)| (w[0] - e).abs() < 1e-12), "{weights:?}");
        let alone = batch(&grid, &samples, &[vec![5.0], vec![1000.0]], 0.01);
        assert_eq!(alone, [[5.0], [1000.0]], "nobody's neighbour stays");
    }

    #[test]
    fn samples_in_a_row_are_mapped_in_a_row() {
        let samples = line();
        let grid = Grid::new(Topology::Rectangular, 6, 1).unwrap();
        let begin = start(&grid, &Pca::fit(&samples).unwrap());
        let weights = train(&grid, &samples, &begin, &Training::for_grid(&grid)).unwrap();
        let winners: Vec<usize> = samples.iter().map(|sample| best(&weights, sample)).collect();
        let forth = winners.windows(2).all(|pair| pair[0] <= pair[1]);
        assert!(forth && winners[0] == 0 && winners[11] == 5, "{winners:?}");
        assert_eq!(topographic_error(&grid, &weights, &samples), Some(0.0));
        assert!(quantisation_error(&weights, &samples) < quantisation_error(&begin, &samples));
        assert_eq!(train(&grid, &samples, &begin, &Training::for_grid(&grid)).unwrap(), weights);
    }

    #[test]
    fn invalid_trainings_are_rejected() {
        let samples = line();
        let grid = Grid::new(Topology::Hexagonal, 2, 2).unwrap();
        let begin = vec![vec![0.0, 0.0]; 4];
        let good = Training { epochs: 1, from: 1.0, to: 1.0 };
        assert!(train(&grid, &samples, &begin, &good).is_ok());
        for bad in [
            Training { epochs: 0, ..good },
            Training { to: 0.0, ..good },
            Training { to: 2.0, ..good },
            Training { from: f64::NAN, ..good },
            Training { from: f64::INFINITY, ..good },
            Training { to: f64::NAN, ..good },
        ] {
            assert!(train(&grid, &samples, &begin, &bad).unwrap_err().starts_with("training requires"), "{bad:?}");
        }
        assert_eq!(
            train(&grid, &samples, &begin[1..], &good).unwrap_err(),
            "the initial weights must be 4 vectors of 2 values each"
        );
        assert!(train(&grid, &samples[..3], &begin, &good).is_err());
    }
}

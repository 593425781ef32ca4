//! Quality measures of a map.

use super::grid::Grid;

/// Returns the squared distance of two vectors.
pub(super) fn squared_distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

/// Returns the best-matching units of a sample: the nearest unit, and the second nearest unit (`None` on a map of one
/// unit). Among equally near units, the unit with the lower number comes first. Returns `None` on a map without units.
pub fn best_two(weights: &[Vec<f64>], sample: &[f64]) -> Option<(usize, Option<usize>)> {
    let mut best: [Option<(usize, f64)>; 2] = [None; 2];
    for (unit, weight) in weights.iter().enumerate() {
        let distance = squared_distance(weight, sample);
        let nearer = |than: Option<(usize, f64)>| than.is_none_or(|(_, least)| distance < least);
        if nearer(best[0]) {
            best = [Some((unit, distance)), best[0]];
        } else if nearer(best[1]) {
            best[1] = Some((unit, distance));
        }
    }
    best[0].map(|(unit, _)| (unit, best[1].map(|(unit, _)| unit)))
}

/// Returns the best-matching unit of a sample; 0 on a map without units.
pub fn best(weights: &[Vec<f64>], sample: &[f64]) -> usize {
    best_two(weights, sample).map_or(0, |(unit, _)| unit)
}

/// Returns the mean distance of the samples from the weights of their best-matching units. Returns `None` without
/// samples or units.
pub fn quantisation_error(weights: &[Vec<f64>], samples: &[Vec<f64>]) -> Option<f64> {
    if weights.is_empty() || samples.is_empty() {
        return None;
    }
    let distance = |sample: &Vec<f64>| squared_distance(&weights[best(weights, sample)], sample).sqrt();
    Some(samples.iter().map(distance).sum::<f64>() / samples.len() as f64)
}

/// Returns the share of the samples whose two best-matching units are not neighbours, 0 to 1 (Kiviluoto 1996). Returns
/// `None` without samples or with fewer than two units.
pub fn topographic_error(grid: &Grid, weights: &[Vec<f64>], samples: &[Vec<f64>]) -> Option<f64> {
    let mut errors = 0usize;
    for sample in samples {
        let (first, second) = best_two(weights, sample)?;
        errors += usize::from(!grid.neighbours(first, second?));
    }
    (!samples.is_empty()).then(|| errors as f64 / samples.len() as f64)
}

/// Returns the U-matrix (Ultsch and Siemon 1990): for each unit, the mean distance of its weights from the weights of
/// its neighbours. The distance is 0 for a unit without neighbours.
pub fn u_matrix(grid: &Grid, weights: &[Vec<f64>]) -> Vec<f64> {
    let of = |unit: usize| {
        let near: Vec<f64> = (0..weights.len())
            .filter(|other| grid.neighbours(unit, *other))
            .map(|other| squared_distance(&weights[unit], &weights[other]).sqrt())
            .collect();
        near.iter().sum::<f64>() / near.len().max(1) as f64
    };
    (0..weights.len()).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::som::grid::Topology;

    #[test]
    fn errors_of_a_map_by_hand() {
        let grid = Grid::new(Topology::Rectangular, 3, 1).unwrap();
        let weights = [0.0, 10.0, 2.0].map(|w| vec![w]);
        let samples = [vec![0.5], vec![8.0]];
        assert_eq!(best_two(&weights, &samples[0]), Some((0, Some(2))));
        assert_eq!(best_two(&weights, &samples[1]), Some((1, Some(2))));
        assert_eq!(best_two(&weights, &[1.0]), Some((0, Some(2))), "the lower one of equals");
        assert_eq!(quantisation_error(&weights, &samples), Some(1.25));
        assert_eq!(topographic_error(&grid, &weights, &samples), Some(0.5), "units 0 and 2 are not neighbours");
        assert_eq!(u_matrix(&grid, &weights), [10.0, 9.0, 8.0]);
    }

    #[test]
    fn errors_of_empty_data_are_none() {
        let one = Grid::new(Topology::Hexagonal, 1, 1).unwrap();
        assert_eq!(topographic_error(&one, &[vec![1.0]], &[vec![2.0]]), None);
        assert_eq!(topographic_error(&one, &[vec![1.0]], &[]), None);
        assert_eq!((quantisation_error(&[], &[vec![1.0]]), quantisation_error(&[vec![1.0]], &[])), (None, None));
        assert_eq!(u_matrix(&one, &[vec![1.0]]), [0.0]);
    }
}

//! Friedman test with its post-hoc comparison (Conover, "Practical Nonparametric Statistics", 3rd ed., section 5.8), as
//! in F-Race (Birattari et al. 2002). The level of both tests is 0.05.

/// Returns the rank sum of each column. In each row, the smallest value has rank 1, and equal values share their mean
/// rank.
///
/// # Panics
/// Panics if the rows have different lengths.
pub(super) fn rank_sums(rows: &[Vec<f64>]) -> Vec<f64> {
    let mut sums = vec![0.0; rows.first().map_or(0, Vec::len)];
    for row in rows {
        sums.iter_mut().zip(ranks(row)).for_each(|(sum, rank)| *sum += rank);
    }
    sums
}

/// Returns the columns that are significantly worse than the best one. Large values are good. Returns none if the test
/// over all columns finds no difference.
///
/// # Panics
/// Panics if the rows have different lengths.
pub(super) fn worse_than_best(rows: &[Vec<f64>]) -> Vec<usize> {
    let sums = rank_sums(rows);
    let (n, k) = (rows.len() as f64, sums.len() as f64);
    let freedom = (n - 1.0) * (k - 1.0);
    if freedom < 1.0 {
        return Vec::new();
    }
    let squares: f64 = rows.iter().flat_map(|row| ranks(row)).map(|rank| rank * rank).sum();
    let equal = n * k * (k + 1.0) * (k + 1.0) / 4.0;
    if squares <= equal {
        // All values of each row are equal.
        return Vec::new();
    }
    let squared_sums: f64 = sums.iter().map(|sum| sum * sum).sum();
    let statistic = (k - 1.0) * (squared_sums - n * equal) / (squares - equal);
    if statistic <= chi_square_95(k - 1.0) {
        return Vec::new();
    }
    // Rounding can make this difference slightly negative if all rows have the same order.
    let spread = (n * squares - squared_sums).max(0.0);
    let critical = student_975(freedom) * (2.0 * spread / freedom).sqrt();
    let best = sums.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    (0..sums.len()).filter(|column| best - sums[*column] > critical).collect()
}

fn ranks(row: &[f64]) -> Vec<f64> {
    let rank = |value: &f64| {
        let below = row.iter().filter(|other| *other < value).count();
        let equal = row.iter().filter(|other| *other == value).count();
        below as f64 + (equal as f64 + 1.0) / 2.0
    };
    row.iter().map(rank).collect()
}

/// Returns the 95 % quantile of the chi-square distribution (approximation of Wilson and Hilferty 1931).
fn chi_square_95(freedom: f64) -> f64 {
    let variance = 2.0 / (9.0 * freedom);
    freedom * (1.0 - variance + 1.644_854 * variance.sqrt()).powi(3)
}

/// Returns the 97.5 % quantile of Student's t distribution (expansion of Cornish and Fisher, three terms).
fn student_975(freedom: f64) -> f64 {
    let z = 1.959_964_f64;
    let first = (z.powi(3) + z) / 4.0;
    let second = (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0;
    let third = (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0;
    z + first / freedom + second / freedom.powi(2) + third / freedom.powi(3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_equal_tables() {
        for (freedom, chi_square, student) in [(4.0, 9.488, 2.776), (10.0, 18.307, 2.228), (60.0, 79.082, 2.000)] {
            assert!((chi_square_95(freedom) / chi_square - 1.0).abs() < 0.005, "{}", chi_square_95(freedom));
            assert!((student_975(freedom) / student - 1.0).abs() < 0.005, "{}", student_975(freedom));
        }
    }

    #[test]
    fn equal_values_share_mean_rank() {
        assert_eq!(rank_sums(&[vec![0.2, 0.1, 0.2, 0.4], vec![0.0, 0.0, 0.0, 0.0]]), [5.0, 3.5, 5.0, 6.5]);
    }

    #[test]
    fn statistic_equals_worked_example() {
        // Conover 1999, section 5.8, example 1: twelve homeowners rank four grasses. The statistic is 8.097, above the
        // quantile 7.815. The rank sums are 38, 23.5, 24.5 and 34, and the critical difference is 11.49.
        let rows: Vec<Vec<f64>> = [
            [4.0, 3.0, 2.0, 1.0],
            [4.0, 2.0, 3.0, 1.0],
            [3.0, 1.5, 1.5, 4.0],
            [3.0, 1.0, 2.0, 4.0],
            [4.0, 2.0, 1.0, 3.0],
            [2.0, 2.0, 2.0, 4.0],
            [1.0, 3.0, 2.0, 4.0],
            [2.0, 4.0, 1.0, 3.0],
            [3.5, 1.0, 2.0, 3.5],
            [4.0, 1.0, 3.0, 2.0],
            [4.0, 2.0, 3.0, 1.0],
            [3.5, 1.0, 2.0, 3.5],
        ]
        .map(Vec::from)
        .into();
        assert_eq!(rank_sums(&rows), [38.0, 23.5, 24.5, 34.0]);
        assert_eq!(worse_than_best(&rows), [1, 2]);
        assert!(worse_than_best(&rows[..4]).is_empty(), "four rows show no difference");
    }

    #[test]
    fn clear_order_leaves_only_the_best() {
        let rows: Vec<Vec<f64>> = (0..6).map(|row| (0..5).map(|k| f64::from(10 * row + k)).collect()).collect();
        assert_eq!(worse_than_best(&rows), [0, 1, 2, 3]);
        assert!(worse_than_best(&[vec![1.0, 1.0], vec![2.0, 2.0]]).is_empty());
        assert!(worse_than_best(&[]).is_empty());
    }
}

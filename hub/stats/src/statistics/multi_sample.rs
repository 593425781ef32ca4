//! Tests of several samples: equal location or equal variance.

use super::spread::median;
use super::tail::{chi_squared_above, f_above};
use super::{constant, finite, rank};
use serde::Serialize;

/// Result of a test of several samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SeveralTest {
    /// Statistic: H of Kruskal and Wallis, W of Levene.
    pub statistic: f64,
    /// Probability of a statistic at least as great as this one if the groups do not differ.
    pub p: f64,
}

/// Returns the sum of the values of each group. `values` contains the values of all groups in the order of the groups.
fn sums(values: &[f64], groups: &[&[f64]]) -> Vec<f64> {
    let mut rest = values;
    let sum = |group: &&[f64]| {
        let (mine, others) = rest.split_at(group.len());
        rest = others;
        mine.iter().sum()
    };
    groups.iter().map(sum).collect()
}

/// Tests whether the values of one group tend to be greater than those of another. This is the Kruskal-Wallis rank test
/// (1952) with the correction for ties. p is by chi-squared, which is accurate from about five values per group.
/// Returns `None` for fewer than two groups, for an empty group, or if all values are equal.
pub fn kruskal_wallis(groups: &[&[f64]]) -> Option<SeveralTest> {
    let pooled = groups.concat();
    if groups.len() < 2 || groups.iter().any(|group| group.is_empty()) || !finite(&pooled) || constant(&pooled) {
        return None;
    }
    let n = pooled.len() as f64;
    let ranks: Vec<f64> = rank::doubled(&pooled).into_iter().map(|r| r as f64 / 2.0).collect();
    let squares: f64 = sums(&ranks, groups).iter().zip(groups).map(|(sum, group)| sum * sum / group.len() as f64).sum();
    let plain = 12.0 / (n * (n + 1.0)) * squares - 3.0 * (n + 1.0);
    let statistic = plain / (1.0 - rank::ties(&pooled) / (n * n * n - n));
    Some(SeveralTest { statistic, p: chi_squared_above(statistic, (groups.len() - 1) as f64) })
}

/// Tests whether the groups have the same variance, by Levene's test about the median (Brown and Forsythe 1974).
/// Returns `None` for fewer than two groups, an empty group, groups of single values only, or deviations that do not
/// vary inside any group.
pub fn levene(groups: &[&[f64]]) -> Option<SeveralTest> {
    let pooled = groups.concat();
    let (k, n) = (groups.len() as f64, pooled.len() as f64);
    if groups.len() < 2 || groups.iter().any(|group| group.is_empty()) || n <= k || !finite(&pooled) {
        return None;
    }
    let deviations: Vec<f64> = groups
        .iter()
        .flat_map(|group| {
            let middle = median(group);
            group.iter().map(move |x| (x - middle).abs())
        })
        .collect();
    let means: Vec<f64> = sums(&deviations, groups).iter().zip(groups).map(|(sum, g)| sum / g.len() as f64).collect();
    let grand = deviations.iter().sum::<f64>() / n;
    let between: f64 = means.iter().zip(groups).map(|(mean, g)| g.len() as f64 * (mean - grand).powi(2)).sum();
    let of_each = means.iter().zip(groups).flat_map(|(mean, group)| std::iter::repeat_n(*mean, group.len()));
    let within: f64 = deviations.iter().zip(of_each).map(|(d, mean)| (d - mean).powi(2)).sum();
    let statistic = (n - k) / (k - 1.0) * between / within;
    statistic.is_finite().then(|| SeveralTest { statistic, p: f_above(statistic, k - 1.0, n - k) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_of_known_groups() {
        // The rank sums are 3, 7 and 11 for 6 values. Therefore H is 12 / 42 (9 + 49 + 121) / 2 - 21. With 2 degrees of
        // freedom, p is exp(-H / 2).
        let found = kruskal_wallis(&[&[1.0, 2.0], &[3.0, 4.0], &[5.0, 6.0]]).unwrap();
        let h = 12.0 / 42.0 * 179.0 / 2.0 - 21.0;
        assert!((found.statistic - h).abs() < 1e-12 && (found.p - (-h / 2.0f64).exp()).abs() < 1e-12, "{found:?}");
        // With ties, the ranks 1.5, 1.5, 3.5, 3.5 have four fifths of the variance of 1 to 4.
        let found = kruskal_wallis(&[&[1.0, 1.0], &[2.0, 2.0]]).unwrap();
        assert!((found.statistic - 2.4 / 0.8).abs() < 1e-12, "{found:?}");
    }

    #[test]
    fn deviations_of_known_groups() {
        // Deviations from the medians are 1, 0, 4 and 2, 0, 2. Their means are 5 / 3 and 4 / 3, and their sums of
        // squares 26 / 3 and 8 / 3.
        let found = levene(&[&[1.0, 2.0, 6.0], &[10.0, 12.0, 14.0]]).unwrap();
        assert!((found.statistic - 1.0 / 17.0).abs() < 1e-12, "{found:?}");
        // The deviations are 1, 0, 1 and 2, 0, 2. Their means are 2 / 3 and 4 / 3, and their sums of squares are 2 / 3
        // and 8 / 3.
        let found = levene(&[&[1.0, 2.0, 3.0], &[10.0, 12.0, 14.0]]).unwrap();
        assert!((found.statistic - 4.0 * (2.0 / 3.0) / (10.0 / 3.0)).abs() < 1e-12, "{found:?}");
        assert!((0.4..0.5).contains(&found.p));
    }

    #[test]
    fn what_has_no_answer_has_none() {
        let some: &[f64] = &[1.0, 2.0, 4.0];
        assert_eq!((kruskal_wallis(&[some]), kruskal_wallis(&[some, &[]]), kruskal_wallis(&[])), (None, None, None));
        assert_eq!((kruskal_wallis(&[&[1.0], &[1.0, 1.0]]), kruskal_wallis(&[some, &[f64::NAN]])), (None, None));
        assert_eq!((levene(&[some]), levene(&[some, &[]]), levene(&[&[1.0], &[2.0]])), (None, None, None));
        assert_eq!((levene(&[&[1.0, 2.0], &[1.0, 3.0]]), levene(&[&[1.0; 3], &[2.0; 3]])), (None, None));
        assert_eq!(levene(&[some, &[f64::INFINITY, 1.0]]), None);
    }
}

//! Ranks of values; equal values share their mean rank.

/// Returns the doubled rank of each value of a sorted list. A doubled rank is always an integer, but a shared rank may
/// end in one half.
pub(super) fn doubled_of_sorted(sorted: &[f64]) -> Vec<usize> {
    let mut ranks = Vec::with_capacity(sorted.len());
    for group in sorted.chunk_by(|a, b| a == b) {
        let first = ranks.len() + 1;
        ranks.extend(std::iter::repeat_n(2 * first + group.len() - 1, group.len()));
    }
    ranks
}

/// Returns the doubled rank of each value, in the order of the values.
pub(super) fn doubled(values: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    let sorted: Vec<f64> = order.iter().map(|i| values[*i]).collect();
    let mut ranks = vec![0; values.len()];
    for (i, rank) in order.into_iter().zip(doubled_of_sorted(&sorted)) {
        ranks[i] = rank;
    }
    ranks
}

/// Returns the sum of t^3 - t over all groups of t equal values. It determines how much ties reduce the variance of
/// ranks.
pub(super) fn ties(values: &[f64]) -> f64 {
    let sorted = super::spread::sorted(values);
    sorted.chunk_by(|a, b| a == b).map(|group| group.len() as f64).map(|t| t * t * t - t).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_their_ranks() {
        let values = [3.0, -1.0, 3.0, 0.0, -0.0, 3.0];
        assert_eq!(doubled(&values), [10, 2, 10, 5, 5, 10]);
        assert_eq!(ties(&values), 24.0 + 6.0);
        assert!(doubled(&[]).is_empty());
    }
}

//! Adjustment of p values for multiple tests.

/// Returns the indices in the order of ascending p.
fn ascending(p: &[f64]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    order
}

/// Adjusts p values for multiple comparisons (Holm 1979), and returns them in the order of `p`. If tests with an
/// adjusted p below a level are rejected, the probability of any false rejection stays below this level.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![0.0; p.len()];
    let mut least = 0.0f64;
    for (rank, i) in ascending(p).into_iter().enumerate() {
        least = least.max((p.len() - rank) as f64 * p[i]).min(1.0);
        adjusted[i] = least;
    }
    adjusted
}

/// Adjusts p values for a limited false discovery rate (Benjamini and Hochberg 1995), and returns them in the order of
/// `p`. If tests with an adjusted p below a level are rejected, the expected share of false rejections stays below this
/// level.
pub fn benjamini_hochberg(p: &[f64]) -> Vec<f64> {
    let mut adjusted = vec![0.0; p.len()];
    let mut most = 1.0f64;
    for (rank, i) in ascending(p).into_iter().enumerate().rev() {
        most = most.min(p.len() as f64 / (rank + 1) as f64 * p[i]);
        adjusted[i] = most;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: &[f64], expected: &[f64]) {
        assert_eq!(found.len(), expected.len());
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}, not {expected:?}");
    }

    #[test]
    fn holm_adjusts_the_smallest_most() {
        close(&holm(&[0.04, 0.01, 0.03, 0.9]), &[0.09, 0.04, 0.09, 0.9]);
        close(&holm(&[0.6, 0.7]), &[1.0, 1.0]);
    }

    #[test]
    fn false_discoveries_are_counted_from_the_largest() {
        close(&benjamini_hochberg(&[0.04, 0.01, 0.03, 0.9]), &[0.16 / 3.0, 0.04, 0.16 / 3.0, 0.9]);
        close(&benjamini_hochberg(&[]), &[]);
    }
}

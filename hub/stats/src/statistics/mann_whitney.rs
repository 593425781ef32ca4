//! Mann-Whitney test: whether the values of one sample tend to be greater than those of another.

use super::rank::{doubled, doubled_of_sorted, ties};
use super::spread::sorted;
use super::tail::{normal_above, t_two_sided};
use serde::Serialize;

/// Maximum total size of two samples for the exact test.
const EXACT: usize = 120;

/// Comparison of a sample with a reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Comparison {
    /// Probability that a value of the sample is greater than a value of the reference, 0 to 1. Ties count half.
    pub superiority: f64,
    /// Two-sided p of the Mann-Whitney test.
    pub p: f64,
}

/// Values of two samples, their doubled ranks in ascending order, the size of the first sample, and the sum of the
/// doubled ranks of the first sample. Ranks are doubled because equal values may have ranks that end in one half.
struct Ranked {
    pooled: Vec<f64>,
    ranks: Vec<usize>,
    n: usize,
    sum: usize,
}

impl Ranked {
    /// Ranks two samples; `None` if either is empty or contains NaN.
    fn from_samples(sample: &[f64], reference: &[f64]) -> Option<Ranked> {
        let pooled = [sample, reference].concat();
        if sample.is_empty() || reference.is_empty() || pooled.iter().any(|x| x.is_nan()) {
            return None;
        }
        let n = sample.len();
        let sum = doubled(&pooled)[..n].iter().sum();
        let ranks = doubled_of_sorted(&sorted(&pooled));
        Some(Ranked { pooled, ranks, n, sum })
    }

    fn m(&self) -> usize {
        self.ranks.len() - self.n
    }

    /// Returns the probability of superiority. The minimum sum of the doubled ranks of n values is n (n + 1).
    fn superiority(&self) -> f64 {
        (self.sum - self.n * (self.n + 1)) as f64 / (2 * self.n * self.m()) as f64
    }

    fn with(&self, p: f64) -> Option<Comparison> {
        Some(Comparison { superiority: self.superiority(), p })
    }
}

/// Compares two samples by the Mann-Whitney rank test, without an assumption about the distribution. For up to 120
/// values in total, all arrangements are counted, so p is exact, also with ties. For more values, p is a close
/// approximation by Student's t of the ranks (Conover and Iman 1981). Returns `None` if either sample is empty or
/// contains NaN.
///
/// Without ties and for up to 120 values, p equals the p of SciPy's `mannwhitneyu(method="exact")`. With ties, p is the
/// share of all arrangements whose rank sum is at least as far from its mean. SciPy's `method=PermutationMethod()`
/// doubles the smaller tail instead. Both methods give the same p for samples of the same size. For more than 120
/// values, p equals the p of `ttest_ind(rankdata(...))`.
pub fn mann_whitney(sample: &[f64], reference: &[f64]) -> Option<Comparison> {
    let ranked = Ranked::from_samples(sample, reference)?;
    let Ranked { ranks, n, sum, .. } = &ranked;
    ranked.with(if ranks.len() <= EXACT { exact_p(ranks, *n, *sum) } else { rank_t_p(ranks, *n, *sum) })
}

/// Compares two samples like SciPy's `mannwhitneyu(method="exact")`, by counting all arrangements. Returns `None` in
/// the same cases as [`mann_whitney`]. Also returns `None` with ties, for which SciPy has no exact p, and for more than
/// 120 values, for which SciPy is slow.
pub fn mann_whitney_exact(sample: &[f64], reference: &[f64]) -> Option<Comparison> {
    let ranked = Ranked::from_samples(sample, reference)?;
    let Ranked { pooled, ranks, n, sum } = &ranked;
    if ties(pooled) > 0.0 || ranks.len() > EXACT {
        return None;
    }
    ranked.with(exact_p(ranks, *n, *sum))
}

/// Compares two samples like SciPy's `mannwhitneyu(method="asymptotic")`. This is a normal approximation with a
/// variance corrected for ties, and a continuity correction of half a pair. It is SciPy's default for samples with
/// ties, or with more than eight values each. Returns `None` in the same cases as [`mann_whitney`], and if all values
/// are equal.
pub fn mann_whitney_asymptotic(sample: &[f64], reference: &[f64]) -> Option<Comparison> {
    let ranked = Ranked::from_samples(sample, reference)?;
    let (n, m) = (ranked.n as f64, ranked.m() as f64);
    let (pairs, count) = (n * m, n + m);
    let variance = pairs / 12.0 * (count + 1.0 - ties(&ranked.pooled) / (count * (count - 1.0)));
    if variance <= 0.0 {
        return None;
    }
    let wins = ranked.superiority() * pairs;
    let z = (wins.max(pairs - wins) - pairs / 2.0 - 0.5) / variance.sqrt();
    ranked.with((2.0 * normal_above(z)).min(1.0))
}

/// Returns the share of all choices of `n` ranks whose sum is at least as far from the mean sum as `sum`.
fn exact_p(ranks: &[usize], n: usize, sum: usize) -> f64 {
    let total: usize = ranks.iter().sum();
    // choices[k][s] is the number of ways to choose k of the ranks processed so far with the sum s.
    let mut choices = vec![vec![0.0f64; total + 1]; n + 1];
    choices[0][0] = 1.0;
    for rank in ranks {
        for k in (1..=n).rev() {
            let (fewer, more) = choices.split_at_mut(k);
            let (from, to) = (&fewer[k - 1], &mut more[0]);
            for s in *rank..=total {
                to[s] += from[s - rank];
            }
        }
    }
    // Distances are compared as integers, because the mean sum is n * total / count.
    let distance = |s: usize| (s * ranks.len()).abs_diff(n * total);
    let all: f64 = choices[n].iter().sum();
    let far: f64 = (0..=total).filter(|s| distance(*s) >= distance(sum)).map(|s| choices[n][s]).sum();
    far / all
}

fn rank_t_p(ranks: &[usize], n: usize, sum: usize) -> f64 {
    let count = ranks.len() as f64;
    let (n, m) = (n as f64, count - n as f64);
    let mean = ranks.iter().sum::<usize>() as f64 / count;
    let squares: f64 = ranks.iter().map(|r| (*r as f64 - mean).powi(2)).sum();
    let (mine, theirs) = (sum as f64 / n, (mean * count - sum as f64) / m);
    let between = n * (mine - mean).powi(2) + m * (theirs - mean).powi(2);
    let within = squares - between;
    if within <= 0.0 {
        // All ranks of a sample are equal. If the two samples have different ranks, p is 0, otherwise 1.
        return if between > 0.0 { 0.0 } else { 1.0 };
    }
    t_two_sided((between / within * (count - 2.0)).sqrt(), count - 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, within: f64) {
        assert!((a - b).abs() <= within, "{a} and {b}");
    }

    #[test]
    fn rank_test_counts_arrangements() {
        // All three values of one sample are above all values of the other. 2 of the 20 arrangements are as extreme.
        let test = mann_whitney(&[4.0, 5.0, 6.0], &[1.0, 2.0, 3.0]).unwrap();
        close(test.p, 0.1, 1e-12);
        assert_eq!(test.superiority, 1.0);
        assert_eq!(mann_whitney_exact(&[4.0, 5.0, 6.0], &[1.0, 2.0, 3.0]), Some(test));
        // The first sample has the greater value in 9 pairs; the mean is 4.5 pairs. With the continuity correction, the
        // deviation is 4. The variance is 9 / 12 times 7.
        let normal = mann_whitney_asymptotic(&[4.0, 5.0, 6.0], &[1.0, 2.0, 3.0]).unwrap();
        close(normal.p, 2.0 * normal_above(4.0 / 5.25f64.sqrt()), 1e-12);
        // The samples are equal.
        assert_eq!(mann_whitney(&[1.0, 1.0], &[1.0, 1.0]).unwrap(), Comparison { superiority: 0.5, p: 1.0 });
        // With a tie, the sample has two of the ranks 1, 2.5, 2.5, 4, 5. Among the 10 sums only 4 + 5 differs by 3
        // from the mean 6.
        let test = mann_whitney(&[8.0, 9.0], &[1.0, 2.0, 2.0]).unwrap();
        close(test.p, 0.1, 1e-12);
        assert_eq!(mann_whitney(&[], &[1.0]), None);
    }

    #[test]
    fn approximations_agree_with_exact_test() {
        let sample: Vec<f64> = (0..40).map(|i| f64::from(i * 37 % 41) + 6.0).collect();
        let reference: Vec<f64> = (0..40).map(|i| f64::from(i * 29 % 41)).collect();
        let Ranked { ranks, n, sum, .. } = Ranked::from_samples(&sample, &reference).unwrap();
        let (exact, close_to) = (exact_p(&ranks, n, sum), rank_t_p(&ranks, n, sum));
        assert!((0.001..0.1).contains(&exact));
        close(exact, close_to, 0.003);
        close(exact, mann_whitney_asymptotic(&sample, &reference).unwrap().p, 0.003);
    }

    #[test]
    fn what_has_no_answer_has_none() {
        let some = [1.0, 2.0];
        assert_eq!(mann_whitney_exact(&some, &[2.0, 3.0]), None, "a tie");
        let many: Vec<f64> = (0..119).map(f64::from).collect();
        assert_eq!(mann_whitney_exact(&many, &[0.5, 1.5]), None);
        assert_eq!(mann_whitney_asymptotic(&[1.0, 1.0], &[1.0]), None);
        assert_eq!((mann_whitney_asymptotic(&[], &some), mann_whitney_exact(&some, &[])), (None, None));
        assert_eq!((mann_whitney(&some, &[f64::NAN]), mann_whitney_asymptotic(&[f64::NAN], &some)), (None, None));
    }
}

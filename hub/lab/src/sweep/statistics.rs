//! Statistics over seeds: intervals of a mean, and whether one setting's runs beat another's.

use crate::measure::mean_and_sd;
use serde::Serialize;
use statrs::distribution::{ContinuousCDF, StudentsT};

/// Largest two samples together whose rank test counts every arrangement.
const EXACT: usize = 120;

/// A sample in a few numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// Number of values.
    pub n: usize,
    /// Their mean.
    pub mean: f64,
    /// Standard deviation; none of a single value.
    pub sd: Option<f64>,
    /// Standard error of the mean; none of a single value.
    pub se: Option<f64>,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
}

impl Spread {
    /// Of a sample; none of an empty one.
    pub fn of(sample: &[f64]) -> Option<Spread> {
        let (min, max) = (sample.iter().copied().reduce(f64::min)?, sample.iter().copied().reduce(f64::max)?);
        let n = sample.len();
        let (mean, sd) = mean_and_sd(sample);
        let sd = (n > 1).then_some(sd);
        Some(Spread { n, mean, sd, se: sd.map(|sd| sd / (n as f64).sqrt()), min, max })
    }

    /// Half the width of the mean's 95 % confidence interval (Student's t), given [`student_t_975`] of n - 1 degrees
    /// of freedom.
    pub fn half_interval(&self, t: f64) -> Option<f64> {
        self.se.map(|se| t * se)
    }
}

/// The value below which a part of a sorted sample lies, on the line between its neighbours; NaN of an empty sample.
pub fn quantile(sorted: &[f64], part: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = part * last as f64;
    let (low, high) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    low + (high - low) * place.fract()
}

/// Probability that Student's t of so many degrees of freedom, which need not be whole, is above a value.
pub fn student_t_sf(t: f64, degrees: f64) -> f64 {
    StudentsT::new(0.0, 1.0, degrees).map_or(f64::NAN, |student| student.sf(t))
}

/// Student's distribution, for at least 1 degree of freedom.
fn student_t(degrees: usize) -> StudentsT {
    StudentsT::new(0.0, 1.0, degrees as f64).expect("at least 1 degree of freedom")
}

/// Student's t that 97.5 % of the distribution lie below, for at least 1 degree of freedom.
pub fn student_t_975(degrees: usize) -> f64 {
    student_t(degrees).inverse_cdf(0.975)
}

/// How a sample compares with a reference.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Comparison {
    /// Probability that a value of the sample beats one of the reference, ties counting half.
    pub superiority: f64,
    /// Two-sided p of the Mann-Whitney test.
    pub p: f64,
}

/// Compares two samples by the Mann-Whitney rank test, which supposes no distribution. Up to 120 values every
/// arrangement is counted, so p is exact, also with ties; beyond that Student's t of the ranks is close (Conover and
/// Iman 1981). None if either is empty.
pub fn mann_whitney(sample: &[f64], reference: &[f64]) -> Option<Comparison> {
    if sample.is_empty() || reference.is_empty() {
        return None;
    }
    let (n, m) = (sample.len(), reference.len());
    let mut pooled: Vec<(f64, bool)> = sample.iter().map(|x| (*x, true)).collect();
    pooled.extend(reference.iter().map(|x| (*x, false)));
    pooled.sort_by(|a, b| a.0.total_cmp(&b.0));
    let ranks = double_ranks(&pooled);
    let sum: usize = ranks.iter().zip(&pooled).filter(|(_, (_, mine))| *mine).map(|(rank, _)| rank).sum();
    let p = if n + m <= EXACT { exact_p(&ranks, n, sum) } else { rank_t_p(&ranks, n, sum) };
    // The least sum of doubled ranks is n (n + 1).
    let superiority = (sum - n * (n + 1)) as f64 / (2 * n * m) as f64;
    Some(Comparison { superiority, p })
}

/// Twice the rank of each value of a sorted list: equal values share the mean of their ranks, so twice it is whole.
fn double_ranks(sorted: &[(f64, bool)]) -> Vec<usize> {
    let mut ranks = Vec::with_capacity(sorted.len());
    for group in sorted.chunk_by(|a, b| a.0 == b.0) {
        let first = ranks.len() + 1;
        ranks.extend(std::iter::repeat_n(2 * first + group.len() - 1, group.len()));
    }
    ranks
}

/// The part of all choices of `n` ranks whose sum is at least as far from its mean as `sum`.
fn exact_p(ranks: &[usize], n: usize, sum: usize) -> f64 {
    let total: usize = ranks.iter().sum();
    // choices[k][s]: probability weight of choosing k of the ranks so far with the sum s.
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
    // Compared as whole numbers: the mean sum is n * total / count.
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
        // Nothing varies but the group, or nothing at all.
        return if between > 0.0 { 0.0 } else { 1.0 };
    }
    let t = (between / within * (count - 2.0)).sqrt();
    2.0 * student_t(ranks.len() - 2).sf(t)
}

/// The p values as they count when several comparisons are made at once (Holm 1979), in the same order.
pub fn holm(p: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..p.len()).collect();
    order.sort_by(|a, b| p[*a].total_cmp(&p[*b]));
    let mut adjusted = vec![0.0; p.len()];
    let mut least = 0.0f64;
    for (rank, i) in order.into_iter().enumerate() {
        least = least.max((p.len() - rank) as f64 * p[i]).min(1.0);
        adjusted[i] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, within: f64) {
        assert!((a - b).abs() <= within, "{a} and {b}");
    }

    #[test]
    fn students_t_is_that_of_the_tables() {
        // By bisection of the finite series of Abramowitz and Stegun 26.7.3 and 26.7.4.
        let known = [
            (1, 12.706_204_736_175),
            (2, 4.302_652_729_749),
            (3, 3.182_446_305_284),
            (9, 2.262_157_162_798),
            (19, 2.093_024_054_408),
            (10_000, 1.960_201_239_891),
        ];
        for (degrees, t) in known {
            close(student_t_975(degrees), t, 1e-10);
            close(2.0 * student_t(degrees).sf(t), 0.05, 1e-11);
        }
    }

    #[test]
    fn a_spread_of_known_numbers() {
        let spread = Spread::of(&[2.0, 4.0, 4.0, 6.0]).unwrap();
        assert_eq!((spread.n, spread.mean, spread.min, spread.max), (4, 4.0, 2.0, 6.0));
        close(spread.sd.unwrap(), (8.0f64 / 3.0).sqrt(), 1e-12);
        close(spread.half_interval(student_t_975(3)).unwrap(), 3.182_446 * (8.0f64 / 12.0).sqrt(), 1e-6);
        assert_eq!((Spread::of(&[]), Spread::of(&[1.0]).unwrap().se), (None, None));
    }

    #[test]
    fn quantiles_lie_between_neighbours() {
        let sorted = [1.0, 2.0, 4.0, 8.0];
        let found = [0.0, 0.25, 0.5, 0.9, 1.0].map(|part| quantile(&sorted, part));
        for (found, expected) in found.into_iter().zip([1.0, 1.75, 3.0, 6.8, 8.0]) {
            close(found, expected, 1e-12);
        }
        assert_eq!(quantile(&[3.0], 0.5), 3.0);
        assert!(quantile(&[], 0.5).is_nan());
    }

    #[test]
    fn the_rank_test_counts_arrangements() {
        // All of three above all of three: 2 of the 20 arrangements are as extreme.
        let test = mann_whitney(&[4.0, 5.0, 6.0], &[1.0, 2.0, 3.0]).unwrap();
        close(test.p, 0.1, 1e-12);
        assert_eq!(test.superiority, 1.0);
        // Equal samples; and the same values in other places.
        assert_eq!(mann_whitney(&[1.0, 1.0], &[1.0, 1.0]).unwrap(), Comparison { superiority: 0.5, p: 1.0 });
        // With a tie, two of the ranks 1, 2.5, 2.5, 4, 5: of the 10 sums only 4 + 5 is 3 from the mean 6.
        let test = mann_whitney(&[8.0, 9.0], &[1.0, 2.0, 2.0]).unwrap();
        close(test.p, 0.1, 1e-12);
        assert_eq!(mann_whitney(&[], &[1.0]), None);
    }

    #[test]
    fn the_approximation_meets_the_exact_test() {
        let sample: Vec<f64> = (0..40).map(|i| f64::from(i * 37 % 41) + 6.0).collect();
        let reference: Vec<f64> = (0..40).map(|i| f64::from(i * 29 % 41)).collect();
        let mut pooled: Vec<(f64, bool)> = sample.iter().map(|x| (*x, true)).collect();
        pooled.extend(reference.iter().map(|x| (*x, false)));
        pooled.sort_by(|a, b| a.0.total_cmp(&b.0));
        let ranks = double_ranks(&pooled);
        let sum = ranks.iter().zip(&pooled).filter(|(_, (_, mine))| *mine).map(|(rank, _)| rank).sum();
        let (exact, close_to) = (exact_p(&ranks, 40, sum), rank_t_p(&ranks, 40, sum));
        assert!((0.001..0.1).contains(&exact));
        close(exact, close_to, 0.003);
    }

    #[test]
    fn holm_adjusts_the_smallest_most() {
        let adjusted = holm(&[0.04, 0.01, 0.03, 0.9]);
        for (a, b) in adjusted.iter().zip([0.09, 0.04, 0.09, 0.9]) {
            close(*a, b, 1e-12);
        }
    }
}

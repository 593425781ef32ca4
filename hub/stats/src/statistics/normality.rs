//! Shapiro-Wilk test: whether a sample may come from a normal distribution.

use super::{finite, spread::sorted};
use serde::Serialize;

/// Result of a test of normality.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Normality {
    /// W: squared correlation of the sample with normal order statistics, at most 1.
    pub w: f64,
    /// Probability that a sample of a normal distribution has a W at most as great as this one.
    pub p: f64,
}

/// Computes the Shapiro-Wilk test with Royston's approximations (AS R94, Applied Statistics 44, 1995). Like Royston and
/// SciPy, this function computes the normal distribution by AS 66 and AS 111, so that its digits agree with SciPy.
/// Returns `None` for fewer than 3 or more than 5000 values, and for a constant sample.
pub fn shapiro_wilk(sample: &[f64]) -> Option<Normality> {
    let n = sample.len();
    if !(3..=5000).contains(&n) || !finite(sample) {
        return None;
    }
    // W does not depend on a shift of the sample. The shift by a sample value reduces rounding errors.
    let x = sorted(&sample.iter().map(|x| x - sample[n / 2]).collect::<Vec<f64>>());
    let range = x[n - 1] - x[0];
    if !(range >= 1e-19 && range.is_finite()) {
        return None;
    }
    let x: Vec<f64> = x.iter().map(|x| x / range).collect();
    let half = weights(n);
    let a: Vec<f64> =
        (0..n).map(|i| if i < n / 2 { -half[i] } else { half.get(n - 1 - i).map_or(0.0, |a| *a) }).collect();
    let short = one_minus_squared_correlation(&a, &x);
    if n == 3 {
        // W of three values is at least 3 / 4, and p is exact.
        let w = (1.0 - short).max(0.75);
        let p = if 1.0 - short < 0.75 { 0.0 } else { 1.0 - 6.0 / std::f64::consts::PI * w.sqrt().acos() };
        return Some(Normality { w, p });
    }
    let p = normal_score(short, n).map_or(1e-19, upper_normal);
    Some(Normality { w: 1.0 - short, p })
}

/// Returns the weights of the upper half of the sorted sample, the weight of the greatest value first. The weights of
/// the lower half are the same with a negative sign.
fn weights(n: usize) -> Vec<f64> {
    if n == 3 {
        return vec![std::f64::consts::FRAC_1_SQRT_2];
    }
    let scores: Vec<f64> = (1..=n / 2).map(|i| -normal_quantile((i as f64 - 0.375) / (n as f64 + 0.25))).collect();
    let squares = 2.0 * scores.iter().map(|m| m * m).sum::<f64>();
    let root = 1.0 / (n as f64).sqrt();
    // Polynomials correct the weights of the one or two outermost values. All other weights remain proportional to
    // their scores.
    let first =
        scores[0] / squares.sqrt() + polynomial(&[0.0, 0.221157, -0.147981, -2.07119, 4.434685, -2.706056], root);
    let mut corrected = vec![first];
    if n > 5 {
        let terms = [0.0, 0.042981, -0.293762, -1.752461, 5.682633, -3.582633];
        corrected.push(scores[1] / squares.sqrt() + polynomial(&terms, root));
    }
    let taken = |values: &[f64]| 2.0 * values.iter().map(|v| v * v).sum::<f64>();
    let scale = ((1.0 - taken(&corrected)) / (squares - taken(&scores[..corrected.len()]))).sqrt();
    let others: Vec<f64> = scores[corrected.len()..].iter().map(|m| m * scale).collect();
    [corrected, others].concat()
}

/// Returns one minus the squared correlation of `a` and `x`, without cancellation for a correlation near 1.
fn one_minus_squared_correlation(a: &[f64], x: &[f64]) -> f64 {
    let n = x.len() as f64;
    let (mean_a, mean_x) = (a.iter().sum::<f64>() / n, x.iter().sum::<f64>() / n);
    let (mut aa, mut xx, mut ax) = (0.0, 0.0, 0.0);
    for (a, x) in a.iter().zip(x) {
        let (a, x) = (a - mean_a, x - mean_x);
        aa += a * a;
        xx += x * x;
        ax += a * x;
    }
    let norm = (aa * xx).sqrt();
    (norm - ax) * (norm + ax) / (aa * xx)
}

/// Transforms `short` (1 - W) for a sample of `n` values to a nearly standard normal score. Returns `None` if W is too
/// small for a score.
fn normal_score(short: f64, n: usize) -> Option<f64> {
    let (size, log_size, y) = (n as f64, (n as f64).ln(), short.ln());
    if n <= 11 {
        let bound = polynomial(&[-2.273, 0.459], size);
        let mean = polynomial(&[0.544, -0.39978, 0.025054, -0.0006714], size);
        let sd = polynomial(&[1.3822, -0.77857, 0.062767, -0.0020322], size).exp();
        (y < bound).then(|| (-(bound - y).ln() - mean) / sd)
    } else {
        let mean = polynomial(&[-1.5861, -0.31082, -0.083751, 0.0038915], log_size);
        let sd = polynomial(&[-0.4803, -0.082676, 0.0030302], log_size).exp();
        Some((y - mean) / sd)
    }
}

/// Evaluates a polynomial at `x`. The first of its `terms` is the constant.
fn polynomial(terms: &[f64], x: f64) -> f64 {
    terms.iter().rev().fold(0.0, |sum, term| sum * x + term)
}

/// Returns the standard normal quantile by AS 111 (Beasley and Springer 1977). The error is about 1e-8 in the centre,
/// and about 1e-5 at p = 1e-9.
fn normal_quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.42 {
        let above = [2.50662823884, -18.61500062529, 41.39119773534, -25.44106049637];
        let below = [1.0, -8.4735109309, 23.08336743743, -21.06224101826, 3.13082909833];
        return q * polynomial(&above, q * q) / polynomial(&below, q * q);
    }
    let r = (-p.min(1.0 - p).ln()).sqrt();
    let above = [-2.78718931138, -2.29796479134, 4.85014127135, 2.32121276858];
    let tail = polynomial(&above, r) / polynomial(&[1.0, 3.54388924762, 1.63706781897], r);
    tail.copysign(q)
}

/// Returns the probability that a standard normal variable is greater than `z`, by AS 66 (Hill 1973). The error is
/// about 1e-9.
fn upper_normal(z: f64) -> f64 {
    let (x, y) = (z.abs(), z * z / 2.0);
    let above = if x > 38.0 {
        0.0
    } else if x <= 1.28 {
        let inner = y + 5.92885724438;
        let middle = y + 2.62433121679 + 48.6959930692 / inner;
        let outer = y + 5.75885480458 - 29.8213557808 / middle;
        0.5 - x * (0.398942280444 - 0.399903438504 * y / outer)
    } else {
        // A continued fraction is evaluated from its end. The first number of each pair is added to x, and the second
        // number is divided by the sum.
        let pairs = [
            (3.99019417011, 30.789933034),
            (0.742380924027, -15.1508972451),
            (4.8385912808, 5.29330324926),
            (-0.151679116635, 1.98615381364),
            (3.98064794e-4, 1.00000615302),
        ];
        let fraction = pairs.iter().fold(0.0, |rest, (added, divided)| divided / (x + added + rest));
        0.398942280385 * (-y).exp() / (x - 3.8052e-8 + fraction)
    };
    if z > 0.0 { above } else { 1.0 - above }
}

#[cfg(test)]
mod tests {
    use super::super::tail::normal_above;
    use super::*;

    #[test]
    fn approximations_agree_with_normal_distribution() {
        for i in -60..=60 {
            let z = f64::from(i) / 10.0;
            assert!((upper_normal(z) - normal_above(z)).abs() < 2e-9, "{z}");
            if (-40..=40).contains(&i) {
                assert!((normal_quantile(normal_above(-z)) - z).abs() < 1e-5, "{z}");
            }
        }
    }

    #[test]
    fn shapiro_wilk_matches_published_tables() {
        // Shapiro and Wilk 1965, example 1: weights of eleven men, W = 0.79.
        let men = [148.0, 154.0, 158.0, 160.0, 161.0, 162.0, 166.0, 170.0, 182.0, 195.0, 236.0];
        let found = shapiro_wilk(&men).unwrap();
        assert!((found.w - 0.79).abs() < 0.005 && (0.003..0.01).contains(&found.p), "{found:?}");
        // The weights form a unit vector.
        for n in [3, 4, 5, 6, 11, 12, 500] {
            let squares = 2.0 * weights(n).iter().map(|a| a * a).sum::<f64>();
            assert!((squares - 1.0).abs() < 1e-12, "{n}: {squares}");
        }
        // Three evenly spaced values have the maximum W.
        let found = shapiro_wilk(&[1.0, 2.0, 3.0]).unwrap();
        assert!((found.w - 1.0).abs() < 1e-12 && (found.p - 1.0).abs() < 1e-6, "{found:?}");
        let found = shapiro_wilk(&[0.0, 0.0, 1.0]).unwrap();
        assert!((found.w - 0.75).abs() < 1e-12 && found.p < 1e-6, "{found:?}");
        // Shift, scale and order of the sample have no effect.
        let other: Vec<f64> = men.iter().rev().map(|x| 3.0 * x - 1000.0).collect();
        assert!((shapiro_wilk(&other).unwrap().p - shapiro_wilk(&men).unwrap().p).abs() < 1e-12);
    }

    #[test]
    fn what_has_no_answer_has_none() {
        assert_eq!(
            (shapiro_wilk(&[1.0, 2.0]), shapiro_wilk(&[0.3; 9]), shapiro_wilk(&[1.0, f64::NAN, 2.0])),
            (None, None, None)
        );
        let many: Vec<f64> = (0..5001).map(f64::from).collect();
        assert!(shapiro_wilk(&many).is_none() && shapiro_wilk(&many[..5000]).is_some());
    }
}

//! Comparison of all functions with SciPy and NumPy on the same numbers.

use super::correlation::{pearson, spearman};
use super::density::Density;
use super::effect::{cliffs_delta, cohens_d};
use super::mann_whitney::{mann_whitney, mann_whitney_asymptotic, mann_whitney_exact};
use super::multi_sample::{kruskal_wallis, levene};
use super::multiple::{benjamini_hochberg, holm};
use super::t::{TTest, one_sample, paired, student, welch};
use super::{fit, interval, line, normality};
use crate::python;
use serde_json::{Value, json};
use xpuck_kernels::random::{Draws, Stream, normal_pair};

/// Case for the Python script, and this crate's result for the case.
type Case = (Value, Vec<f64>);

/// Generator of samples of several distributions from one seed. The number counts the samples, and selects the random
/// numbers of each sample.
struct Samples(u32);

impl Samples {
    fn draws(&mut self) -> Draws {
        self.0 += 1;
        Draws::new(20_261, self.0, 0, 0, Stream::Device)
    }

    fn normal(&mut self, n: usize, mean: f64, sd: f64) -> Vec<f64> {
        let mut draws = self.draws();
        (0..n).map(|_| mean + sd * f64::from(normal_pair(draws.word(), draws.word()).0)).collect()
    }

    /// Returns a sample of a log-normal distribution.
    fn skewed(&mut self, n: usize) -> Vec<f64> {
        self.normal(n, 0.0, 0.8).into_iter().map(f64::exp).collect()
    }

    /// Returns random whole numbers below `most`, with many ties.
    fn tied(&mut self, n: usize, most: u32) -> Vec<f64> {
        let mut draws = self.draws();
        (0..n).map(|_| f64::from(draws.below(most))).collect()
    }

    /// Returns pairs of samples of several sizes and distributions, with and without ties.
    fn pairs(&mut self) -> Vec<(Vec<f64>, Vec<f64>)> {
        let mut pairs = Vec::new();
        for (n, m) in [(2, 2), (3, 5), (8, 8), (18, 24), (40, 7), (55, 60), (150, 90)] {
            pairs.push((self.normal(n, 0.1, 0.05), self.normal(m, 0.12, 0.02)));
            pairs.push((self.skewed(n), self.normal(m, 1.5, 0.7)));
            let (mut few, mut others) = (self.tied(n, 6), self.tied(m, 7));
            (few[0], others[0]) = (9.0, 11.0);
            pairs.push((few, others));
        }
        pairs
    }
}

fn of_t(test: TTest) -> Vec<f64> {
    vec![test.difference, test.t, test.degrees, test.p, test.interval[0], test.interval[1]]
}

fn two_samples(samples: &mut Samples) -> Vec<Case> {
    let mut cases = Vec::new();
    for (x, y) in samples.pairs() {
        let mut case = |kind: &str, ours: Vec<f64>| cases.push((json!({ "kind": kind, "x": x, "y": y }), ours));
        case("student", of_t(student(&x, &y).unwrap()));
        case("welch", of_t(welch(&x, &y).unwrap()));
        case("cohen", vec![cohens_d(&x, &y).unwrap()]);
        case("cliff", vec![cliffs_delta(&x, &y).unwrap()]);
        let normal = mann_whitney_asymptotic(&x, &y).unwrap();
        case("asymptotic", vec![normal.superiority, normal.p]);
        let ours = mann_whitney(&x, &y).unwrap();
        if let Some(exact) = mann_whitney_exact(&x, &y) {
            assert_eq!(exact, ours);
            case("exact", vec![exact.superiority, exact.p]);
        }
        if x.len() + y.len() > 120 {
            case("rank t", vec![ours.p]);
        } else if x.len() + y.len() <= 16 {
            case("every arrangement", vec![ours.p]);
        }
        if x.len() == y.len() && x.len() <= 5 {
            case("permutations", vec![ours.superiority, ours.p]);
        }
        let one = &y[..1];
        cases.push((json!({ "kind": "student", "x": x, "y": one }), of_t(student(&x, one).unwrap())));
        cases.push((json!({ "kind": "student", "x": one, "y": x }), of_t(student(one, &x).unwrap())));
    }
    let (x, y) = (samples.tied(5, 4), samples.tied(5, 6));
    let ours = mann_whitney(&x, &y).unwrap();
    cases.push((json!({ "kind": "permutations", "x": x, "y": y }), vec![ours.superiority, ours.p]));
    cases
}

fn one_and_paired(samples: &mut Samples) -> Vec<Case> {
    let mut cases = Vec::new();
    for n in [3, 4, 5, 6, 7, 11, 12, 20, 50, 333, 5000] {
        for x in [samples.normal(n, 5.0, 2.0), samples.skewed(n), samples.tied(n, 30)] {
            let found = normality::shapiro_wilk(&x).unwrap();
            cases.push((json!({ "kind": "shapiro", "x": x }), vec![found.w, found.p]));
            if n > 1000 {
                continue;
            }
            cases.push((json!({ "kind": "one sample", "x": x, "mean": 1.3 }), of_t(one_sample(&x, 1.3).unwrap())));
            for level in [0.5, 0.95, 0.99] {
                let found = interval::of_mean(&x, level).unwrap();
                cases.push((json!({ "kind": "mean interval", "x": x, "level": level }), found.to_vec()));
                if let Some(found) = interval::of_median(&x, level) {
                    cases.push((json!({ "kind": "median interval", "x": x, "level": level }), found.to_vec()));
                }
            }
            let at: Vec<f64> = (-2..12).map(f64::from).collect();
            let density = Density::from_sample(&x).unwrap();
            let ours = at.iter().map(|x| density.at(*x)).collect();
            cases.push((json!({ "kind": "density", "x": x, "at": at }), ours));

            let noise = samples.normal(n, 0.3, 1.0);
            let y: Vec<f64> = x.iter().zip(noise).map(|(x, noise)| 0.6 * x + noise).collect();
            let mut case = |kind: &str, ours: Vec<f64>| cases.push((json!({ "kind": kind, "x": x, "y": y }), ours));
            case("paired", of_t(paired(&x, &y).unwrap()));
            let (linear, ranked) = (pearson(&x, &y).unwrap(), spearman(&x, &y).unwrap());
            case("pearson", vec![linear.r, linear.p]);
            case("spearman", vec![ranked.r, ranked.p]);
            let fit = line::line(&x, &y).unwrap();
            let errors = [fit.slope_se, fit.intercept_se, fit.p, fit.crossing().unwrap()];
            case("line", [&[fit.slope, fit.intercept], &errors[..]].concat());
        }
    }
    cases
}

fn several_and_fits(samples: &mut Samples) -> Vec<Case> {
    let mut cases = Vec::new();
    for sizes in [vec![3, 3], vec![5, 9, 4], vec![30, 1, 22, 47], vec![200; 6]] {
        for shape in 0..3 {
            let sample = |n: &usize| match shape {
                0 => samples.normal(*n, 1.0, 0.4),
                1 => samples.skewed(*n),
                _ => samples.tied(*n, 5),
            };
            let groups: Vec<Vec<f64>> = sizes.iter().map(sample).collect();
            let slices: Vec<&[f64]> = groups.iter().map(Vec::as_slice).collect();
            for (kind, found) in [("kruskal", kruskal_wallis(&slices)), ("levene", levene(&slices))] {
                let found = found.unwrap();
                cases.push((json!({ "kind": kind, "groups": groups }), vec![found.statistic, found.p]));
            }
        }
    }
    for n in [1, 2, 9, 40] {
        let p: Vec<f64> = samples.normal(n, 0.0, 1.0).iter().map(|z| (-z * z).exp() / 2.0).collect();
        cases.push((json!({ "kind": "holm", "p": p }), holm(&p)));
        cases.push((json!({ "kind": "hochberg", "p": p }), benjamini_hochberg(&p)));
    }
    for (n, order) in [(3, 1), (8, 2), (30, 3), (200, 5)] {
        let (x, noise) = (samples.normal(n, 1.0, 2.0), samples.normal(n, 0.0, 0.5));
        let y: Vec<f64> = x.iter().zip(noise).map(|(x, noise)| x * x - 3.0 * x + noise).collect();
        let found = fit::polynomial(&x, &y, order).unwrap();
        let at = [-2.5, 0.1, 1.0, 4.0];
        let ours = [found.coefficients(), at.map(|x| found.at(x)).to_vec(), vec![found.residual]].concat();
        cases.push((json!({ "kind": "polynomial", "x": x, "y": y, "order": order, "at": at }), ours));
    }
    cases
}

#[test]
fn all_are_those_of_scipy() {
    let mut samples = Samples(0);
    let mut cases = two_samples(&mut samples);
    cases.extend(one_and_paired(&mut samples));
    cases.extend(several_and_fits(&mut samples));
    let asked: Vec<&Value> = cases.iter().map(|(case, _)| case).collect();
    let Some(answers) = python::run(include_str!("check.py"), &json!(asked)) else { return };
    let answers = answers.as_array().unwrap();
    assert_eq!(answers.len(), cases.len());
    let mut wrong = Vec::new();
    for ((case, ours), theirs) in cases.iter().zip(answers) {
        let theirs = python::numbers(theirs);
        // If two rankings agree perfectly, p is 0 except for a rounding error.
        let close = |a: &f64, b: &f64| (a - b).abs() <= 1e-9 * b.abs() + 1e-22;
        if ours.len() != theirs.len() || !ours.iter().zip(&theirs).all(|(a, b)| close(a, b)) {
            let size = case["x"].as_array().map_or(0, Vec::len);
            wrong.push(format!("{} of {size}: {ours:?}, not {theirs:?}", case["kind"]));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

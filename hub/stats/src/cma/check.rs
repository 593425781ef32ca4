//! Comparison of this CMA-ES with the Python package `cma`.

use super::{Limits, Parameters, Stop, Strategy, minimise};
use crate::python::{self, numbers};
use serde_json::{Value, json};

const SCRIPT: &str = include_str!("check.py");

fn ask(questions: Vec<Value>) -> Option<Vec<Value>> {
    Some(python::run(SCRIPT, &json!(questions))?.as_array().unwrap().clone())
}

/// Builds a question for check.py: the name of its task, and the fields of all `objects`.
fn asked(task: &str, objects: &[Value]) -> Value {
    let fields = objects.iter().flat_map(|object| object.as_object().unwrap().clone());
    Value::Object(fields.chain([("task".into(), task.into())]).collect())
}

fn close(ours: &[f64], theirs: &[f64], what: &str) {
    let scale = theirs.iter().fold(0.0f64, |most, x| most.max(x.abs()));
    let same = ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(a, b)| (a - b).abs() <= 1e-9 * scale);
    assert!(same, "{what}: {ours:?}, not {theirs:?}");
}

#[test]
fn parameters_are_those_of_cma() {
    let cases = [2, 4, 10, 16, 40].into_iter().flat_map(|n| [(n, false), (n, true)]);
    let question = |(n, active): (usize, bool)| json!({ "task": "parameters", "n": n, "active": active });
    let Some(answers) = ask(cases.clone().map(question).collect()) else { return };
    for ((n, active), theirs) in cases.zip(answers) {
        let ours = Parameters::new(n, None, active).unwrap();
        close(&ours.weights, &numbers(&theirs["weights"]), "weights");
        // The package adds 3 in the denominator of c_sigma, where the tutorial adds 5, and limits c_sigma to 0.5.
        let cs = ((ours.mu_eff + 2.0) / (n as f64 + ours.mu_eff + 3.0)).min(0.5);
        for (what, ours) in [
            ("mueff", ours.mu_eff),
            ("damps less cs", ours.d_sigma - ours.c_sigma),
            ("cs", cs),
            ("cc", ours.c_c),
            ("c1", ours.c_1),
            ("cmu", ours.c_mu),
            ("chiN", ours.chi_n),
        ] {
            close(&[ours], &[theirs[what].as_f64().unwrap()], &format!("{what} of {n}"));
        }
    }
}

#[test]
fn updates_are_those_of_cma() {
    let mut cases = Vec::new();
    for n in [2, 4, 10] {
        for active in [false, true] {
            // With a small initial step size, the evolution paths grow until the path of the rank-one update stalls.
            for sigma in [0.4, 0.002] {
                cases.extend(["sphere", "ellipsoid", "rosenbrock"].map(|function| (n, active, function, sigma)));
            }
        }
    }
    let question = |(n, active, function, sigma): &(usize, bool, &str, f64)| {
        let Parameters { c_sigma, d_sigma, .. } = Parameters::new(*n, None, *active).unwrap();
        let start = json!({ "n": n, "active": active, "function": function, "sigma": sigma });
        asked("updates", &[start, json!({ "cs": c_sigma, "damps": d_sigma })])
    };
    let Some(answers) = ask(cases.iter().map(question).collect()) else { return };
    let mut stalls = 0;
    for ((n, active, function, sigma), theirs) in cases.into_iter().zip(answers) {
        let parameters = Parameters::new(n, None, active).unwrap();
        let mut ours = Strategy::new(parameters, vec![0.7; n], sigma, 0).unwrap();
        let theirs = theirs.as_array().unwrap();
        assert_eq!(theirs.len(), 20);
        for (i, generation) in theirs.iter().enumerate() {
            let points: Vec<Vec<f64>> = generation["points"].as_array().unwrap().iter().map(numbers).collect();
            ours.tell(&points, &numbers(&generation["values"])).unwrap();
            let what = |of: &str| format!("{of} of {function} of {n}, active {active}, generation {}", i + 1);
            close(ours.mean(), &numbers(&generation["mean"]), &what("mean"));
            close(&[ours.sigma()], &[generation["sigma"].as_f64().unwrap()], &what("sigma"));
            close(ours.path(), &numbers(&generation["path"]), &what("path"));
            let covariance: Vec<f64> = generation["covariance"].as_array().unwrap().iter().flat_map(numbers).collect();
            close(&ours.covariance().concat(), &covariance, &what("covariance"));
            stalls += u32::from(generation["stalls"].as_bool().unwrap());
        }
    }
    assert!((10..500).contains(&stalls), "{stalls} generations with a path that stalled");
}

fn sphere(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum()
}

fn ellipsoid(x: &[f64]) -> f64 {
    let last = (x.len() - 1) as f64;
    x.iter().enumerate().map(|(i, x)| 10f64.powf(6.0 * i as f64 / last) * x * x).sum()
}

fn rosenbrock(x: &[f64]) -> f64 {
    x.windows(2).map(|x| 100.0 * (x[1] - x[0] * x[0]).powi(2) + (1.0 - x[0]).powi(2)).sum()
}

/// Test function, with the initial mean and step size of its runs.
#[derive(Clone, Copy)]
struct Start {
    name: &'static str,
    f: fn(&[f64]) -> f64,
    mean: f64,
    sigma: f64,
}

const STARTS: [Start; 3] = [
    Start { name: "sphere", f: sphere, mean: 2.0, sigma: 1.0 },
    Start { name: "ellipsoid", f: ellipsoid, mean: 1.0, sigma: 0.5 },
    Start { name: "rosenbrock", f: rosenbrock, mean: 0.0, sigma: 0.3 },
];

/// Returns the median of evaluation counts. The count of a failed run is `u64::MAX`.
fn median(mut counts: Vec<u64>) -> f64 {
    counts.sort_unstable();
    counts[counts.len() / 2] as f64
}

fn our_evaluations(n: usize, active: bool, start: Start, seeds: u64) -> f64 {
    let limits = Limits { target: Some(1e-8), ..Limits::default() };
    let run = |seed: u64| {
        let parameters = Parameters::new(n, None, active).unwrap();
        let strategy = Strategy::new(parameters, vec![start.mean; n], start.sigma, seed).unwrap();
        let evaluate = |points: &[Vec<f64>]| points.iter().map(|x| (start.f)(x)).collect();
        let found = minimise(strategy, None, &limits, evaluate).unwrap();
        if found.stop == Stop::Target { found.evaluations } else { u64::MAX }
    };
    median((1..=seeds).map(run).collect())
}

#[test]
fn runs_take_as_long_as_those_of_cma() {
    const SEEDS: u64 = 11;
    let cases: Vec<(usize, Start)> = [4, 10].into_iter().flat_map(|n| STARTS.map(|start| (n, start))).collect();
    let question = |(n, Start { name, mean, sigma, .. }): &(usize, Start)| {
        let run = json!({ "mean": mean, "sigma": sigma, "seeds": SEEDS });
        asked("evaluations", &[json!({ "n": n, "active": false, "function": name }), run])
    };
    let Some(answers) = ask(cases.iter().map(question).collect()) else { return };
    for ((n, start), theirs) in cases.into_iter().zip(answers) {
        let ours = our_evaluations(n, false, start, SEEDS);
        let theirs =
            median(theirs.as_array().unwrap().iter().map(|count| count.as_u64().unwrap_or(u64::MAX)).collect());
        // A much lower count than that of the package would also indicate an error.
        let name = start.name;
        assert!((1.0 / 1.2..=1.2).contains(&(ours / theirs)), "{name} of {n}: {ours} evaluations, cma {theirs}");
    }
}

/// Compares median evaluation counts with recorded maxima, to detect changes of the strategy on machines without
/// Python.
#[test]
fn runs_take_as_long_as_ever() {
    for (start, most) in STARTS.into_iter().zip([1700.0, 6500.0, 6900.0]) {
        for active in [false, true] {
            let found = our_evaluations(10, active, start, 5);
            assert!((most / 2.0..most).contains(&found), "{} took {found} evaluations", start.name);
        }
    }
}

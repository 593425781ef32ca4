//! Bodies in third-party simulators. PyBullet and MuJoCo load the exported files, and ROS's checker accepts them.
//! Bodies walk as far in PyBullet as in this project's physics.

use crate::common::{said, xpuck};
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use xpuck_bodies::urdf::{self, Dialect};
use xpuck_bodies::variation::{MutationRules, random_body};
use xpuck_bodies::{Brain, EvaluationConditions, Part, Plan, Prif, Rhythm, Start, evaluate};
use xpuck_kernels::random::{Draws, Stream};

const HERE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/guests/simulators");
/// Body with every class of parts, every direction, every axis, and chains of parts.
const ALL_KINDS: &str = "(CPG(0), [FRONT, 1, X], {
    LEFT: (B(1), [LEFT, 2, X], {TOP: (FS(2), [TOP, 1, Y], None)}), RIGHT: (S(3), [RIGHT, 3, Y], {BACK: (F(4), [BACK, 1, Z], None)}),
    TOP: (F(5), [TOP, 2, Z], {FRONT: (S(6), [FRONT, 1, Z], None)}), BOTTOM: (B(7), [BOTTOM, 1, Z], None)})";

/// Returns the path of a Python with the simulators, from `XPUCK_BODIES_PYTHON`. If the variable is not set, reports
/// that the test is skipped and returns `None`.
fn python() -> Option<String> {
    let named = std::env::var("XPUCK_BODIES_PYTHON").ok();
    if named.is_none() {
        xpuck_testing::skipped("no simulator of others loads the bodies (make deps-bodies)");
    }
    named
}

/// Makes a random body by `mutations` mutations. Returns the body, its plan and a random brain. `number` selects the
/// sequence of random numbers.
fn random(number: u32, mutations: u32) -> (Prif, Plan, Brain) {
    let mut draws = Draws::new(28, number, 0, 0, Stream::Evolution);
    let prif = random_body(mutations, MutationRules::Readme, &mut draws);
    let plan = Plan::new(&prif).unwrap();
    let brain = Brain::random(&plan, &mut draws);
    (prif, plan, brain)
}

/// Returns the parts of a plan in the output format of `load.py`. `speed` is the speed limit of a joint, or `None` for
/// a simulator that does not report it.
fn parts(plan: &Plan, speed: Option<f64>) -> Value {
    let root = plan.parts()[0].cell;
    let told = plan.parts().iter().map(|part| {
        let off = [0, 1, 2].map(|k| f64::from(part.cell[k] - root[k]));
        let mut axis = [0.0; 3];
        axis[part.axis.index()] = 1.0;
        let axis = (part.parent.is_some() && part.part.turns()).then_some(axis);
        let parent = part.parent.map(|parent| format!("p{}", plan.parts()[parent].name));
        let (torque, speed) = (axis.map(|_| 25.0), axis.and(speed));
        (format!("p{}", part.name), json!([1.0, vec![1.0 / 6.0; 3], off, parent, axis, torque, speed]))
    });
    Value::Object(told.collect())
}

/// Returns the largest difference between the numbers of two JSON values. Returns infinity if any other content
/// differs.
fn apart(a: &Value, b: &Value) -> f64 {
    let most = |all: &mut dyn Iterator<Item = f64>| all.fold(0.0, f64::max);
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => (a.as_f64().unwrap() - b.as_f64().unwrap()).abs(),
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            most(&mut a.iter().zip(b).map(|(a, b)| apart(a, b)))
        }
        (Value::Object(a), Value::Object(b)) if a.len() == b.len() => {
            most(&mut a.iter().map(|(key, a)| b.get(key).map_or(f64::INFINITY, |b| apart(a, b))))
        }
        _ if a == b => 0.0,
        _ => f64::INFINITY,
    }
}

#[test]
fn every_body_loads_in_pybullet_and_mujoco_as_planned() {
    let dir = tempfile::tempdir().unwrap();
    let dir = dir.path();
    let walker = std::fs::read_to_string(Path::new(HERE).join("../../../../../../docs/bodies/walker.prif")).unwrap();
    let fixed = [ALL_KINDS, "(CPG(0), [FRONT, 1, X], None)", "(S(0), [BOTTOM, 12, Y], None)", &walker];
    let mut prifs: Vec<Prif> = fixed.iter().map(|text| Prif::parse(text).unwrap()).collect();
    prifs.extend((0..40).map(|number| random(number, 2 + number).0));
    let mut kinds: Vec<Part> = Vec::new();
    let mut files = Vec::new();
    for (number, prif) in prifs.iter().enumerate() {
        std::fs::write(dir.join("b.prif"), prif.print()).unwrap();
        let file = format!("{number}.urdf");
        let mut export = xpuck();
        export.current_dir(dir).args(["tree", "convert", "b.prif", "--to", "urdf", "-o", &file]);
        let output = export.output().unwrap();
        assert!(output.status.success(), "{}", said(&output));
        kinds.extend(Plan::new(prif).unwrap().parts().iter().map(|part| part.part));
        files.push(file);
    }
    assert!(Part::ALL.iter().all(|part| kinds.contains(part)));
    match Command::new("check_urdf").arg("--help").output() {
        Err(_) => xpuck_testing::skipped("URDF files are not checked by ROS's own reader (make deps-bodies)"),
        Ok(_) => files.iter().for_each(|file| {
            let output = Command::new("check_urdf").arg(file).current_dir(dir).output().unwrap();
            let told = said(&output);
            assert!(output.status.success() && told.contains("Successfully Parsed"), "{file}: {told}");
        }),
    }
    let Some(python) = python() else { return };
    let output = Command::new(python).arg(format!("{HERE}/load.py")).args(&files).current_dir(dir).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let loaded: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (prif, file) in prifs.iter().zip(&files) {
        let simulators = [("PyBullet", Some(9.6)), ("MuJoCo", None)];
        for ((simulator, speed), theirs) in simulators.into_iter().zip(loaded[file].as_array().unwrap()) {
            let ours = parts(&Plan::new(prif).unwrap(), speed);
            assert!(apart(&ours, theirs) < 1e-6, "{simulator}, {}: {theirs} instead of {ours}", prif.print());
        }
    }
}

/// Eight bodies walk for one second. If `XPUCK_WALKS` sets the number of bodies, they walk for ten seconds.
#[test]
fn bodies_get_as_far_as_in_pybullet() {
    let Some(python) = python() else { return };
    let many = std::env::var("XPUCK_WALKS").ok().map(|many| many.parse().unwrap());
    let (many, steps) = many.map_or((8, 240), |many: u32| (many, 2400));
    let dir = tempfile::tempdir().unwrap();
    let trial = EvaluationConditions { rhythm: Rhythm::from_period(0.4), start: Start::OnGround };
    let mut ours = Vec::new();
    let mut judge = Command::new(python);
    judge.current_dir(dir.path()).arg(Path::new(HERE).join("../../../../../../tools/walk.py"));
    judge.args([&steps.to_string(), "0.4", "ground"]);
    for number in 0..many {
        let (_, plan, brain) = random(number, 12);
        let write =
            |kind: &str, text: String| std::fs::write(dir.path().join(format!("{number}.{kind}")), text).unwrap();
        write("urdf", urdf::export(&plan, Dialect::Simulators));
        write("nndf", brain.to_nndf(&plan, Dialect::Simulators).unwrap());
        ours.push(evaluate(&plan, &brain, trial, steps).unwrap());
        judge.arg(format!("{number}.urdf"));
    }
    let output = judge.output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    let text = String::from_utf8_lossy(&output.stdout);
    let ways = text.lines().filter_map(|line| line.strip_suffix(".urdf")?.split_once(' '));
    let theirs: Vec<f64> = ways.map(|(way, _)| way.parse().unwrap()).collect();
    assert_eq!(theirs.len(), ours.len(), "{text}");
    let differences: Vec<f64> = ours.iter().zip(&theirs).map(|(a, b)| a - b).collect();
    let n = differences.len() as f64;
    let mean = differences.iter().sum::<f64>() / n;
    let error = (differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / (n - 1.0) / n).sqrt();
    let near = differences.iter().filter(|d| d.abs() < 0.05).count();
    println!(
        "{n} bodies, {steps} steps: ours minus PyBullet's {mean:.4} m on average, standard error {error:.4} m; {near} within 5 cm"
    );
    // PyBullet's distances are printed in whole millimetres. Therefore the standard error counts as at least 0.5 mm.
    assert!(mean.abs() < 3.0 * error.max(5e-4), "{differences:.3?}");
    assert!(2 * near >= differences.len(), "{near} of {n} within 5 cm: {differences:.3?}");
}

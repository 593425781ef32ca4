//! Comparison of this crate's physics with PyBullet running pyro-corpus's own loop.
//!
//! `eval_1000.json` and `eval_10000.json` are runs of pyro-corpus's code. `fifty.json` has runs of the same loop with
//! the pattern generator that pyro-corpus's README describes.

#![allow(clippy::disallowed_methods, reason = "what is compared with lies in files")]

use serde_json::{Value, json};
use std::fs::read_to_string;
use std::path::Path;
use xpuck_bodies::physics::Simulator;
use xpuck_bodies::urdf::Dialect;
use xpuck_bodies::variation::{MutationRules, random_body};
use xpuck_bodies::{Brain, EvaluationConditions, Plan, Prif, Rhythm, Robot, Start, evaluate, frames, path, urdf};

/// Conditions with a rhythm of 1 s and the start position of pyro-corpus.
const RHYTHMIC: EvaluationConditions = EvaluationConditions { rhythm: Rhythm::Period(1.0), start: Start::Published };
use xpuck_kernels::hash::fnv1a;
use xpuck_kernels::random::{Draws, Stream};

fn read(name: &str) -> String {
    read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors").join(name)).unwrap()
}

fn body(name: &str) -> (Plan, Brain) {
    let prif: Prif = urdf::import(&read(&format!("{name}.urdf"))).unwrap();
    let plan = Plan::new(&prif).unwrap();
    let brain = Brain::from_nndf(&read(&format!("{name}.nndf")), &plan).unwrap();
    (plan, brain)
}

fn runs(name: &str) -> Vec<(String, Value)> {
    let all: Value = serde_json::from_str(&read(name)).unwrap();
    all.as_object().unwrap().iter().map(|(name, run)| (name.clone(), run.clone())).collect()
}

/// Returns the distance between `at`, the position of the root's centre, and its position in a PyBullet run after the
/// same step (m). Returns `None` if the run has no position for this step.
fn distance(at: [f64; 3], run: &Value, step: u32) -> Option<f64> {
    let there = run["trace"].get(step.to_string())?;
    Some((0..3).map(|k| (at[k] - there[0][k].as_f64().unwrap()).powi(2)).sum::<f64>().sqrt())
}

#[test]
fn first_steps_match_pybullet() {
    for (name, run) in runs("eval_1000.json") {
        let (plan, brain) = body(&name);
        let mut robot = Robot::new(&plan, &brain, EvaluationConditions::AS_PUBLISHED).unwrap();
        let mut compared = 0;
        for step in 0..=10 {
            robot.step();
            if let Some(off) = distance(robot.simulator().position(), &run, step) {
                assert!(off < 1e-8, "{name} at step {step}: {off} m");
                compared += 1;
            }
        }
        assert_eq!(compared, 4);
    }
}

#[test]
fn walks_of_ten_thousand_steps_end_where_those_of_pybullet_do() {
    let mut apart: Vec<(f64, String)> = Vec::new();
    for (name, run) in runs("eval_10000.json") {
        let (plan, brain) = body(&name);
        let y = evaluate(&plan, &brain, EvaluationConditions::AS_PUBLISHED, 10_000).unwrap();
        apart.push(((y - run["final_y"].as_f64().unwrap()).abs(), name));
    }
    apart.sort_by(|a, b| a.0.total_cmp(&b.0));
    // If several cubes begin to touch the ground in the same step, the order in which Bullet processes them is unknown.
    // Chaotic motion then amplifies the difference between both simulators.
    assert_eq!(apart.len(), 11);
    assert!(apart[7].0 < 0.005 && apart[10].0 < 0.6, "{apart:?}");
}

/// Returns the bodies of `fifty.json` and their brains, both generated from the seed of that file.
fn fifty() -> Vec<(Prif, Plan, Brain)> {
    let make = |number: u32| {
        let mut draws = Draws::new(27, number, 0, 0, Stream::Evolution);
        let prif = random_body(12, MutationRules::Readme, &mut draws);
        let plan = Plan::new(&prif).unwrap();
        let brain = Brain::random(&plan, &mut draws);
        (prif, plan, brain)
    };
    (0..50).map(make).collect()
}

#[test]
fn fifty_bodies_get_as_far_as_in_pybullet() {
    let theirs: Value = serde_json::from_str(&read("fifty.json")).unwrap();
    let steps = theirs["steps"].as_u64().unwrap() as u32;
    let (mut ours, mut peers) = (Vec::new(), Vec::new());
    for ((prif, plan, brain), run) in fifty().iter().zip(theirs["bodies"].as_array().unwrap()) {
        assert_eq!(prif.print(), run["prif"].as_str().unwrap(), "the bodies are those that PyBullet ran");
        ours.push(evaluate(plan, brain, RHYTHMIC, steps).unwrap());
        peers.push(run["final_y"].as_f64().unwrap());
    }
    assert_eq!(ours.len(), 50);
    let differences: Vec<f64> = ours.iter().zip(&peers).map(|(a, b)| a - b).collect();
    let mean = differences.iter().sum::<f64>() / 50.0;
    let error = (differences.iter().map(|d| (d - mean).powi(2)).sum::<f64>() / 49.0 / 50.0).sqrt();
    assert!(mean.abs() < 2.0 * error.max(1e-6), "mean difference {mean} m, standard error {error} m");
    let near = differences.iter().filter(|d| d.abs() < 0.05).count();
    println!("mean difference {mean:.4} m, standard error {error:.4} m; {near} of 50 within 5 cm");
    assert!(near >= 25, "{near} of 50 within 5 cm: {differences:.3?}");
    // Both simulators rank the bodies similarly, as measured by Kendall's tau.
    let pairs = || (0..50).flat_map(|i| (0..i).map(move |j| (i, j)));
    let agree = pairs().filter(|&(i, j)| (ours[i] - ours[j]) * (peers[i] - peers[j]) > 0.0).count();
    let tau = 2.0 * agree as f64 / (50.0 * 49.0 / 2.0) - 1.0;
    println!("Kendall's tau {tau:.3}");
    assert!(tau > 0.6, "{tau}");
}

#[test]
fn sliding_body_stops_as_in_pybullet() {
    let (plan, _) = body("v02_left3");
    // The expected distances were measured in PyBullet 3.2.7: 400 steps at rest, then 400 steps with the given initial
    // velocity. Both axes give the same distance within 1e-6 m.
    for (velocity, expected) in [([2.0, 0.0], [0.393_13, 0.0]), ([0.0, 2.0], [0.0, 0.393_13])] {
        let mut simulator = Simulator::new(&plan, Start::Published);
        (0..400).for_each(|_| simulator.step());
        let start = simulator.position();
        simulator.set_velocity([velocity[0], velocity[1], 0.0], [0.0; 3]);
        (0..400).for_each(|_| simulator.step());
        for k in 0..2 {
            let slid = simulator.position()[k] - start[k];
            assert!((slid - expected[k]).abs() < 1e-3, "{slid} m instead of {}", expected[k]);
        }
    }
}

#[test]
fn single_part_body_falls_and_rests() {
    let plan = Plan::new(&Prif::seed()).unwrap();
    let brain = Brain { sensors: 1, motors: 0, weights: vec![], period: None };
    // The expected distance is from PyBullet, in which the body also creeps.
    let y = evaluate(&plan, &brain, RHYTHMIC, 1000).unwrap();
    assert!((y - 4.427_450_702e-5).abs() < 1e-8, "{y}");
    let way = path(&plan, &brain, RHYTHMIC, 1000, 100).unwrap();
    assert_eq!(way.len(), 10);
    assert!((way[9][2] - 0.5).abs() < 1e-4, "{:?}", way[9]);
}

#[test]
fn mismatched_brain_or_trial_is_rejected() {
    let (plan, brain) = body("v08_key_differs_from_dir");
    let refused = |brain: &Brain, trial| evaluate(&plan, brain, trial, 1).unwrap_err().to_string();
    let period = refused(&brain, EvaluationConditions { rhythm: Rhythm::Period(0.0), ..RHYTHMIC });
    assert_eq!(period, "the rhythm: the period is 0 s; it must be finite and above 0");
    let few = Brain { weights: vec![1.0], ..brain.clone() };
    assert!(refused(&few, RHYTHMIC).contains("1 weights"), "{}", refused(&few, RHYTHMIC));
    let mut great = brain.clone();
    great.weights[1] = f64::INFINITY;
    assert!(refused(&great, RHYTHMIC).starts_with("weight 1 of the brain"));
    let other = Brain { sensors: 1, ..brain };
    assert!(refused(&other, RHYTHMIC).contains("the body has 2 sensors and 1 joints"));
}

#[test]
fn two_runs_have_the_same_digits_and_frames_follow_the_path() {
    let (plan, brain) = body("v07_brain_4legs");
    let hash = |points: &[[f64; 3]]| fnv1a(points.iter().flatten().flat_map(|x| x.to_bits().to_le_bytes()));
    let way = path(&plan, &brain, RHYTHMIC, 2400, 10).unwrap();
    // The hash is the same in every build on every machine.
    assert_eq!(hash(&way[..60]), 0xd13d_0010_4359_ab70, "{:#x}", hash(&way[..60]));
    assert_eq!(hash(&way), hash(&path(&plan, &brain, RHYTHMIC, 2400, 10).unwrap()));
    let frames = frames(&plan, &brain, RHYTHMIC, 2400, 10).unwrap();
    let roots: Vec<[f64; 3]> = frames.iter().map(|poses| poses[0].position).collect();
    assert_eq!(roots, way);
    assert!(frames.iter().all(|poses| poses.len() == plan.parts().len()));
    // Cubes remain joined: the distance between the centres of a part and its parent is at most 1 m.
    for poses in &frames {
        for (part, pose) in plan.parts().iter().zip(poses).skip(1) {
            let parent = poses[part.parent.unwrap()].position;
            let square: f64 = (0..3).map(|k| (pose.position[k] - parent[k]).powi(2)).sum();
            assert!(square.sqrt() < 1.0 + 1e-9, "{}", square.sqrt());
        }
    }
}

#[test]
#[ignore = "a measurement, for people: steps a second by number of parts, and distance from PyBullet"]
fn speed_and_distance_from_pybullet() {
    for (name, run) in runs("eval_10000.json") {
        let (plan, brain) = body(&name);
        let mut robot = Robot::new(&plan, &brain, EvaluationConditions::AS_PUBLISHED).unwrap();
        let start = processor_seconds();
        let (mut passes, mut line) = (0u64, String::new());
        for step in 0..10_000u32 {
            robot.step();
            passes += u64::from(robot.simulator().iterations());
            if let Some(off) = distance(robot.simulator().position(), &run, step) {
                line.push_str(&format!(" {step}: {off:.0e}"));
            }
        }
        let seconds = processor_seconds() - start;
        let theirs = run["cpu_s_run"].as_f64().unwrap();
        println!(
            "{name}: {} parts, {:.0} steps/s, {:.0} times PyBullet ({theirs:.2} s); {:.1} passes; metres off at{line}",
            plan.parts().len(),
            1e4 / seconds,
            theirs / seconds,
            passes as f64 / 1e4,
        );
    }
}

/// Returns the processor time of this thread (s), which does not depend on other load on the machine.
fn processor_seconds() -> f64 {
    let stat = read_to_string("/proc/thread-self/schedstat").unwrap();
    stat.split(' ').next().unwrap().parse::<f64>().unwrap() * 1e-9
}

#[test]
#[ignore = "writes the bodies of fifty.json to the folder BODIES, for PyBullet to run"]
fn write_the_fifty_bodies() {
    let folder = std::env::var("BODIES").unwrap();
    let mut all = Vec::new();
    for (number, (prif, plan, brain)) in fifty().iter().enumerate() {
        std::fs::write(format!("{folder}/{number}.urdf"), urdf::export(plan, Dialect::AsPublished)).unwrap();
        std::fs::write(format!("{folder}/{number}.nndf"), brain.to_nndf(plan, Dialect::AsPublished).unwrap()).unwrap();
        all.push(json!({"prif": prif.print()}));
    }
    std::fs::write(format!("{folder}/bodies.json"), json!(all).to_string()).unwrap();
}

#[test]
fn body_started_on_ground_is_not_ejected() {
    let deep = Plan::new(&Prif::parse("(B(), [BOTTOM, 6, X], None)").unwrap()).unwrap();
    let highest = |start| {
        let mut simulator = Simulator::new(&deep, start);
        let mut highest = f64::NEG_INFINITY;
        for _ in 0..240 {
            simulator.step();
            highest = simulator.position()[2].max(highest);
        }
        highest
    };
    // The root's centre is five cubes above the centre of the lowest part, which is at 0.5 m.
    assert!((highest(Start::OnGround) - 5.5).abs() < 0.01, "{}", highest(Start::OnGround));
    assert!(highest(Start::Published) > 5.6, "{}", highest(Start::Published));
}

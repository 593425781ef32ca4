//! The figures of Petrovic, "Evolving automatons for distributed behavior arbitration" (NTNU 05/2005), tables 2 and 3, measured
//! here: `cargo test --release -p xpuck-evolve --test cargo_benchmark -- --ignored --nocapture`.

#![allow(clippy::print_stdout, reason = "tests tell figures")]

use std::collections::BTreeMap;
use xpuck_evolve::scenario::{Ask, Report, Scenario};
use xpuck_kernels::cargo::{COUNTED_SCRIPTS, Prepared, Trials, Weights, printed, try_all, try_one};

/// Prints a run's steps, and how often its controller delivers in runs of other random numbers.
fn tell(seed: u64, report: &Report) {
    let steps: Vec<String> =
        report.steps.iter().map(|step| format!("{}/{}", step.generations, step.evaluations)).collect();
    let last = report.steps.last().expect("a step");
    let world = Prepared::new(printed()).expect("the printed world");
    let mut scripts = [0.0; COUNTED_SCRIPTS];
    scripts[3] = 1.0;
    let weights = Weights { scripts, ..Weights::default() };
    let trials =
        Trials { world: &world, weights: &weights, starts: 3, repeats: 20, time: 400_000, seed: 999, checkpoints: &[] };
    let deliveries: Vec<f64> = try_one(&last.controller, &trials).scores.concat();
    println!(
        "seed {seed}: {}, {} generations, {} evaluations ({}); {:.2} deliveries in fresh runs, none in {} of {}",
        if report.solved { "solved" } else { "not solved" },
        report.generations(),
        report.evaluations(),
        steps.join(", "),
        deliveries.iter().sum::<f64>() / deliveries.len() as f64,
        deliveries.iter().filter(|&&n| n == 0.0).count(),
        deliveries.len(),
    );
}

/// The first seed: modules, worlds and settings were chosen while the first fifteen were watched.
const FIRST: u64 = 101;

/// How many of so many runs reach their goal, and their mean evaluations.
fn measure(text: &str, runs: u64) -> (u64, u64) {
    let scenario = Scenario::parse("curriculum", text).unwrap();
    let (mut solved, mut evaluations) = (0, 0);
    for seed in FIRST..FIRST + runs {
        let report = scenario.run(seed, &BTreeMap::new(), try_all, |_| Ask::GoOn);
        tell(seed, &report);
        solved += u64::from(report.solved);
        evaluations += report.evaluations();
    }
    println!("{}: {solved} of {runs}, {} evaluations", scenario.name, evaluations / runs);
    (solved, evaluations / runs)
}

#[test]
#[ignore = "a measurement of some minutes"]
fn creative() {
    let (solved, evaluations) = measure(include_str!("../../../docs/curricula/cargo-creative.toml"), 10);
    assert!(solved == 10 && evaluations <= 9_560);
}

#[test]
#[ignore = "a measurement of some minutes"]
fn sequential() {
    let (solved, evaluations) = measure(include_str!("../../../docs/curricula/cargo-sequential.toml"), 15);
    assert!(solved == 15 && evaluations <= 12_400);
}

#[test]
#[ignore = "a measurement of half an hour"]
fn sequential_as_printed() {
    measure(include_str!("../../../docs/curricula/cargo-sequential-printed.toml"), 15);
}

#[test]
#[ignore = "a measurement of an hour"]
fn one_step() {
    measure(include_str!("../../../docs/curricula/cargo-one-step.toml"), 20);
}

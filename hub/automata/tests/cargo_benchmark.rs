//! Benchmark after tables 2 and 3 of Petrovic, "Evolving automatons for distributed behavior arbitration" (NTNU
//! 05/2005). To run it: `cargo test --release -p xpuck-hub-automata --test cargo_benchmark -- --ignored --nocapture`.
//! The environment variable `XPUCK_SEEDS=105,106` selects the seeds.

#![allow(clippy::print_stdout, reason = "tests tell figures")]

use std::collections::BTreeMap;
use xpuck_automata::cargo::{
    Arbitration, Outcomes, PreparedScene, ScriptTimes, Trials, Weights, evaluate_all, published_scene, score_runs,
};
use xpuck_hub_automata::arbiters::TreeSpecies;
use xpuck_hub_automata::scenario::{Generation, Report, Request, Scenario};

/// Prints the steps of a run. Also prints the number of deliveries of the run's controller in simulations with other
/// random numbers.
fn print_summary<C>(seed: u64, report: &Report<C>)
where
    for<'a> &'a C: Into<Arbitration<'a>>,
{
    let steps: Vec<String> =
        report.steps.iter().map(|step| format!("{}/{}", step.generations, step.evaluations)).collect();
    let last = report.steps.last().expect("a step");
    let world = PreparedScene::new(published_scene()).expect("the printed world");
    let weights = Weights::default();
    let trials =
        Trials { world: &world, weights: &weights, starts: 3, repeats: 20, time: 400_000, seed: 999, checkpoints: &[] };
    let outcomes = Outcomes::simulate(&last.controller, &trials);
    let ScriptTimes { times, without } = outcomes.script_times(DELIVERY);
    println!(
        "seed {seed}: {}, {} generations, {} evaluations ({}); {times:.2} deliveries in fresh runs, none in {without} of {}",
        if report.solved { "solved" } else { "not solved" },
        report.generations(),
        report.evaluations(),
        steps.join(", "),
        outcomes.runs().count(),
    );
}

/// Index (from 0) of the script that runs when cargo is unloaded.
const DELIVERY: usize = 3;
/// First seed. The modules, worlds and settings of this project were chosen by the results of fifteen seeds from this
/// seed on.
const FIRST: u64 = 101;

/// Returns the seeds in the environment variable `XPUCK_SEEDS`, such as `105` or `105,106`. Without this variable,
/// returns `runs` consecutive seeds, beginning with [`FIRST`].
fn seeds(runs: u64) -> Vec<u64> {
    let named = std::env::var("XPUCK_SEEDS").ok();
    let read = |text: String| text.split(',').map(|seed| seed.trim().parse().expect("a seed")).collect();
    named.map_or_else(|| (FIRST..FIRST + runs).collect(), read)
}

/// Returns the number of runs that did not reach their goal, and the mean number of evaluations of all runs.
fn measure(text: &str, runs: u64) -> (usize, u64) {
    let scenario = Scenario::parse("curriculum", text).unwrap();
    measure_by(&scenario, runs, |seed| scenario.run(seed, &BTreeMap::new(), evaluate_all, |_| Request::GoOn))
}

/// Measures a curriculum of trees. The result is that of [`measure`].
fn measure_trees(text: &str, runs: u64) -> (usize, u64) {
    let scenario = Scenario::parse("curriculum", &format!("species = \"tree\"\n{text}")).unwrap();
    measure_by(&scenario, runs, |seed| scenario.run_trees(seed, &BTreeMap::new(), evaluate_all, within_budget))
}

/// Measures a curriculum of trees with the racing algorithm. The result is that of [`measure`].
fn measure_race(text: &str, runs: u64) -> (usize, u64) {
    let head = "species = \"tree\"\nalgorithm = \"racing\"";
    let scenario = Scenario::parse("curriculum", &format!("{head}\n{text}")).unwrap();
    measure_by(&scenario, runs, |seed| scenario.run_race(seed, &BTreeMap::new(), score_runs, within_budget))
}

/// Requests the end of a run after the number of evaluations in the environment variable `XPUCK_EVALUATIONS`. Without
/// this variable, only the number of generations in the curriculum limits a run.
fn within_budget(generation: &Generation<TreeSpecies>) -> Request {
    let most =
        std::env::var("XPUCK_EVALUATIONS").ok().map(|text| text.parse::<u64>().expect("a number of evaluations"));
    if most.is_some_and(|most| generation.variables.evaluations >= most) { Request::Stop } else { Request::GoOn }
}

fn measure_by<C>(scenario: &Scenario, runs: u64, run: impl Fn(u64) -> Report<C>) -> (usize, u64)
where
    for<'a> &'a C: Into<Arbitration<'a>>,
{
    let seeds = seeds(runs);
    let (mut solved, mut evaluations) = (0, 0);
    for &seed in &seeds {
        let report = run(seed);
        print_summary(seed, &report);
        solved += usize::from(report.solved);
        evaluations += report.evaluations();
    }
    let mean = evaluations / seeds.len() as u64;
    println!("{}: {solved} of {}, {mean} evaluations", scenario.name, seeds.len());
    (seeds.len() - solved, mean)
}

#[test]
#[ignore = "a measurement of some minutes"]
fn creative() {
    let (unsolved, evaluations) = measure(include_str!("../../../docs/curricula/cargo-creative.toml"), 10);
    assert!(unsolved == 0 && evaluations <= 9_560);
}

#[test]
#[ignore = "a measurement of some minutes"]
fn sequential() {
    let (unsolved, evaluations) = measure(include_str!("../../../docs/curricula/cargo-sequential.toml"), 15);
    assert!(unsolved == 0 && evaluations <= 12_400);
}

#[test]
#[ignore = "a measurement of some minutes"]
fn creative_by_trees() {
    measure_trees(include_str!("../../../docs/curricula/cargo-creative.toml"), 10);
}

#[test]
#[ignore = "a measurement of some minutes"]
fn one_step_by_trees() {
    measure_trees(include_str!("../../../docs/curricula/cargo-one-step.toml"), 10);
}

#[test]
#[ignore = "a measurement of some minutes"]
fn creative_by_race() {
    measure_race(include_str!("../../../docs/curricula/cargo-creative.toml"), 10);
}

#[test]
#[ignore = "a measurement of some minutes"]
fn one_step_by_race() {
    measure_race(include_str!("../../../docs/curricula/cargo-one-step.toml"), 10);
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

//! Tests of the racing algorithm in the steps of a curriculum, with trees that arbitrate between modules.

use std::collections::BTreeMap;
use xpuck_automata::cargo::{Arbiter, Trials, score_runs};
use xpuck_hub_automata::arbiters::TreeGenome;
use xpuck_hub_automata::scenario::{Population, Report, Request, Scenario, StepAlgorithm};

const TREES: &str = include_str!("../../../docs/curricula/cargo-trees.toml");

fn text() -> String {
    format!("algorithm = \"racing\"\n{TREES}")
}

fn error(text: &str) -> String {
    Scenario::parse("c.toml", text).unwrap_err().to_string()
}

/// Returns a line of text per step with its name, generations, evaluations, fitness and best tree.
fn step_lines(report: &Report<Arbiter>) -> Vec<String> {
    let step = |step: &xpuck_hub_automata::scenario::StepReport<Arbiter>| {
        format!("{} {} {} {} {}", step.name, step.generations, step.evaluations, step.best, step.controller.tree())
    };
    report.steps.iter().map(step).collect()
}

#[test]
fn resumed_race_equals_uninterrupted_race() {
    let scenario = Scenario::parse("c.toml", &text()).unwrap();
    assert_eq!(scenario.algorithm, StepAlgorithm::Racing);
    let run = |begin: &BTreeMap<usize, Population<TreeGenome>>| {
        let mut saved = String::new();
        let report = scenario.run_race(7, begin, score_runs, |generation| {
            let best = generation.members[0].fitness;
            assert_eq!(best, generation.variables.best);
            assert!(generation.members.iter().all(|member| member.fitness <= best));
            if generation.index == 0 {
                saved = Population::new(generation).text();
            }
            if generation.index == 1 && generation.variables.step_generation == 2 {
                Request::Stop
            } else {
                Request::GoOn
            }
        });
        (step_lines(&report), report, saved)
    };
    let (whole, report, saved) = run(&BTreeMap::new());
    assert!(report.steps[0].ending.is_done(), "{:?}", report.steps[0].ending);
    assert!(report.steps[0].best >= 295_000.0, "{}", report.steps[0].best);
    assert_eq!(report.steps.len(), 2);
    let first = scenario.steps[0].population("saved", &saved).unwrap();
    assert_eq!(first.text(), saved);
    assert_eq!(run(&BTreeMap::from([(0, first)])).0, whole);
}

#[test]
fn digits_are_the_same_however_runs_are_shared_out() {
    let scenario = Scenario::parse("c.toml", &text()).unwrap();
    type Score = fn(&[Arbiter], &[(usize, u32)], &Trials) -> Vec<f64>;
    let told_after_four = |score: Score| {
        step_lines(&scenario.run_race(7, &BTreeMap::new(), score, |generation| {
            if generation.variables.generation == 4 { Request::Stop } else { Request::GoOn }
        }))
    };
    let one_by_one = |controllers: &[Arbiter], runs: &[(usize, u32)], trials: &Trials| {
        runs.iter()
            .rev()
            .flat_map(|run| score_runs(controllers, &[*run], trials))
            .collect::<Vec<f64>>()
            .into_iter()
            .rev()
            .collect()
    };
    assert_eq!(told_after_four(score_runs), told_after_four(one_by_one));
}

#[test]
fn race_step_starts_from_previous_population() {
    let scenario = Scenario::parse("c.toml", &text()).unwrap();
    let mut begin = BTreeMap::new();
    for i in 0..3 {
        let modules = if i == 1 { "lnflwer avoidance explore" } else { "avoidance explore" };
        let modules = if i == 2 { "cargoloader avoidance explore" } else { modules };
        let tree = "sel\n  seq\n    ifquad v_prox 1\n    signal 2\n  signal 1\n";
        let text = format!("population 1 tree {modules}\ngenerations 1\nevaluations 9\nindividual 9\n{tree}end 1\n");
        begin.insert(i, scenario.steps[i].population("saved", &text).unwrap());
    }
    let mut met = false;
    let report = scenario.run_race(7, &begin, score_runs, |generation| {
        let backs = |tree: &str| tree.contains("v_prox 1") && tree.contains("signal 2");
        met = generation.members.iter().filter(|member| backs(&member.genome.tree().to_string())).count() > 10;
        Request::Stop
    });
    assert!(met, "{:?}", step_lines(&report));
    assert_eq!(report.evaluations(), 27 + report.steps[3].evaluations);
    // Evaluations are counted as in Petrovic's algorithm, in which one evaluation of this step consists of three runs.
    // A generation of the race has at most 300 runs, which count as 100 evaluations.
    assert!((20..=100).contains(&report.steps[3].evaluations), "{:?}", step_lines(&report));
}

#[test]
fn unraceable_scenarios_are_rejected_with_line() {
    let automata = text().replacen("species = \"tree\"", "", 1);
    assert_eq!(
        error(&automata),
        "c.toml: line 1: algorithm: a race requires trees; set species = \"tree\", or remove `algorithm`"
    );
    let line = |text: &str, of: &str| text.lines().position(|line| line.starts_with(of)).unwrap() + 1;
    let end = "end = \"best-fitness >= 295000 and learning-momentum < 50\"";
    let without = text().replacen(end, "end = \"gennum >= 5\"", 1);
    let wanted = format!("c.toml: line {}: step \"avoid\": end: a race scales", line(&without, "end = "));
    assert!(error(&without).starts_with(&wanted), "{}", error(&without));
    let early = text().replacen(end, &format!("{end}\nearly-stop = {{ after = 9, every = 9, share = 0.5 }}"), 1);
    let wanted = format!("c.toml: line {}: step \"avoid\": early-stop: ", line(&early, "early-stop"));
    assert!(error(&early).starts_with(&wanted), "{}", error(&early));
    assert!(error(&text().replacen("racing", "race", 1)).starts_with("c.toml: line 1: "));
}

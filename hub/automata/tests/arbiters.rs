//! Tests of the evolution of trees that arbitrate between modules, in the steps of a curriculum.

use std::collections::{BTreeMap, BTreeSet};
use xpuck_automata::automaton::Module;
use xpuck_automata::cargo::{Arbiter, evaluate_all};
use xpuck_evolve::curriculum::Species;
use xpuck_hub_automata::arbiters::{TreeGenome, TreeSpecies, primitive_set};
use xpuck_hub_automata::scenario::{Evolving, Population, Request, Scenario, Step};
use xpuck_kernels::random::{Draws, Stream};

const CREATIVE: &str = include_str!("../../../docs/curricula/cargo-creative.toml");

const TREES: &str = include_str!("../../../docs/curricula/cargo-trees.toml");

fn creative() -> Scenario {
    Scenario::parse("c.toml", &format!("species = \"tree\"\n{CREATIVE}")).unwrap()
}

#[test]
fn first_tree_step_is_solved_and_reproducible() {
    let scenario = creative();
    assert_eq!(scenario.species, Evolving::Tree);
    let run = || {
        scenario.run_trees(7, &BTreeMap::new(), evaluate_all, |generation| match generation.index {
            0 => Request::GoOn,
            _ => Request::Stop,
        })
    };
    let report = run();
    assert!(report.steps[0].ending.is_done(), "{:?}", report.steps[0].ending);
    assert!(report.steps[0].best >= 295_000.0 && report.steps[0].generations > 1);
    let texts = |report: &xpuck_hub_automata::scenario::Report<Arbiter>| -> Vec<String> {
        report.steps.iter().map(|step| step.controller.tree().to_string()).collect()
    };
    assert_eq!(texts(&report), texts(&run()));
}

#[test]
fn tree_curriculum_differs_only_in_automata_keys() {
    let trees = Scenario::parse("t.toml", TREES).unwrap();
    assert_eq!(trees.species, Evolving::Tree);
    let automata = creative();
    assert_eq!(trees.steps.len(), automata.steps.len());
    for (ours, theirs) in trees.steps.iter().zip(automata.steps) {
        assert_eq!(ours.driven(), theirs.driven());
        let theirs = Step { bounds: ours.bounds.clone(), ..theirs };
        assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
    }
}

#[test]
fn resumed_tree_run_equals_uninterrupted_run() {
    let scenario = creative();
    let run = |begin: &BTreeMap<usize, Population<TreeGenome>>| {
        let mut text = String::new();
        let report = scenario.run_trees(7, begin, evaluate_all, |generation| {
            if generation.index == 0 {
                text = Population::new(generation).text();
            }
            if generation.index == 1 && generation.variables.step_generation == 2 {
                Request::Stop
            } else {
                Request::GoOn
            }
        });
        let told: Vec<String> = report
            .steps
            .iter()
            .map(|step| {
                format!(
                    "{} {} {} {} {}",
                    step.name,
                    step.generations,
                    step.evaluations,
                    step.best,
                    step.controller.tree()
                )
            })
            .collect();
        (told, text)
    };
    let (whole, saved) = run(&BTreeMap::new());
    assert_eq!(whole.len(), 2);
    let first = scenario.steps[0].population("saved", &saved).unwrap();
    assert_eq!(first.text(), saved);
    assert_eq!(run(&BTreeMap::from([(0, first)])).0, whole);
    let error = scenario.steps[1].population::<TreeGenome>("saved.txt", &saved).unwrap_err().to_string();
    assert!(error.starts_with("saved.txt: line 1: population: its trees are of avoidance and explore"), "{error}");
}

#[test]
fn trees_name_the_behaviours_of_their_steps_modules() {
    let scenario = creative();
    assert_eq!(scenario.steps[0].driven(), [Module::Avoidance, Module::Explore]);
    let species = TreeSpecies::new(scenario.steps[0].driven(), -5.0);
    let set = primitive_set(&scenario.steps[0].driven());
    let (mut draws, mut texts) = (Draws::new(1, 0, 0, 0, Stream::Evolution), BTreeSet::new());
    let mut before = species.random(&mut draws);
    for _ in 0..300 {
        let mut genome = species.random(&mut draws);
        species.mutate(&mut genome, &mut draws);
        species.cross(&mut genome, &mut before, &mut draws);
        for line in genome.tree().to_string().lines().filter(|line| line.contains("signal")) {
            assert!(["signal 1", "signal 2"].contains(&line.trim()), "{line}");
        }
        assert!(set.allows(genome.tree()));
        assert_eq!(species.size_worth(&genome), -5.0 * genome.tree().nodes().len() as f64);
        texts.insert(genome.tree().to_string());
        before = genome;
    }
    assert!(texts.len() > 150, "{}", texts.len());
}

#[test]
fn saved_populations_of_automata_are_refused_for_trees() {
    let text = format!("species = \"tree\"\n{CREATIVE}\n[populations]\nold = \"p.txt\"\n");
    let read =
        |_: &str| Ok("population 1 explore\nindividual 1\nmodule explore\nstates 1\nstart 1\nend 1\n".to_string());
    let error = Scenario::parse_with("c.toml", &text, read).unwrap_err().to_string();
    assert!(error.contains("remove [populations]"), "{error}");
    let error = Scenario::parse("c.toml", &format!("species = \"trees\"\n{CREATIVE}")).unwrap_err().to_string();
    assert!(error.starts_with("c.toml: line 1: "), "{error}");
}

//! Trees that arbitrate between modules, evolved by the steps of a curriculum.

use std::collections::BTreeSet;
use xpuck_evolve::arbiters::{TreeSpecies, primitive_set};
use xpuck_evolve::curriculum::Species;
use xpuck_evolve::scenario::{Ask, Evolving, Scenario};
use xpuck_kernels::automaton::Module;
use xpuck_kernels::cargo::{Arbiter, try_all};
use xpuck_kernels::random::{Draws, Stream};

const CREATIVE: &str = include_str!("../../../docs/curricula/cargo-creative.toml");

fn creative() -> Scenario {
    Scenario::parse("c.toml", &format!("species = \"tree\"\n{CREATIVE}")).unwrap()
}

#[test]
fn the_first_step_is_learnt_by_trees_and_the_same_for_a_seed() {
    let scenario = creative();
    assert_eq!(scenario.species, Evolving::Tree);
    let run = || {
        scenario.run_trees(7, try_all, |generation| match generation.index {
            0 => Ask::GoOn,
            _ => Ask::Stop,
        })
    };
    let report = run();
    assert!(report.steps[0].ending.is_done(), "{:?}", report.steps[0].ending);
    assert!(report.steps[0].best >= 295_000.0 && report.steps[0].generations > 1);
    let texts = |report: &xpuck_evolve::scenario::Report<Arbiter>| -> Vec<String> {
        report.steps.iter().map(|step| step.controller.tree().to_string()).collect()
    };
    assert_eq!(texts(&report), texts(&run()));
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
    assert!(error.contains("leave [populations] out"), "{error}");
    let error = Scenario::parse("c.toml", &format!("species = \"trees\"\n{CREATIVE}")).unwrap_err().to_string();
    assert!(error.starts_with("c.toml: line 1: "), "{error}");
}

//! Tests of the hand-made controller in the world that the report prints.

use xpuck_automata::automaton::{Module, parse, print};
use xpuck_automata::cargo::{PreparedScene, Setup, Weights, hand_made_automata, published_scene, run};

#[test]
fn hand_made_controller_delivers_cargo() {
    let world = PreparedScene::new(published_scene()).unwrap();
    let weights = Weights { offset: 300_000.0, ..Weights::default() };
    let (mut delivered, mut runs) = (0, 0);
    for start in 0..3 {
        for repeat in 0..10 {
            let setup = Setup { world: &world, weights: &weights, start, repeat, time: 400_000, seed: 1 };
            let tally = run(&hand_made_automata(), &setup, &[]).tally;
            assert!(tally.scripts[1] - tally.scripts[3] <= 1, "what is loaded is unloaded before the next load");
            assert_eq!(tally, run(&hand_made_automata(), &setup, &[]).tally);
            delivered += tally.scripts[3];
            runs += 1;
        }
    }
    assert!(delivered >= 5 * runs, "{delivered} deliveries in {runs} runs of 400 s");
}

#[test]
fn removing_any_module_degrades_controller() {
    let world = PreparedScene::new(published_scene()).unwrap();
    let weights = Weights::default();
    let setup = Setup { world: &world, weights: &weights, start: 0, repeat: 0, time: 400_000, seed: 1 };
    let without = |part: usize| {
        let mut automata = hand_made_automata();
        automata.0[part] = Some(parse("nothing", Module::ARBITRATED[part], "states 1").unwrap());
        run(&automata, &setup, &[]).tally
    };
    for part in [0, 1, 3] {
        assert!(without(part).scripts[3] <= 1, "without {}", Module::ARBITRATED[part].name());
    }
    // Without the avoidance module, only the random turns of the explore module free a blocked robot. The robot then
    // stays in contact with obstacles for longer.
    let with = run(&hand_made_automata(), &setup, &[]).tally;
    assert!(without(2).obstacle_time > 3.0 * with.obstacle_time);
}

#[test]
fn hand_made_automata_round_trip_through_text() {
    for (module, automaton) in Module::ARBITRATED.into_iter().zip(hand_made_automata().0) {
        let automaton = automaton.unwrap();
        assert_eq!(parse("hand-made", module, &print(&automaton)).unwrap(), automaton);
    }
}

//! Tests of automata that are converted to trees: their results on all engines, and their file formats.

use xpuck_automata::automaton::{Meanings, Module, from_tree, parse, to_tree};
use xpuck_automata::cargo::hand_made_automata;
use xpuck_kernels::engine::{Engine, Job, Reference, Simd, Team};
use xpuck_kernels::tree::Program;
use xpuck_kernels::tree::exchange::{
    from_binary, from_compact, from_json, from_xml, to_binary, to_compact, to_json, to_xml,
};
use xpuck_kernels::world::WorldSpec;

/// Automata of two post-offices of the navigate module. The second automaton alternates the side to which the robot
/// turns at obstacles.
const AUTOMATA: [&str; 2] = [
    "1 -> 2: (SENSORS_LIGHT_ENTER), in:NAVIGATE_FORWARD 0, out:BEEP_BEEP 3\n\
     1 -> 1: (SENSORS_LIGHT_LEAVE), in:NAVIGATE_AROUNDLEFT 0, out:-\n\
     2 -> 1: (SENSORS_LIGHT_LEAVE), in:-, out:-\n",
    "1 -> 2: (SENSORS_BUMPERS_PRESSED), in:NAVIGATE_AROUNDLEFT 0, out:-\n\
     1 -> 1: (SENSORS_BUMPERS_RELEASED), in:NAVIGATE_FORWARD 0, out:-\n\
     2 -> 3: (SENSORS_BUMPERS_RELEASED), in:NAVIGATE_FORWARD 0, out:-\n\
     3 -> 4: (SENSORS_BUMPERS_PRESSED), in:NAVIGATE_AROUNDRIGHT 0, out:-\n\
     4 -> 1: (SENSORS_BUMPERS_RELEASED), in:-, out:-\n",
];

#[test]
fn engines_agree_to_the_digit() {
    let tree = |text| to_tree(&parse("test", Module::Navigate, text).unwrap(), &Meanings::epuck()).unwrap();
    let programs = AUTOMATA.map(|text| Program::compile(&tree(text)).unwrap());
    let spec = WorldSpec::benchmark(9);
    let teams = [Team::all(0), Team::all(1), Team::from_programs((0..9).map(|robot| robot % 2))];
    let jobs: Vec<Job<'_>> = teams
        .into_iter()
        .flat_map(|team| (0..5).map(move |world| (team.clone(), world)))
        .map(|(team, world)| Job { spec: &spec, start: 1, team, seed: 3, world, updates: 200 })
        .collect();
    let [reference, simd] = [&Reference::default() as &dyn Engine, &Simd::default()].map(|e| e.run(&programs, &jobs));
    assert_eq!(reference, simd);
    let hashes: std::collections::BTreeSet<u64> = simd.iter().map(|outcome| outcome.hash).collect();
    assert_eq!(hashes.len(), jobs.len(), "every automaton drives in its own way");
}

#[test]
fn automata_come_back_from_every_form_of_their_trees() {
    let meanings = Meanings::epuck();
    for text in AUTOMATA {
        let automaton = parse("test", Module::Navigate, text).unwrap();
        let tree = to_tree(&automaton, &meanings).unwrap();
        let forms = [
            from_compact(&to_compact(&tree)).unwrap(),
            from_binary(&to_binary(&tree).unwrap()).unwrap(),
            from_json(&to_json(&tree)).unwrap(),
            from_xml(&to_xml(&tree)).unwrap(),
        ];
        forms.iter().for_each(|form| assert_eq!(from_tree(form, &meanings).unwrap(), automaton));
    }
}

#[test]
fn documented_hand_made_controller_matches_code() {
    let text = include_str!("../../../docs/curricula/hand-made.txt");
    assert!(text.ends_with(&hand_made_automata().text()));
}

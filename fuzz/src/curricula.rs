//! Fuzzes the readers of automata, curriculum files, saved populations, and the files of Petrovic's program. Reading
//! a printed automaton must return the same automaton.

#![no_main]

use libfuzzer_sys::fuzz_target;
use xpuck_automata::automaton::{Meanings, Module, account, draw, parse, print, simplify, to_tree};
use xpuck_automata::cargo::ControllerAutomata;
use xpuck_hub_automata::arbiters::TreeGenome;
use xpuck_hub_automata::scenario::{Population, Scenario, original};

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, bytes)) = bytes.split_first() else { return };
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let told = |error: &dyn std::fmt::Display| assert!(error.to_string().lines().count() == 1, "{error}");
    match kind % 5 {
        0 => {
            let module = Module::ALL[usize::from(kind / 5) % Module::ALL.len()];
            match parse("fuzz", module, text) {
                Ok(automaton) => {
                    assert!(parse("fuzz", module, &print(&automaton)).as_ref() == Ok(&automaton));
                    assert!(!account(module, &automaton).is_empty());
                    // Drawing the densest automata takes a tenth of a second, so only small ones are drawn.
                    assert!(automaton.transitions() > 64 || draw(&automaton).contains("<svg"));
                    let _ = to_tree(&simplify(&automaton), &Meanings::epuck());
                }
                Err(error) => told(&error),
            }
        }
        1 => drop(Scenario::parse("fuzz", text).map_err(|error| told(&error))),
        2 => {
            let _ = Population::<ControllerAutomata>::parse("fuzz", text).map_err(|error| told(&error));
            let _ = Population::<TreeGenome>::parse("fuzz", text).map_err(|error| told(&error));
        }
        3 => drop(original::world("fuzz", text).map_err(|error| told(&error))),
        _ => drop(original::project("fuzz", text, |_| Ok(text.into())).map_err(|error| told(&error))),
    }
});

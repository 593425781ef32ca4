//! Hand-made controller. It is the baseline for evolution, and the source of the automata that are fixed in evolution.

use super::controller::ControllerAutomata;
use crate::automaton::{Kind, Module, parse};

const CARGOLOADER: &str = "\
1 -> 2: (SENSORS_TARGET_MARK), in:CARGOLOADER_LOAD, out:-
2 -> 1: (SENSORS_TARGET_MARK), in:CARGOLOADER_UNLOAD, out:-
";

/// Automaton that searches for light, searches for the line within the light, and follows the line. Figure 8 of the
/// report shows seven states. Three of these states are for recovery, which this project's line follower performs
/// itself.
const LINE_FOLLOWER: &str = "\
1 -> 2: (SENSORS_LIGHT_ENTER), in:-, out:-
2 -> 3: (SENSORS_LINE_ENTER), in:LNFLWER_FOLLOW, out:-
2 -> 1: (SENSORS_LIGHT_LEAVE), in:-, out:-
3 -> 3: (SENSORS_LINE_ENTER), in:SENSORS_LINE_ENTER, out:-
3 -> 3: (SENSORS_LINE_LEAVE), in:SENSORS_LINE_LEAVE, out:-
3 -> 1: (SENSORS_TARGET_MARK), in:LNFLWER_STOP, out:-
";

const AVOIDANCE: &str = "1 -> 1: (SENSORS_BUMPERS_PRESSED), in:SENSORS_BUMPERS_PRESSED, out:-\n";

/// Returns the hand-made automaton of each module.
pub fn hand_made_automata() -> ControllerAutomata {
    let mut explore: Vec<Kind> = Module::Explore.inputs().to_vec();
    explore.dedup();
    ControllerAutomata(Module::ARBITRATED.map(|module| {
        let text = match module {
            Module::Cargoloader => CARGOLOADER,
            Module::LineFollower => LINE_FOLLOWER,
            Module::Avoidance => AVOIDANCE,
            _ => return Some(crate::automaton::Automaton::forwarding(&explore)),
        };
        parse("hand-made", module, text).ok()
    }))
}

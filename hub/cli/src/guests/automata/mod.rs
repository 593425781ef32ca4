//! Automata and trees that arbitrate between behaviours, and their curricula in worlds of cargo.

pub mod automaton;
pub mod curriculum;

use xpuck_hub_automata::scenario::ScenarioFile;
use xpuck_lab::schemas::FileKind;

/// The file of a curriculum.
pub const KIND: FileKind =
    FileKind::of::<ScenarioFile>("curriculum", "automata or trees that deliver cargo, step by step");

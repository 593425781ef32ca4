//! What arbitrating trees are built from.

use std::fmt::Write;
use xpuck_automata::automaton::Module;
use xpuck_automata::cargo::Behaviour;
use xpuck_evolve::PrimitiveSet;

/// Questions are whether a vector is ahead (quadrant 1) or short (0); of registers, those that an [`xpuck_automata::cargo::Arbiter`]
/// sets. A list must not be empty, so scalars are named that nothing here reads.
const COMMON: &str = r#"
inner = ["seq2", "seq3", "sel2", "sel3", "sel4", "invert"]
leaves = ["ifquad"]
[registers]
scalar_sources = ["s_n"]
vector_sources = ["v_prox", "v_red", "v_green", "v_blue", "v_light"]
scalar_destinations = ["s_scr"]
vector_destinations = ["v_scr"]
[ranges]
quadrant = [0, 1]
[subtrees]
"#;

/// The primitive set of trees that give these modules the motors: each behaviour is a leaf with a name.
pub fn primitive_set(modules: &[Module]) -> PrimitiveSet {
    let mut text = String::from(COMMON);
    for behaviour in Behaviour::ALL.into_iter().filter(|behaviour| modules.contains(&behaviour.module())) {
        let _ = writeln!(text, "{} = \"signal {}\"", behaviour.name(), behaviour as u8);
    }
    PrimitiveSet::parse("arbiter", &text).expect("the built-in primitive sets are sound")
}

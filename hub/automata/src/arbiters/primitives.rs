//! Primitive set of the behaviour trees that arbitrate between modules.

use std::fmt::Write;
use xpuck_automata::automaton::Module;
use xpuck_automata::cargo::Behaviour;
use xpuck_evolve::PrimitiveSet;

/// Part of the primitive set that is common to all sets of modules. Queries test whether a vector points ahead
/// (quadrant 1) or is short (quadrant 0). The registers are those that an [`xpuck_automata::cargo::Arbiter`] sets.
/// Lists must not be empty. Scalar registers are therefore listed, although no node of these trees reads them.
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

/// Returns the primitive set of trees that can give the motors to `modules`. Each behaviour of these modules is a
/// named leaf.
pub fn primitive_set(modules: &[Module]) -> PrimitiveSet {
    let mut text = String::from(COMMON);
    for behaviour in Behaviour::ALL.into_iter().filter(|behaviour| modules.contains(&behaviour.module())) {
        let _ = writeln!(text, "{} = \"signal {}\"", behaviour.name(), behaviour as u8);
    }
    PrimitiveSet::parse("arbiter", &text).expect("the built-in primitive sets are sound")
}

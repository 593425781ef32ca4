//! Test of new rules: conditions and actions of a primitive set whose subtrees and registers read the floor.

use std::collections::BTreeSet;
use xpuck_evolve::{Gene, PrimitiveSet, RuleListBuilder};
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::{GROUND, Kind};

const SET: &str = r#"
inner = ["seq2", "sel2", "invert"]
leaves = ["movcv", "ifsect"]

[registers]
scalar_sources = ["s_ground", "s_n"]
vector_sources = ["v_zero", "s_ground", "s_n"]
scalar_destinations = ["s_scr"]
vector_destinations = ["v_goal", "v_scr"]

[subtrees]
a_black = "ifsect s_ground 180deg 40deg"
b_stop = "mulav v_goal v_zero 1 v_zero"
c_remember = """
seq
  ifsect s_ground 180deg 40deg
  movcs s_scr 1
"""
d_explore = "explore 20"
e_signal = "signal 3"
"#;

/// Draws 200 results of `draw`, and returns the numbers of the subtrees and the operands of `ifsect` in them.
fn drawn(draw: impl Fn(&mut Draws) -> Vec<Gene>) -> (BTreeSet<u16>, BTreeSet<u32>) {
    let (mut subtrees, mut sources) = (BTreeSet::new(), BTreeSet::new());
    let mut draws = Draws::new(1, 0, 0, 0, Stream::Device);
    for gene in (0..200).flat_map(|_| draw(&mut draws)) {
        match gene {
            Gene::Subtree(number) => drop(subtrees.insert(number)),
            Gene::Node(node) if node.kind == Kind::Ifsect => drop(sources.insert(node.operands[0] as u32)),
            _ => {}
        }
    }
    (subtrees, sources)
}

#[test]
fn subtrees_that_test_and_set_no_goal_are_conditions() {
    let set = PrimitiveSet::parse("set.toml", SET).unwrap();
    let builder = RuleListBuilder::new(&set).unwrap();
    assert_eq!(drawn(|draws| builder.condition(draws)).0, BTreeSet::from([0, 2]));
    assert_eq!(drawn(|draws| builder.action(draws)).0, BTreeSet::from([1, 3, 4]));
    assert!(builder.tests(&[Gene::Subtree(0)]) && !builder.tests(&[Gene::Subtree(1)]));
}

#[test]
fn conditions_read_the_ground_as_a_direction() {
    let set = PrimitiveSet::parse("set.toml", SET).unwrap();
    let builder = RuleListBuilder::new(&set).unwrap();
    // The pair of s_n and s_scr is no direction, so s_n is not drawn.
    assert_eq!(drawn(|draws| builder.condition(draws)).1, BTreeSet::from([GROUND as u32]));
}

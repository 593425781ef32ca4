//! Tests of the allowed primitives, and of the conversion between bit strings and trees by a grammar.

use super::*;
use xpuck_kernels::random::{Draws, Stream};
use xpuck_kernels::tree::RegisterMap;

/// Listing 3.1 of the thesis with nodes of the robots' language. The node `if` is replaced by `upfield` with one of two
/// strengths.
const LISTING: &str = r#"
<tree>       ::= <node>
<node>       ::= <leaf_node> | <inner_node>
<inner_node> ::= <seq> | <sel>
<seq>        ::= "seq2" <node> <node> | "seq3" <node> <node> <node>
<sel>        ::= "sel2" <node> <node> | "sel3" <node> <node> <node>
<leaf_node>  ::= "upfield" <condition> | "bleft" | "bright" | "bfront"
<condition>  ::= "1" | "2"
"#;

fn text_of(bits: &str, depth: usize) -> String {
    let primitive_set = PrimitiveSet::in_swarm();
    let grammar = primitive_set.read_grammar(LISTING).unwrap();
    let mut string = Bits::zero(bits.len());
    bits.bytes().enumerate().filter(|(_, b)| *b == b'1').for_each(|(at, _)| string.flip(at));
    primitive_set.express(&[grammar.generate(&string, depth, &primitive_set.operands).unwrap()]).to_string()
}

#[test]
fn listing_3_2_wraps_around_once() {
    let tree = "seq\n  seq\n    upfield 2\n    bleft\n  upfield 2\n";
    assert_eq!(text_of("1001000001001000", 8), tree);
}

#[test]
fn string_of_ones_ends_at_depth_limit() {
    // At the depth limit `<node>` has only one alternative and consumes no bits.
    let leaves = "    bfront\n".repeat(3);
    assert_eq!(text_of("11111111", 2), format!("sel\n{}", format!("  sel\n{leaves}").repeat(3)));
    assert_eq!(text_of("11111111", 0), "bfront\n");
}

#[test]
fn bit_string_is_recovered_from_generated_tree() {
    let primitive_set = PrimitiveSet::in_swarm();
    let (mut found, mut all) = (0, 0);
    for i in 0..200 {
        let bits = Bits::random(1024, &mut Draws::new(1, 0, i, 0, Stream::Evolution));
        let Some(branch) = primitive_set.generate(&bits, 4).filter(|b| primitive_set.fits(std::slice::from_ref(b)))
        else {
            continue;
        };
        all += 1;
        // Generation may read the bits of a string several times. Recovery writes separate bits for each choice, so the
        // recovered string is longer.
        if let Some(again) = primitive_set.recover(&branch, 4, 16 * 1024) {
            assert_eq!(primitive_set.generate(&again, 4), Some(branch));
            found += 1;
        }
    }
    assert!(all > 150 && found == all, "{found} of {all}");
}

#[test]
fn trees_from_outside_are_checked() {
    let primitive_set = PrimitiveSet::in_swarm();
    let allows = |text: &str| primitive_set.allows(&Tree::parse(text).unwrap());
    assert!(allows("seq\n  movcv v_goal 0deg\n  rotav v_scr v_up 3deg s_n\n"));
    assert!(!allows("movcv v_blue 0deg"), "evolution does not write read-only registers");
    assert!(!allows("mulav v_goal v_red 1 v_up"), "red is not in Table 8.2");
    assert!(!allows("explore 5"));
    assert!(!allows("seq\n  successl\n"), "arity 1 is not built");
}

#[test]
fn transferability_set_has_nodes_of_table_7_4() {
    let primitive_set = PrimitiveSet::transferability();
    let allows = |text: &str| primitive_set.allows(&Tree::parse(text).unwrap());
    assert!(allows(
        "seq\n  explore 5\n  mulav v_goal v_red 1 v_up\n  neighbour 1 2\n  sel\n    fixedprob 3\n    avoiding\n"
    ));
    assert!(!allows("rotav v_scr v_up 3deg s_n"), "not implemented at the time");
    assert!(!allows("bsearch 3deg") && !allows("ifquad v_prox 1"));
}

#[test]
fn ground_set_builds_trees_that_read_the_floor() {
    let set = PrimitiveSet::parse("ground.toml", include_str!("../../../../docs/primitive-sets/ground.toml")).unwrap();
    let tests = ["ifsect s_ground 180deg 39deg", "ifquad s_ground 0", "ifprob s_ground 4 0.5"];
    for tree in tests.map(|text| Tree::parse(text).unwrap()) {
        assert!(set.allows(&tree) && !PrimitiveSet::in_swarm().allows(&tree), "{tree}");
    }
    assert!(!set.allows(&Tree::parse("movcs s_ground 1").unwrap()), "evolution does not write read-only registers");
    let mut draws = Draws::new(1, 0, 0, 0, Stream::Evolution);
    let primitives = crate::generate::Primitives { primitive_set: &set, functions: 0 };
    let trees: Vec<Tree> = (0..300).map(|_| set.express(&[crate::generate::grow(primitives, 4, &mut draws)])).collect();
    assert!(trees.iter().all(|tree| Tree::parse(&tree.to_string()).as_ref() == Ok(tree) && set.allows(tree)));
    let readers = trees.iter().filter(|tree| crate::ground_read(tree)).count();
    assert!((30..270).contains(&readers), "{readers} of 300 trees read the floor");
}

#[test]
fn kilobot_set_builds_trees_of_kilobot_nodes_only() {
    let set = PrimitiveSet::kilobot();
    let read = |text: &str| Tree::parse_with(text, RegisterMap::Kilobot, false).unwrap();
    assert!(set.is_for_kilobots() && !PrimitiveSet::in_swarm().is_for_kilobots());
    assert!(set.allows(&read(include_str!("../../../../docs/kilobots/figure-4-6.bt"))));
    assert!(set.allows(&read("probm3 0.2 0.3\n  mf\n  set scratchpad 0.5\n  ifltvar density delta_density\n")));
    assert!(!set.allows(&Tree::parse("seqm\n  movcv v_goal 0deg\n  successl\n").unwrap()));
    assert!(!PrimitiveSet::in_swarm().allows(&read("mf")), "nor an e-puck of a Kilobot's");
    let mut draws = Draws::new(1, 0, 0, 0, Stream::Evolution);
    let primitives = crate::generate::Primitives { primitive_set: &set, functions: 0 };
    let mut seen = std::collections::BTreeSet::new();
    for _ in 0..2000 {
        let tree = set.express(&[crate::generate::grow(primitives, 4, &mut draws)]);
        assert_eq!(read(&tree.to_string()), tree);
        seen.extend(tree.nodes().iter().map(|node| (node.kind, node.children)));
    }
    assert_eq!(seen.len(), 22, "all of them: {seen:?}");
}

#[test]
fn set_with_mixed_robot_kinds_is_rejected() {
    let kilobot = include_str!("kilobot.toml");
    let wrong = |text: &str| PrimitiveSet::parse("set.toml", text).unwrap_err().message;
    let mixed = wrong(&kilobot.replace("\"successl\"", "\"movcs\""));
    assert_eq!(mixed, "`probm2` is a node of the Kilobot, which has no `movcs`; a set must be for one kind of robot");
    assert!(wrong(&kilobot.replace("\"density\", ", "\"v_prox.x\", ")).starts_with("entries.sources: unknown entry"));
    assert!(
        wrong(&kilobot.replace("destinations = [\"scratchpad\"", "destinations = [\"density\""))
            .contains("cannot be written")
    );
    assert!(wrong(&kilobot.replace("\"probm2\"", "\"probm\"")).contains("unknown node `probm`"));
    assert_eq!(wrong(kilobot), "the nodes are for Kilobots, but the robots here are e-pucks");
    let swarm = PrimitiveSet::parse_kilobots("in-swarm.toml", include_str!("in-swarm.toml")).unwrap_err();
    assert_eq!(swarm.message, "the nodes are for e-pucks, but the robots here are Kilobots");
    let epuck = "inner = [\"seqm2\"]\nleaves = [\"successl\"]\n";
    assert!(wrong(epuck).starts_with("registers is missing"));
    assert!(wrong(&format!("{epuck}[entries]\nsources = []\ndestinations = []\n")).starts_with("registers is missing"));
}

#[test]
fn subtrees_have_readable_names_and_consist_of_nodes() {
    let base = include_str!("in-swarm.toml");
    let error = |entry: &str| {
        let text = format!("{base}\n[subtrees]\nstop = \"mulav v_goal v_zero 1 v_zero\"\n{entry}\n");
        PrimitiveSet::parse("set.toml", &text).map(drop).unwrap_err().to_string()
    };
    for name in ["\"a b\"", "\"#c\"", "\"\"", "\"movcv v_goal\""] {
        assert!(
            error(&format!("{name} = \"bleft\"")).contains("a name consists of letters, digits, _ and -"),
            "{name}"
        );
    }
    assert!(error("nothing = \"# nothing\"").contains("subtrees.nothing: is empty"));
    let circular = error("twice = \"\"\"\nseq\n  stop\n  stop\n\"\"\"");
    assert!(circular.contains("subtrees.twice: uses the subtree stop; write its nodes instead"), "{circular}");
}

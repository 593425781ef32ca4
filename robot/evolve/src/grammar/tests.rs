//! Generation and the way back.

use super::*;
use crate::genotype::{express, fits};
use xpuck_kernels::random::{Draws, Stream};

/// Listing 3.1 of the thesis with nodes of ours: `if` is a turn of one strength or another.
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
    let palette = Palette::in_swarm();
    let grammar = Grammar::parse(LISTING, &palette).unwrap();
    let mut string = Bits::zero(bits.len());
    bits.bytes().enumerate().filter(|(_, b)| *b == b'1').for_each(|(at, _)| string.flip(at));
    express(&[grammar.generate(&string, depth, &palette).unwrap()], &palette).to_string()
}

#[test]
fn listing_3_2_wraps_around_once() {
    let tree = "seq\n  seq\n    upfield 2\n    bleft\n  upfield 2\n";
    assert_eq!(text_of("1001000001001000", 8), tree);
}

#[test]
fn a_string_of_ones_ends_at_the_depth_limit() {
    // Where no inner node may stand, `<node>` has one alternative and consumes no bit.
    let leaves = "    bfront\n".repeat(3);
    assert_eq!(text_of("11111111", 2), format!("sel\n{}", format!("  sel\n{leaves}").repeat(3)));
    assert_eq!(text_of("11111111", 0), "bfront\n");
}

#[test]
fn a_generated_tree_leads_back_to_a_string_that_generates_it() {
    let palette = Palette::in_swarm();
    let (mut found, mut all) = (0, 0);
    for i in 0..200 {
        let bits = Bits::random(1024, &mut Draws::new(1, 0, i, 0, Stream::Evolution));
        let Some(branch) =
            palette.grammar().generate(&bits, 4, &palette).filter(|b| fits(std::slice::from_ref(b), &palette))
        else {
            continue;
        };
        all += 1;
        // A tree that wrapped around needs more bits than it had.
        if let Some(again) = palette.grammar().recover(&branch, 4, 16 * 1024, &palette) {
            assert_eq!(palette.grammar().generate(&again, 4, &palette), Some(branch));
            found += 1;
        }
    }
    assert!(all > 150 && found == all, "{found} of {all}");
}

#[test]
fn alternatives_that_are_no_power_of_two_are_nearly_equally_likely() {
    let mut counts = [0; 15];
    for i in 0..3000 {
        let bits = Bits::random(64, &mut Draws::new(2, 0, i, 0, Stream::Evolution));
        counts[Reader { bits: &bits, at: 0 }.choose(15)] += 1;
    }
    // 200 each; four standard deviations are 55, and 8 spare numbers in 256 are uneven.
    assert!(counts.iter().all(|n| (130..270).contains(n)), "{counts:?}");
}

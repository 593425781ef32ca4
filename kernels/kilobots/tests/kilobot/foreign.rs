//! Tests that e-pucks and Kilobots each reject content for the other kind of robot, with an error of one line.

use xpuck_kernels::analysis::reduce::{Options, reduce};
use xpuck_kernels::tree::exchange::{
    from_binary, from_compact, from_json, from_xml, to_binary, to_compact, to_json, to_xml,
};
use xpuck_kernels::tree::{Program, RegisterMap, Tree};

fn kilobots() -> Tree {
    Tree::parse_with("seqm\n  ifltcon density 0.5\n  mf\n", RegisterMap::Kilobot, false).unwrap()
}

#[test]
fn epuck_rejects_kilobot_tree_in_every_format() {
    let lacks = "`ifltcon` is a node of the Kilobot; an e-puck does not have it";
    assert_eq!(Program::compile(&kilobots()).unwrap_err().to_string(), lacks);
    assert_eq!(Tree::parse(&kilobots().to_string()).unwrap_err().message, lacks);
    assert_eq!(from_json(&to_json(&kilobots())).unwrap_err().message, lacks);
    assert_eq!(from_xml(&to_xml(&kilobots())).unwrap_err().message, lacks);
    assert!(from_binary(&to_binary(&kilobots()).unwrap()).unwrap_err().to_string().contains("is not a node kind"));
}

#[test]
fn kilobot_tree_is_not_reduced() {
    assert_eq!(from_compact(&to_compact(&kilobots())).unwrap(), kilobots());
    let reduction = reduce(&kilobots(), Options::default());
    assert_eq!((reduction.tree, reduction.steps.len()), (kilobots(), 0));
}

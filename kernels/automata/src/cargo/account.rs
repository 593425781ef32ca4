//! Plain English description of an arbiter.

use super::arbiter::{Arbiter, Behaviour};
use std::fmt::Write;
use xpuck_kernels::tree::Kind;
use xpuck_kernels::tree::registers::vector_name;

/// Returns a description of an arbiter, with one line per node. Children are indented below their parent.
pub fn account(arbiter: &Arbiter) -> String {
    let mut text = String::from("Ten times a second, the tree selects the behaviour that drives the robot:\n\n");
    let nodes = arbiter.tree().nodes();
    // Number of children still to print for each open node.
    let mut open: Vec<u16> = Vec::new();
    for node in nodes {
        let words = match node.kind {
            Kind::Sel => "the first of these that succeeds:".into(),
            Kind::Seq => "one after the other, as long as each succeeds:".into(),
            Kind::Invert => "succeeds if this fails:".into(),
            Kind::Ifquad => question(vector_name(node.operands[0] as u8), node.operands[1]).unwrap_or(node.to_string()),
            Kind::Signal => order(arbiter.behaviour(node.operands[0] as u8)).into(),
            _ => node.to_string(),
        };
        let _ = writeln!(text, "{:1$}- {words}", "", 2 * open.len());
        if node.children > 0 {
            open.push(node.children);
            continue;
        }
        while let Some(left) = open.last_mut() {
            *left -= 1;
            if *left > 0 {
                break;
            }
            open.pop();
        }
    }
    text
}

/// Describes the test whether a register is in quadrant 1 (ahead) or 0 (short). Returns `None` for any other register
/// or quadrant.
fn question(register: &str, quadrant: f32) -> Option<String> {
    let (is, is_not) = match register {
        "v_prox" => ("the bumper is pressed", "the bumper is not pressed"),
        "v_blue" => ("the robot is under a lamp", "the robot is not under a lamp"),
        "v_green" => ("the robot is over a line", "the robot is not over a line"),
        "v_red" => ("a station has just sent a mark", "no station has just sent a mark"),
        "v_light" => ("the line follower controls the motors", "the line follower does not control the motors"),
        _ => return None,
    };
    match quadrant {
        1.0 => Some(format!("succeeds if {is}")),
        0.0 => Some(format!("succeeds if {is_not}")),
        _ => None,
    }
}

fn order(behaviour: Option<Behaviour>) -> &'static str {
    match behaviour {
        Some(Behaviour::Explore) => "explore drives the robot",
        Some(Behaviour::Avoid) => "the robot backs off and turns",
        Some(Behaviour::Follow) => "the line follower drives the robot",
        Some(Behaviour::Load) => "the robot turns round and loads cargo",
        Some(Behaviour::Unload) => "the robot turns round and unloads cargo",
        None => "no behaviour drives the robot",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automaton::Module;
    use xpuck_kernels::tree::Tree;

    #[test]
    fn account_has_one_indented_line_per_node() {
        let text =
            "sel\n  seq\n    ifquad v_prox 1\n    signal 2\n  invert\n    ifquad v_blue 0\n  signal 3\n  successl\n";
        let arbiter = Arbiter::new(Tree::parse(text).unwrap(), &[Module::Avoidance]).unwrap();
        assert_eq!(
            account(&arbiter),
            "Ten times a second, the tree selects the behaviour that drives the robot:\n\n\
             - the first of these that succeeds:\n  \
             - one after the other, as long as each succeeds:\n    \
             - succeeds if the bumper is pressed\n    \
             - the robot backs off and turns\n  \
             - succeeds if this fails:\n    \
             - succeeds if the robot is not under a lamp\n  \
             - no behaviour drives the robot\n  \
             - successl\n"
        );
    }
}

//! The node table: the one list from which parser, printer, compiler and random generator work (Tables 3.1, 6.5, 7.4;
//! results and side effects from Table 8.7).

use super::nodes::{Group, Kind, NodeSpec, Operand, OperandSpec, Results};
use Operand::{
    Angle, Count, Fixed, Float, Gain, Int8, Quadrant, Scalar, ScalarDest, Threshold, Vector, VectorDest, Width,
};

/// What a node may return, and whether it writes.
type Effect = (Results, bool);

const fn results(success: bool, failure: bool, running: bool) -> Results {
    Results { success, failure, running }
}

const ANY: Effect = (results(true, true, true), false);
const SUCCEEDS: Effect = (results(true, false, true), false);
const FAILS: Effect = (results(false, true, true), false);
const TESTS: Effect = (results(true, true, false), false);
const SUCCESS: Effect = (results(true, false, false), false);
const FAILURE: Effect = (results(false, true, false), false);
const WRITES: Effect = (results(true, false, true), true);
const MAY_WRITE: Effect = (results(true, true, true), true);

const fn op(name: &'static str, operand: Operand) -> OperandSpec {
    OperandSpec { name, operand }
}

const fn row(
    kind: Kind,
    name: &'static str,
    group: Group,
    operands: &'static [OperandSpec],
    (results, writes): Effect,
    meaning: &'static str,
) -> NodeSpec {
    NodeSpec { kind, name, group, operands, results, writes, meaning }
}

const MULTIPLY_ADD: &[OperandSpec] = &[op("d", ScalarDest), op("s1", Scalar), op("f", Float), op("s2", Scalar)];
const MULTIPLY_ADD_V: &[OperandSpec] = &[op("d", VectorDest), op("s1", Vector), op("f", Float), op("s2", Vector)];

/// The node table, in the order of [`Kind`].
pub(super) const TABLE: [NodeSpec; 33] = [
    row(Kind::Seq, "seq", Group::Composite, &[], ANY, "tick children in order until one does not succeed"),
    row(Kind::Sel, "sel", Group::Composite, &[], ANY, "tick children in order until one does not fail"),
    row(Kind::Seqm, "seqm", Group::Composite, &[], ANY, "seq that resumes at the child that was running"),
    row(Kind::Selm, "selm", Group::Composite, &[], ANY, "sel that resumes at the child that was running"),
    row(
        Kind::Par,
        "par",
        Group::Composite,
        &[op("k", Threshold)],
        ANY,
        "tick all children; success when k of them succeed",
    ),
    row(Kind::Successd, "successd", Group::Decorator, &[], SUCCEEDS, "success whatever the child's result"),
    row(Kind::Failed, "failed", Group::Decorator, &[], FAILS, "failure whatever the child's result"),
    row(Kind::Invert, "invert", Group::Decorator, &[], ANY, "success becomes failure and the reverse"),
    row(Kind::Repeati, "repeati", Group::Decorator, &[op("n", Count)], ANY, "running until the child's n-th success"),
    row(
        Kind::Repeatr,
        "repeatr",
        Group::Decorator,
        &[op("n", Count)],
        ANY,
        "repeati with a count drawn from 1..=n at its start",
    ),
    row(Kind::Movcs, "movcs", Group::Action, &[op("d", ScalarDest), op("i", Int8)], WRITES, "d <- i"),
    row(
        Kind::Movcv,
        "movcv",
        Group::Action,
        &[op("d", VectorDest), op("i", Angle)],
        WRITES,
        "d <- unit vector at angle i",
    ),
    row(Kind::Mulas, "mulas", Group::Action, MULTIPLY_ADD, WRITES, "d <- s1 + f s2, scalars"),
    row(Kind::Mulav, "mulav", Group::Action, MULTIPLY_ADD_V, WRITES, "d <- s1 + f s2, vectors"),
    row(
        Kind::Rotav,
        "rotav",
        Group::Action,
        &[op("d", VectorDest), op("s1", Vector), op("i", Angle), op("s2", Vector)],
        WRITES,
        "d <- s1 + s2 turned by angle i",
    ),
    row(
        Kind::Ifprob,
        "ifprob",
        Group::Query,
        &[op("s", Scalar), op("k", Fixed), op("l", Fixed)],
        TESTS,
        "success with probability 1/(1+exp(k(l-s)))",
    ),
    row(
        Kind::Ifquad,
        "ifquad",
        Group::Query,
        &[op("s", Vector), op("i", Quadrant)],
        TESTS,
        "success if s is in quadrant i",
    ),
    row(
        Kind::Ifsect,
        "ifsect",
        Group::Query,
        &[op("s", Vector), op("i", Angle), op("j", Width)],
        TESTS,
        "success if s is in the sector of width j about angle i; j = 0: if s is short",
    ),
    row(Kind::Successl, "successl", Group::Query, &[], SUCCESS, "success"),
    row(Kind::Failurel, "failurel", Group::Query, &[], FAILURE, "failure"),
    row(Kind::Upfield, "upfield", Group::Action, &[op("g", Gain)], WRITES, "v_goal <- g v_up - 5 v_prox"),
    row(
        Kind::Attract,
        "attract",
        Group::Action,
        &[op("g", Gain)],
        WRITES,
        "v_goal <- g v_attr - 5 v_prox with neighbours, else forward",
    ),
    row(
        Kind::Explore,
        "explore",
        Group::Subtree,
        &[op("r", Count)],
        WRITES,
        "forward; at an obstacle turn away for up to r steps",
    ),
    row(
        Kind::Neighbour,
        "neighbour",
        Group::Subtree,
        &[op("k", Fixed), op("l", Fixed)],
        TESTS,
        "success with a probability that depends on the number of neighbours",
    ),
    row(
        Kind::Fixedprob,
        "fixedprob",
        Group::Subtree,
        &[op("k", Fixed)],
        TESTS,
        "success with probability 1/(1+exp(k/4))",
    ),
    row(Kind::Avoiding, "avoiding", Group::Subtree, &[], MAY_WRITE, "if something is in front, turn away from it"),
    row(
        Kind::Red,
        "red",
        Group::Subtree,
        &[op("b", Fixed)],
        TESTS,
        "if red is seen, success with probability 1/(1+exp(b/4))",
    ),
    row(Kind::Green, "green", Group::Subtree, &[op("b", Fixed)], TESTS, "as red, for green"),
    row(Kind::Blue, "blue", Group::Subtree, &[op("b", Fixed)], TESTS, "as red, for blue"),
    row(Kind::Bleft, "bleft", Group::Subtree, &[], TESTS, "success if blue is seen to the left"),
    row(Kind::Bright, "bright", Group::Subtree, &[], TESTS, "success if blue is seen to the right"),
    row(Kind::Bfront, "bfront", Group::Subtree, &[], TESTS, "success if blue is seen straight ahead"),
    row(
        Kind::Bsearch,
        "bsearch",
        Group::Subtree,
        &[op("i", Angle)],
        MAY_WRITE,
        "success if blue is ahead, else creep at angle i",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_in_the_order_of_the_kinds() {
        for (i, r) in TABLE.iter().enumerate() {
            assert_eq!(r.kind as usize, i, "{}", r.name);
            assert_eq!(Kind::of_name(r.name), Some(r.kind));
            assert!(r.operands.len() <= 4);
        }
    }
}

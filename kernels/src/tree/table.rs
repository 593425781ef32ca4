//! The node table. Parser, printer, compiler and random generator take the definitions of all nodes from this table. It
//! contains the nodes of thesis Tables 3.1, 6.5 and 7.4, with results and side effects from Table 8.7.

use super::nodes::{Group, Kind, NodeSpec, Operand, OperandSpec, Results};
use Operand::{
    Angle, Count, Entry, EntryDest, Fixed, Float, Gain, Int8, Quadrant, Scalar, ScalarDest, Share, Source, Threshold,
    Vector, VectorDest, Width,
};

/// Possible results of a node, and whether it writes registers.
type Effect = (Results, bool);

const fn results(success: bool, failure: bool, running: bool) -> Results {
    Results { success, failure, running }
}

const ANY: Effect = (results(true, true, true), false);
const SUCCEEDS: Effect = (results(true, false, true), false);
const FAILS: Effect = (results(false, true, true), false);
const TESTS: Effect = (results(true, true, false), false);
const SUCCESS: Effect = (results(true, false, false), false);
/// Effect of the motor nodes of the Kilobot. These nodes are running for one update and succeed in the next update.
const MOVES: Effect = (results(true, false, true), true);
const SETS: Effect = (results(true, false, false), true);
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
const TABLE: [NodeSpec; 48] = [
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
    row(Kind::Successd, "successd", Group::Decorator, &[], SUCCEEDS, "success, whatever the result of the child"),
    row(Kind::Failed, "failed", Group::Decorator, &[], FAILS, "failure, whatever the result of the child"),
    row(Kind::Invert, "invert", Group::Decorator, &[], ANY, "success becomes failure and the reverse"),
    row(Kind::Repeati, "repeati", Group::Decorator, &[op("n", Count)], ANY, "running until the child's n-th success"),
    row(
        Kind::Repeatr,
        "repeatr",
        Group::Decorator,
        &[op("n", Count)],
        ANY,
        "repeati with a count drawn from 1 to n at its start",
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
    row(
        Kind::Signal,
        "signal",
        Group::Action,
        &[op("k", Count)],
        SUCCESS,
        "show k on the lamps in this update; success",
    ),
    row(
        Kind::Network,
        "network",
        Group::Network,
        &[],
        WRITES,
        "update all neurons; v_goal <- outputs of the first two",
    ),
    row(
        Kind::Neuron,
        "neuron",
        Group::Part,
        &[op("b", Float), op("g", Float)],
        SUCCESS,
        "outputs tanh(g (b + sum over its synapses))",
    ),
    row(
        Kind::Synapse,
        "synapse",
        Group::Part,
        &[op("s", Source), op("w", Float)],
        SUCCESS,
        "adds w times register s, or times the last output of neuron s (n1, n2, ...)",
    ),
    row(
        Kind::Probm2,
        "probm2",
        Group::Composite,
        &[op("p1", Share)],
        ANY,
        "tick the first child with probability p1, else the second; resumes at the child that was running",
    ),
    row(
        Kind::Probm3,
        "probm3",
        Group::Composite,
        &[op("p1", Share), op("p2", Share)],
        ANY,
        "as probm2 with three children; the last has probability 1 - p1 - p2",
    ),
    row(
        Kind::Probm4,
        "probm4",
        Group::Composite,
        &[op("p1", Share), op("p2", Share), op("p3", Share)],
        ANY,
        "as probm2 with four children; the last has probability 1 - p1 - p2 - p3",
    ),
    row(Kind::Mf, "mf", Group::Action, &[], MOVES, "move forward for one update, running; then success"),
    row(Kind::Ml, "ml", Group::Action, &[], MOVES, "turn left for one update, running; then success"),
    row(Kind::Mr, "mr", Group::Action, &[], MOVES, "turn right for one update, running; then success"),
    row(Kind::Ifltvar, "ifltvar", Group::Query, &[op("v", Entry), op("w", Entry)], TESTS, "success if v < w"),
    row(Kind::Ifgevar, "ifgevar", Group::Query, &[op("v", Entry), op("w", Entry)], TESTS, "success if v >= w"),
    row(Kind::Ifltcon, "ifltcon", Group::Query, &[op("v", Entry), op("k", Float)], TESTS, "success if v < k"),
    row(Kind::Ifgecon, "ifgecon", Group::Query, &[op("v", Entry), op("k", Float)], TESTS, "success if v >= k"),
    row(Kind::Set, "set", Group::Action, &[op("w", EntryDest), op("k", Float)], SETS, "w <- k"),
];

impl Kind {
    /// Returns every kind, in the order of the table.
    pub fn all() -> impl Iterator<Item = Kind> {
        TABLE.iter().map(|r| r.kind)
    }

    /// Returns every kind of an e-puck's tree, except networks, neurons and synapses.
    pub fn outside_networks() -> impl Iterator<Item = Kind> {
        Kind::all().filter(|kind| !kind.spec().group.is_network() && !kind.is_kilobots_own())
    }

    /// Returns the kind's row of the node table.
    pub fn spec(self) -> &'static NodeSpec {
        &TABLE[self as usize]
    }

    /// Returns the kind with the given name, without an arity suffix.
    pub fn of_name(name: &str) -> Option<Kind> {
        TABLE.iter().find(|r| r.name == name).map(|r| r.kind)
    }

    /// Checks that a node of this kind can have `n` children. The error describes the problem.
    pub(super) fn check_children(self, n: usize) -> Result<(), String> {
        let name = self.spec().name;
        Err(match self.spec().group {
            Group::Composite if n == 0 => format!("{name} needs at least one child"),
            Group::Composite if self == Kind::Par && n > 127 => "par takes at most 127 children".into(),
            Group::Composite if self.fixed_children().is_some_and(|wanted| usize::from(wanted) != n) => {
                format!("{name} has {n} children; {} are needed", self.fixed_children().unwrap_or(0))
            }
            Group::Decorator if n != 1 => format!("{name} needs exactly one child, not {n}"),
            Group::Action | Group::Query | Group::Subtree if n > 0 => format!("{name} takes no children"),
            Group::Network if n < 2 => "network needs at least two neurons: they drive the robot".into(),
            Group::Part if self == Kind::Synapse && n > 0 => format!("{name} takes no children"),
            _ => return Ok(()),
        })
    }

    /// Returns the size of a node in the binary form (bytes), a multiple of 4. A node has 2 bytes for kind and number
    /// of children, 2 bytes for the state index, its operands, and 2 bytes per child. The average is about 8 bytes,
    /// as in thesis 5.3.3.
    pub fn bytes(self, children: usize) -> usize {
        let operands: usize =
            self.spec().operands.iter().map(|o| if matches!(o.operand, Float | Gain | Share) { 4 } else { 1 }).sum();
        (4 + operands + 2 * children).div_ceil(4) * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_follows_kind_order() {
        for (i, r) in TABLE.iter().enumerate() {
            assert_eq!(r.kind as usize, i, "{}", r.name);
            assert_eq!(Kind::of_name(r.name), Some(r.kind));
            assert!(r.operands.len() <= 4);
        }
    }

    #[test]
    fn nodes_average_about_eight_bytes() {
        let evolved = [
            Kind::Movcs,
            Kind::Movcv,
            Kind::Mulas,
            Kind::Mulav,
            Kind::Rotav,
            Kind::Ifprob,
            Kind::Ifsect,
            Kind::Successl,
            Kind::Failurel,
            Kind::Upfield,
            Kind::Attract,
        ];
        let leaves: usize = evolved.iter().map(|k| k.bytes(0)).sum();
        let inner = Kind::Seq.bytes(2) + Kind::Seq.bytes(3) + Kind::Seq.bytes(4) + Kind::Invert.bytes(1);
        let mean = (leaves + inner) as f32 / (evolved.len() + 4) as f32;
        assert!((7.0..9.5).contains(&mean), "mean size {mean}");
    }
}

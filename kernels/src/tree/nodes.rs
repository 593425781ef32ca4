//! The node table: the one list from which parser, printer, compiler and random generator work (Tables 3.1, 6.5, 7.4).

use Operand::{
    Angle, Count, Fixed, Float, Gain, Int8, Quadrant, Scalar, ScalarDest, Threshold, Vector, VectorDest, Width,
};

/// What a node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
#[allow(missing_docs, reason = "the node table holds each kind's meaning")]
pub enum Kind {
    Seq,
    Sel,
    Seqm,
    Selm,
    Par,
    Successd,
    Failed,
    Invert,
    Repeati,
    Repeatr,
    Movcs,
    Movcv,
    Mulas,
    Mulav,
    Rotav,
    Ifprob,
    Ifquad,
    Ifsect,
    Successl,
    Failurel,
    Upfield,
    Attract,
    Explore,
    Neighbour,
    Fixedprob,
    Avoiding,
    Red,
    Green,
    Blue,
    Bleft,
    Bright,
    Bfront,
    Bsearch,
}

/// Where a node may stand and what it may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// One or more children, chosen between.
    Composite,
    /// One child, its result changed.
    Decorator,
    /// A leaf that writes the blackboard.
    Action,
    /// A leaf that only reads the blackboard.
    Query,
    /// A leaf that stands for a small tree (thesis 6.5).
    Subtree,
}

/// What an operand may be; registers are cells of the full map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A cell to write.
    ScalarDest,
    /// An even cell to write, with the one after it.
    VectorDest,
    /// A cell to read.
    Scalar,
    /// An even cell to read, with the one after it.
    Vector,
    /// An integer, -128..=127.
    Int8,
    /// An angle in steps of pi/128, -128..=127.
    Angle,
    /// A sector's width in steps of pi/128, 0..=255.
    Width,
    /// 5.3 signed fixed point: -16..=15.875 in steps of 0.125.
    Fixed,
    /// Any finite number; evolution draws from -32..=32.
    Float,
    /// A strength; any finite number; evolution draws from -5..=5.
    Gain,
    /// A number of successes or steps, 1..=255; evolution draws from 1..=100.
    Count,
    /// A quadrant, -4..=4.
    Quadrant,
    /// How many children of `par` must succeed, 1..=127.
    Threshold,
}

impl Operand {
    /// Lowest and highest value that may be written.
    pub fn range(self) -> (f32, f32) {
        match self {
            Int8 | Angle => (-128.0, 127.0),
            Width => (0.0, 255.0),
            Fixed => (-16.0, 15.875),
            Float | Gain => (f32::MIN, f32::MAX),
            Count => (1.0, 255.0),
            Quadrant => (-4.0, 4.0),
            Threshold => (1.0, 127.0),
            ScalarDest | VectorDest | Scalar | Vector => (0.0, 255.0),
        }
    }

    /// True for operands that name a register.
    pub fn is_register(self) -> bool {
        matches!(self, ScalarDest | VectorDest | Scalar | Vector)
    }

    /// True for operands that name a pair of cells.
    pub fn is_vector(self) -> bool {
        matches!(self, VectorDest | Vector)
    }
}

/// One operand of a node: its name in Table 6.5 and its type.
#[derive(Clone, Copy, Debug)]
pub struct OperandSpec {
    /// Name in Table 6.5.
    pub name: &'static str,
    /// What it may be.
    pub operand: Operand,
}

/// One row of the node table.
#[derive(Clone, Copy, Debug)]
pub struct NodeSpec {
    /// Which node.
    pub kind: Kind,
    /// Name in the text form.
    pub name: &'static str,
    /// Where it may stand.
    pub group: Group,
    /// Its operands in the order of the text form; at most four.
    pub operands: &'static [OperandSpec],
    /// Meaning in one line.
    pub meaning: &'static str,
}

const fn op(name: &'static str, operand: Operand) -> OperandSpec {
    OperandSpec { name, operand }
}

const fn row(
    kind: Kind,
    name: &'static str,
    group: Group,
    operands: &'static [OperandSpec],
    meaning: &'static str,
) -> NodeSpec {
    NodeSpec { kind, name, group, operands, meaning }
}

const MULTIPLY_ADD: &[OperandSpec] = &[op("d", ScalarDest), op("s1", Scalar), op("f", Float), op("s2", Scalar)];
const MULTIPLY_ADD_V: &[OperandSpec] = &[op("d", VectorDest), op("s1", Vector), op("f", Float), op("s2", Vector)];

/// The node table, in the order of [`Kind`].
const TABLE: [NodeSpec; 33] = [
    row(Kind::Seq, "seq", Group::Composite, &[], "tick children in order until one does not succeed"),
    row(Kind::Sel, "sel", Group::Composite, &[], "tick children in order until one does not fail"),
    row(Kind::Seqm, "seqm", Group::Composite, &[], "seq that resumes at the child that was running"),
    row(Kind::Selm, "selm", Group::Composite, &[], "sel that resumes at the child that was running"),
    row(Kind::Par, "par", Group::Composite, &[op("k", Threshold)], "tick all children; success when k of them succeed"),
    row(Kind::Successd, "successd", Group::Decorator, &[], "success whatever the child's result"),
    row(Kind::Failed, "failed", Group::Decorator, &[], "failure whatever the child's result"),
    row(Kind::Invert, "invert", Group::Decorator, &[], "success becomes failure and the reverse"),
    row(Kind::Repeati, "repeati", Group::Decorator, &[op("n", Count)], "running until the child's n-th success"),
    row(
        Kind::Repeatr,
        "repeatr",
        Group::Decorator,
        &[op("n", Count)],
        "repeati with a count drawn from 1..=n at its start",
    ),
    row(Kind::Movcs, "movcs", Group::Action, &[op("d", ScalarDest), op("i", Int8)], "d <- i"),
    row(Kind::Movcv, "movcv", Group::Action, &[op("d", VectorDest), op("i", Angle)], "d <- unit vector at angle i"),
    row(Kind::Mulas, "mulas", Group::Action, MULTIPLY_ADD, "d <- s1 + f s2, scalars"),
    row(Kind::Mulav, "mulav", Group::Action, MULTIPLY_ADD_V, "d <- s1 + f s2, vectors"),
    row(
        Kind::Rotav,
        "rotav",
        Group::Action,
        &[op("d", VectorDest), op("s1", Vector), op("i", Angle), op("s2", Vector)],
        "d <- s1 + s2 turned by angle i",
    ),
    row(
        Kind::Ifprob,
        "ifprob",
        Group::Query,
        &[op("s", Scalar), op("k", Fixed), op("l", Fixed)],
        "success with probability 1/(1+exp(k(l-s)))",
    ),
    row(Kind::Ifquad, "ifquad", Group::Query, &[op("s", Vector), op("i", Quadrant)], "success if s is in quadrant i"),
    row(
        Kind::Ifsect,
        "ifsect",
        Group::Query,
        &[op("s", Vector), op("i", Angle), op("j", Width)],
        "success if s is in the sector of width j about angle i; j = 0: if s is short",
    ),
    row(Kind::Successl, "successl", Group::Query, &[], "success"),
    row(Kind::Failurel, "failurel", Group::Query, &[], "failure"),
    row(Kind::Upfield, "upfield", Group::Action, &[op("g", Gain)], "v_goal <- g v_up - 5 v_prox"),
    row(
        Kind::Attract,
        "attract",
        Group::Action,
        &[op("g", Gain)],
        "v_goal <- g v_attr - 5 v_prox with neighbours, else forward",
    ),
    row(
        Kind::Explore,
        "explore",
        Group::Subtree,
        &[op("r", Count)],
        "forward; at an obstacle turn away for up to r steps",
    ),
    row(
        Kind::Neighbour,
        "neighbour",
        Group::Subtree,
        &[op("k", Fixed), op("l", Fixed)],
        "success with a probability that depends on the number of neighbours",
    ),
    row(Kind::Fixedprob, "fixedprob", Group::Subtree, &[op("k", Fixed)], "success with probability 1/(1+exp(k/4))"),
    row(Kind::Avoiding, "avoiding", Group::Subtree, &[], "if something is in front, turn away from it"),
    row(Kind::Red, "red", Group::Subtree, &[op("b", Fixed)], "if red is seen, success with probability 1/(1+exp(b/4))"),
    row(Kind::Green, "green", Group::Subtree, &[op("b", Fixed)], "as red, for green"),
    row(Kind::Blue, "blue", Group::Subtree, &[op("b", Fixed)], "as red, for blue"),
    row(Kind::Bleft, "bleft", Group::Subtree, &[], "success if blue is seen to the left"),
    row(Kind::Bright, "bright", Group::Subtree, &[], "success if blue is seen to the right"),
    row(Kind::Bfront, "bfront", Group::Subtree, &[], "success if blue is seen straight ahead"),
    row(Kind::Bsearch, "bsearch", Group::Subtree, &[op("i", Angle)], "success if blue is ahead, else creep at angle i"),
];

impl Kind {
    /// Every kind, in the order of the table.
    pub fn all() -> impl Iterator<Item = Kind> {
        TABLE.iter().map(|r| r.kind)
    }

    /// The kind's row of the node table.
    pub fn spec(self) -> &'static NodeSpec {
        &TABLE[self as usize]
    }

    /// The kind of a name, without an arity suffix.
    pub fn of_name(name: &str) -> Option<Kind> {
        TABLE.iter().find(|r| r.name == name).map(|r| r.kind)
    }

    /// Size in the binary form, bytes: 2 for kind and flags, 2 for the state's place, then operands and 2 per child,
    /// rounded up to 4. About 8 on average, as in thesis 5.3.3.
    pub fn bytes(self, children: usize) -> usize {
        let operands: usize =
            self.spec().operands.iter().map(|o| if matches!(o.operand, Float | Gain) { 4 } else { 1 }).sum();
        (4 + operands + 2 * children).div_ceil(4) * 4
    }
}

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

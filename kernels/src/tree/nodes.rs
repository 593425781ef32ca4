//! Columns of the node table: kinds, operands, results.

use super::entries::{READABLE, WRITABLE};
use super::status::Status;
use Operand::{
    Angle, Count, Entry, EntryDest, Fixed, Float, Gain, Int8, Quadrant, Scalar, ScalarDest, Share, Source, Threshold,
    Vector, VectorDest, Width,
};
use serde::{Deserialize, Serialize};

/// Weight of v_prox in the avoidance term of `upfield`, `attract` and `avoiding`.
pub(crate) const PROX_GAIN: f32 = 5.0;

/// Kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
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
    Signal,
    Network,
    Neuron,
    Synapse,
    Probm2,
    Probm3,
    Probm4,
    Mf,
    Ml,
    Mr,
    Ifltvar,
    Ifgevar,
    Ifltcon,
    Ifgecon,
    Set,
}

/// Group of a node, which determines the allowed positions of the node in a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Has one or more children and selects which of them to tick.
    Composite,
    /// Has one child and changes its result.
    Decorator,
    /// A leaf that writes the blackboard.
    Action,
    /// A leaf that only reads the blackboard.
    Query,
    /// A leaf that expands to a small tree (thesis 6.5).
    Subtree,
    /// A recurrent neural network: a leaf of the tree, written as neurons with their synapses.
    Network,
    /// A part of a network.
    Part,
}

impl Group {
    /// True for nodes that tick subtrees.
    pub fn is_inner(self) -> bool {
        matches!(self, Group::Composite | Group::Decorator)
    }

    /// True for networks, neurons and synapses; all other nodes are allowed anywhere in a tree.
    pub fn is_network(self) -> bool {
        matches!(self, Group::Network | Group::Part)
    }
}

/// Type of an operand; registers are cells of the full map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A cell to write.
    ScalarDest,
    /// An even cell to write, together with the next cell.
    VectorDest,
    /// A cell to read.
    Scalar,
    /// An even cell to read, together with the next cell.
    Vector,
    /// Source of a synapse: a cell to read, or a neuron of the same network.
    Source,
    /// An integer, -128..=127.
    Int8,
    /// An angle in steps of pi/128, -128..=127.
    Angle,
    /// Width of a sector in steps of pi/128, 0..=255.
    Width,
    /// 5.3 signed fixed point: -16..=15.875 in steps of 0.125.
    Fixed,
    /// Any finite number; evolution draws from -32..=32.
    Float,
    /// A gain; any finite number; evolution draws from -5..=5.
    Gain,
    /// A number of successes or steps, 1..=255; evolution draws from 1..=100.
    Count,
    /// A quadrant, -4..=4.
    Quadrant,
    /// Number of children of `par` that must succeed, 1..=127.
    Threshold,
    /// An entry of the Kilobot blackboard to read.
    Entry,
    /// An entry of the Kilobot blackboard to write.
    EntryDest,
    /// A probability, 0..=1.
    Share,
}

impl Operand {
    /// Lowest and highest valid value.
    pub fn range(self) -> (f32, f32) {
        match self {
            Int8 | Angle => (-128.0, 127.0),
            Width => (0.0, 255.0),
            Fixed => (-16.0, 15.875),
            Float | Gain => (f32::MIN, f32::MAX),
            Count => (1.0, 255.0),
            Quadrant => (-4.0, 4.0),
            Threshold => (1.0, 127.0),
            Entry => READABLE,
            EntryDest => WRITABLE,
            Share => (0.0, 1.0),
            ScalarDest | VectorDest | Scalar | Vector | Source => (0.0, 255.0),
        }
    }

    /// True for operands that name an entry of the Kilobot blackboard.
    pub fn is_entry(self) -> bool {
        matches!(self, Entry | EntryDest)
    }

    /// True for operands that name a register.
    pub fn is_register(self) -> bool {
        matches!(self, ScalarDest | VectorDest | Scalar | Vector | Source)
    }

    /// True for operands that name a pair of cells.
    pub fn is_vector(self) -> bool {
        matches!(self, VectorDest | Vector)
    }
}

/// One operand of a node.
#[derive(Clone, Copy, Debug)]
pub struct OperandSpec {
    /// Name in Table 6.5.
    pub name: &'static str,
    /// Type.
    pub operand: Operand,
}

/// Possible results of a node, for any operands, children and register values.
///
/// Table 8.7 omits `running`. In this table a write to v_goal may return running, as section 6.3.1 of the thesis
/// specifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Results {
    /// May succeed.
    pub success: bool,
    /// May fail.
    pub failure: bool,
    /// May be running.
    pub running: bool,
}

impl Results {
    /// True if `status` is one of the results.
    pub fn allow(self, status: Status) -> bool {
        match status {
            Status::Success => self.success,
            Status::Failure => self.failure,
            Status::Running => self.running,
        }
    }
}

/// One row of the node table.
#[derive(Clone, Copy, Debug)]
pub struct NodeSpec {
    /// Kind of the node.
    pub kind: Kind,
    /// Name in the text form.
    pub name: &'static str,
    /// Group, which determines the allowed positions in a tree.
    pub group: Group,
    /// Operands in the order of the text form; at most four.
    pub operands: &'static [OperandSpec],
    /// Possible results.
    pub results: Results,
    /// True if the node itself may write a register (the side effects of Table 8.7), regardless of its children.
    pub writes: bool,
    /// One-line description.
    pub meaning: &'static str,
}

impl Kind {
    /// True for nodes that exist only on Kilobots (thesis Table 4.2).
    pub fn is_kilobots_own(self) -> bool {
        matches!(
            self,
            Kind::Probm2
                | Kind::Probm3
                | Kind::Probm4
                | Kind::Mf
                | Kind::Ml
                | Kind::Mr
                | Kind::Ifltvar
                | Kind::Ifgevar
                | Kind::Ifltcon
                | Kind::Ifgecon
                | Kind::Set
        )
    }

    /// True for nodes that exist on Kilobots, including those shared with the e-puck. The `repeat` of Table 4.2 is
    /// `repeati`.
    pub fn on_kilobot(self) -> bool {
        let shared =
            [Kind::Seqm, Kind::Selm, Kind::Repeati, Kind::Successd, Kind::Failed, Kind::Successl, Kind::Failurel];
        self.is_kilobots_own() || shared.contains(&self)
    }

    /// Number of children of a composite with fixed arity; `None` for other kinds.
    pub fn fixed_children(self) -> Option<u16> {
        match self {
            Kind::Probm2 => Some(2),
            Kind::Probm3 => Some(3),
            Kind::Probm4 => Some(4),
            _ => None,
        }
    }

    /// True for kinds that are ticked as leaves. Kinds that stand for a small tree are expanded before the first
    /// tick.
    pub(crate) fn is_leaf(self) -> bool {
        !matches!(self, Kind::Seq | Kind::Sel | Kind::Successd | Kind::Failed | Kind::Invert) && !self.has_memory()
    }

    /// True for kinds that keep state between ticks.
    pub(crate) fn has_memory(self) -> bool {
        matches!(self, Kind::Seqm | Kind::Selm | Kind::Par | Kind::Repeati | Kind::Repeatr)
    }
}

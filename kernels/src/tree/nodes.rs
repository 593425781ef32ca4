//! Types of the columns of the node table: kinds, groups, operands and results.

use super::entries::{READABLE, WRITABLE};
use super::status::Status;
use Operand::{
    Angle, Count, Entry, EntryDest, Fixed, Float, Gain, Int8, Quadrant, Scalar, ScalarDest, Share, Source, Threshold,
    Vector, VectorDest, Width,
};
use serde::{Deserialize, Serialize};

/// Weight of v_prox in the term for obstacle avoidance of the nodes `upfield`, `attract` and `avoiding`.
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
    /// A node that has one or more children and selects the children to tick.
    Composite,
    /// A node that has one child and changes the child's result.
    Decorator,
    /// A leaf that writes the blackboard.
    Action,
    /// A leaf that only reads the blackboard.
    Query,
    /// A leaf that is expanded to a subtree of primitive nodes (thesis 6.5).
    Subtree,
    /// A recurrent neural network, which is ticked as a leaf. Its neurons and synapses are written as descendants.
    Network,
    /// A neuron or synapse of a network.
    Part,
}

impl Group {
    /// Whether nodes of this group tick children.
    pub fn is_inner(self) -> bool {
        matches!(self, Group::Composite | Group::Decorator)
    }

    /// Whether the group contains networks, neurons or synapses.
    pub fn is_network(self) -> bool {
        matches!(self, Group::Network | Group::Part)
    }
}

/// Type of an operand. Registers are given as cells of the full register map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A register cell to write.
    ScalarDest,
    /// A vector register to write, given by its first cell, which is even.
    VectorDest,
    /// A register cell to read.
    Scalar,
    /// A vector register to read, given by its first cell, which is even.
    Vector,
    /// Source of a synapse: a register cell to read, or a neuron of the same network.
    Source,
    /// An integer, -128..=127.
    Int8,
    /// An angle in steps of pi/128, -128..=127.
    Angle,
    /// Width of a sector in steps of pi/128, 0..=255.
    Width,
    /// A signed fixed-point number with 5 integer bits and 3 fraction bits: -16..=15.875 in steps of 0.125.
    Fixed,
    /// A finite number. Evolution draws from -32..=32.
    Float,
    /// A gain, which is a finite number. Evolution draws from -5..=5.
    Gain,
    /// A number of successes or steps, 1..=255. Evolution draws from 1..=100.
    Count,
    /// Number of a quadrant, -4..=4.
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
    /// Returns the lowest and the highest valid value of an operand.
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

    /// Whether the operand names an entry of the Kilobot blackboard.
    pub fn is_entry(self) -> bool {
        matches!(self, Entry | EntryDest)
    }

    /// Whether the operand names a register.
    pub fn is_register(self) -> bool {
        matches!(self, ScalarDest | VectorDest | Scalar | Vector | Source)
    }

    /// Whether the operand names a vector register, which has two cells.
    pub fn is_vector(self) -> bool {
        matches!(self, VectorDest | Vector)
    }
}

/// One operand of a node.
#[derive(Clone, Copy, Debug)]
pub struct OperandSpec {
    /// Name of the operand in thesis Table 6.5.
    pub name: &'static str,
    /// Type of the operand.
    pub operand: Operand,
}

/// Possible results of a node, for any operands, children and register values.
///
/// Thesis Table 8.7 omits the result `running`. In the node table of this crate, nodes that write v_goal may return
/// `running`, as thesis section 6.3.1 specifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Results {
    /// Whether the node can succeed.
    pub success: bool,
    /// Whether the node can fail.
    pub failure: bool,
    /// Whether the node can be running.
    pub running: bool,
}

impl Results {
    /// Whether `status` is one of the possible results.
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
    /// Name of the node in the text form.
    pub name: &'static str,
    /// Group of the node, which determines the allowed positions in a tree.
    pub group: Group,
    /// Operands in the order of the text form. A node has at most four.
    pub operands: &'static [OperandSpec],
    /// Possible results of the node.
    pub results: Results,
    /// Whether the node itself can write a register, regardless of its children (the side effects of thesis Table
    /// 8.7).
    pub writes: bool,
    /// One-line description of the node.
    pub meaning: &'static str,
}

impl Kind {
    /// Whether the node exists only on Kilobots (thesis Table 4.2).
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

    /// Whether the node exists on Kilobots, possibly also on e-pucks. The node `repeat` of thesis Table 4.2 is called
    /// `repeati` here.
    pub fn on_kilobot(self) -> bool {
        let shared =
            [Kind::Seqm, Kind::Selm, Kind::Repeati, Kind::Successd, Kind::Failed, Kind::Successl, Kind::Failurel];
        self.is_kilobots_own() || shared.contains(&self)
    }

    /// Returns the required number of children of a composite; `None` for kinds without a fixed number.
    pub fn fixed_children(self) -> Option<u16> {
        match self {
            Kind::Probm2 => Some(2),
            Kind::Probm3 => Some(3),
            Kind::Probm4 => Some(4),
            _ => None,
        }
    }

    /// Returns whether nodes of this kind are leaves. This includes leaves that are expanded to subtrees before the
    /// first tick.
    pub(crate) fn is_leaf(self) -> bool {
        !matches!(self, Kind::Seq | Kind::Sel | Kind::Successd | Kind::Failed | Kind::Invert) && !self.has_memory()
    }

    /// Whether nodes of this kind have a word of memory. Networks keep state too, but store it separately.
    pub(crate) fn has_memory(self) -> bool {
        matches!(self, Kind::Seqm | Kind::Selm | Kind::Par | Kind::Repeati | Kind::Repeatr)
    }
}

//! PRIF, the pure recursive instructions format of pyro-corpus. It describes the construction of a body of cubes.
//!
//! An instruction builds a chain of `repetitions` equal parts in one direction. Further instructions may follow at the
//! end of the chain. The text form is `(B(), [LEFT, 3, X], None)` ([`Prif::parse`], [`Prif::print`]). The JSON form is
//! an object ([`Prif::from_json`]). [`Plan::new`] checks whether an instruction defines a valid body.

mod json;
mod plan;
mod text;

pub use plan::{PlacedPart, Plan};

use crate::part::{Axis, Direction, Part};
use serde::{Deserialize, Serialize};

/// Maximum number of parts of a body.
pub const MAX_PARTS: usize = 256;
/// Maximum nesting depth of instructions.
pub const MAX_DEPTH: usize = 60;
/// Maximum length of an instruction's text (bytes).
pub const MAX_TEXT: usize = 1 << 16;

/// Instruction, including all instructions that follow it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prif {
    /// Id, unique within a body. The names of the parts begin with it.
    pub id: u32,
    /// Class of the parts.
    pub part: Part,
    /// Direction of each part from the previous part. For the root, it is the direction from the base point in the
    /// root's frame to the centre of the root's cube.
    #[serde(rename = "dir")]
    pub direction: Direction,
    /// Number of parts in the chain, at least 1.
    #[serde(rename = "reps")]
    pub repetitions: u32,
    /// Rotation axis of the joints.
    pub axis: Axis,
    /// Instructions that follow at the last part, each with a unique key. The key is only a name. The position of the
    /// next part depends on the `direction` of its own instruction.
    #[serde(default, with = "json::next")]
    pub next: Vec<(Direction, Prif)>,
}

impl Prif {
    /// Returns an instruction that builds one part and has no following instructions.
    pub fn single(id: u32, part: Part, direction: Direction, axis: Axis) -> Prif {
        Prif { id, part, direction, repetitions: 1, axis, next: Vec::new() }
    }

    /// Returns the initial body of evolution, which consists of one brain part.
    pub fn seed() -> Prif {
        Prif::single(0, Part::Brain, Direction::Front, Axis::Y)
    }

    /// Returns the following instruction with the given key; `None` if the key is unused.
    pub fn at(&self, key: Direction) -> Option<&Prif> {
        self.next.iter().find(|(direction, _)| *direction == key).map(|(_, next)| next)
    }

    /// Calls `visit` for this instruction, then recursively for all following instructions in order.
    pub fn each<'a>(&'a self, visit: &mut impl FnMut(&'a Prif)) {
        visit(self);
        for (_, next) in &self.next {
            next.each(visit);
        }
    }

    /// Returns the number of limbs. A limb ends at an instruction without following instructions.
    pub fn limbs(&self) -> usize {
        let mut limbs = 0;
        self.each(&mut |prif| limbs += usize::from(prif.next.is_empty()));
        limbs
    }

    /// Returns the maximum id in use.
    pub fn greatest_id(&self) -> u32 {
        let mut greatest = 0;
        self.each(&mut |prif| greatest = greatest.max(prif.id));
        greatest
    }
}

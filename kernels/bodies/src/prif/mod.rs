//! PRIF, the pure recursive instructions format of pyro-corpus: how a body of cubes is built.
//!
//! An instruction builds a chain of `repetitions` equal parts in one direction; at the chain's end others may follow. In text
//! it is `(B(), [LEFT, 3, X], None)` ([`Prif::parse`], [`Prif::print`]); in JSON an object ([`Prif::from_json`]). Whether it
//! makes a body is for [`Plan::new`] to say.

mod json;
mod plan;
mod text;

pub use plan::{PlacedPart, Plan};

use crate::part::{Axis, Direction, Part};
use serde::{Deserialize, Serialize};

/// Most parts of a body.
pub const MAX_PARTS: usize = 256;
/// Most instructions one inside another.
pub const MAX_DEPTH: usize = 60;
/// Longest text of an instruction, in bytes.
pub const MAX_TEXT: usize = 1 << 16;

/// An instruction, with those that follow it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prif {
    /// Names its parts; no two instructions of a body have the same.
    pub id: u32,
    /// What its parts are.
    pub part: Part,
    /// Where each of its parts stands, seen from the one before. For the root: to which side of its frame the cube lies.
    #[serde(rename = "dir")]
    pub direction: Direction,
    /// How many parts follow each other, at least 1.
    #[serde(rename = "reps")]
    pub repetitions: u32,
    /// What their joints turn about.
    pub axis: Axis,
    /// What follows at the last part. The key is a name alone: where the next part stands is its own `direction`. No key
    /// occurs twice.
    #[serde(default, with = "json::next")]
    pub next: Vec<(Direction, Prif)>,
}

impl Prif {
    /// One part with nothing behind it.
    pub fn single(id: u32, part: Part, direction: Direction, axis: Axis) -> Prif {
        Prif { id, part, direction, repetitions: 1, axis, next: Vec::new() }
    }

    /// The body that evolution starts from: one brain.
    pub fn seed() -> Prif {
        Prif::single(0, Part::Brain, Direction::Front, Axis::Y)
    }

    /// What follows under a key.
    pub fn at(&self, key: Direction) -> Option<&Prif> {
        self.next.iter().find(|(direction, _)| *direction == key).map(|(_, next)| next)
    }

    /// Calls `visit` with each instruction, first this one, then those that follow in their order.
    pub fn each<'a>(&'a self, visit: &mut impl FnMut(&'a Prif)) {
        visit(self);
        for (_, next) in &self.next {
            next.each(visit);
        }
    }

    /// Limbs: instructions that nothing follows.
    pub fn limbs(&self) -> usize {
        let mut limbs = 0;
        self.each(&mut |prif| limbs += usize::from(prif.next.is_empty()));
        limbs
    }

    /// The greatest id in use.
    pub fn greatest_id(&self) -> u32 {
        let mut greatest = 0;
        self.each(&mut |prif| greatest = greatest.max(prif.id));
        greatest
    }
}

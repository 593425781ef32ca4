//! Headings of the robots and places of the discs, for quantities that need more than the robots' centres.

use crate::math::Vec2;
use serde::{Deserialize, Serialize};

/// Number of a disc that a formula reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum DiscValue {
    /// x of the centre (m).
    X,
    /// y of the centre (m).
    Y,
    /// Displacement along x so far, without relocations (m).
    MovedX,
    /// Displacement along y so far, without relocations (m).
    MovedY,
    /// Length of the displacement so far, without relocations (m).
    Moved,
}

/// Headings and discs of a world, as far as its objective reads them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Bodies {
    /// Headings of the robots (rad); `None` for robots that are not seen.
    pub(super) headings: Vec<Option<f32>>,
    discs: Vec<TrackedDisc>,
    pub(super) relocations: u32,
}

/// Place of a disc, and its displacement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
struct TrackedDisc {
    /// Last place of the centre (m); `None` before the disc was seen.
    at: Option<Vec2>,
    /// Place from which the current part of the displacement is counted (m).
    counted_from: Vec2,
    /// Displacement before `counted_from` (m).
    total: Vec2,
    /// Whether the disc was seen without a gap since its last place.
    seen: bool,
}

impl TrackedDisc {
    fn see(&mut self, at: Vec2, counts: bool) {
        if !(counts && self.seen) {
            self.total = self.moved();
            self.counted_from = at;
        }
        (self.at, self.seen) = (Some(at), true);
    }

    /// Displacement so far (m).
    fn moved(&self) -> Vec2 {
        self.at.map_or(self.total, |at| self.total + (at - self.counted_from))
    }

    fn value(&self, value: DiscValue) -> f32 {
        let at = self.at.unwrap_or(Vec2::ZERO);
        match value {
            DiscValue::X => at.x,
            DiscValue::Y => at.y,
            DiscValue::MovedX => self.moved().x,
            DiscValue::MovedY => self.moved().y,
            DiscValue::Moved => self.moved().length(),
        }
    }
}

impl Bodies {
    /// Records the place of a disc (m). The displacement since the last place counts if `counts` is true and the disc was
    /// not lost.
    pub(super) fn see_disc(&mut self, disc: usize, at: Vec2, counts: bool) {
        if self.discs.len() <= disc {
            self.discs.resize(disc + 1, TrackedDisc::default());
        }
        self.discs[disc].see(at, counts);
    }

    /// Records that a disc is not seen.
    pub(super) fn lose_disc(&mut self, disc: usize) {
        if let Some(disc) = self.discs.get_mut(disc) {
            disc.seen = false;
        }
    }

    /// Number of a disc; 0 if it was never seen.
    pub(super) fn disc_value(&self, disc: u16, value: DiscValue) -> f32 {
        self.discs.get(usize::from(disc)).map_or(0.0, |disc| disc.value(value))
    }

    /// Last places of the discs that were seen.
    pub(super) fn discs(&self) -> impl Iterator<Item = Vec2> + '_ {
        self.discs.iter().filter_map(|disc| disc.at)
    }

    /// Length of the mean heading vector of the robots that are seen, 0 to 1; 0 without robots.
    pub(super) fn alignment(&self) -> f32 {
        let seen = || self.headings.iter().flatten();
        let sum = seen().fold(Vec2::ZERO, |sum, heading| sum + Vec2::unit(*heading));
        crate::math::min(sum.length() / seen().count().max(1) as f32, 1.0)
    }
}

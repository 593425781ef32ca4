//! Simple regions of the floor: rectangle, disc, and outside of a disc.

use crate::math::{Vec2, max, vec2};
use serde::{Deserialize, Serialize};

/// A region of the floor: an axis-aligned rectangle, a disc, or the outside of a disc.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Region {
    /// A rectangle.
    Rectangle {
        /// Centre (m).
        at: Vec2,
        /// Half the length along x and along y (m).
        half: Vec2,
    },
    /// A disc.
    Disc {
        /// Centre (m).
        at: Vec2,
        /// Radius (m).
        radius: f32,
    },
    /// All points at a distance of at least `radius` from a point.
    Beyond {
        /// The point (m).
        at: Vec2,
        /// Minimum distance (m).
        radius: f32,
    },
}

impl Region {
    /// Returns true if a point (m) is in the region.
    pub fn contains(&self, place: Vec2) -> bool {
        let (at, half, radius) = self.rounded();
        let inside = outside_of(place - at, half).length() <= radius;
        inside != matches!(self, Region::Beyond { .. })
    }

    /// Returns the shortest distance between two regions (m). It is 0 or less if the regions touch. Two `Beyond`
    /// regions always touch.
    pub fn gap(&self, other: &Region) -> f32 {
        let ((a, half_a, radius_a), (b, half_b, radius_b)) = (self.rounded(), other.rounded());
        match (self, other) {
            (Region::Beyond { .. }, Region::Beyond { .. }) => 0.0,
            (_, Region::Beyond { .. }) => radius_b - farthest(a - b, half_a) - radius_a,
            (Region::Beyond { .. }, _) => radius_a - farthest(b - a, half_b) - radius_b,
            _ => outside_of(b - a, half_a + half_b).length() - (radius_a + radius_b),
        }
    }

    /// Returns the region as a rectangle that is enlarged by a radius on all sides: its centre, half side lengths and
    /// radius (m). `Beyond` is returned as the disc that it excludes.
    pub fn rounded(&self) -> (Vec2, Vec2, f32) {
        match *self {
            Region::Rectangle { at, half } => (at, half, 0.0),
            Region::Disc { at, radius } | Region::Beyond { at, radius } => (at, Vec2::ZERO, radius),
        }
    }
}

/// Returns the distances along x and along y from a rectangle to a point (m). A distance is 0 if the point is within
/// the rectangle's range on that axis. The rectangle is centred at the origin.
fn outside_of(place: Vec2, half: Vec2) -> Vec2 {
    vec2(max(place.x.abs() - half.x, 0.0), max(place.y.abs() - half.y, 0.0))
}

/// Returns the distance from the origin to the farthest corner of a rectangle (m).
fn farthest(centre: Vec2, half: Vec2) -> f32 {
    vec2(centre.x.abs() + half.x, centre.y.abs() + half.y).length()
}

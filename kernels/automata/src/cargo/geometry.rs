//! Shapes of the cargo world, and distances to their edges.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use xpuck_kernels::math::{Vec2, max, min, vec2};

/// Axis-aligned rectangle.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rect {
    /// x of the left side.
    pub x: f32,
    /// y of the lower side.
    pub y: f32,
    /// Size along x.
    pub width: f32,
    /// Size along y.
    pub height: f32,
}

impl Rect {
    /// Returns the point of the rectangle that is nearest to `p`.
    pub(super) fn nearest(&self, p: Vec2) -> Vec2 {
        vec2(min(max(p.x, self.x), self.x + self.width), min(max(p.y, self.y), self.y + self.height))
    }

    /// Returns the distance from `p` to the rectangle; 0 inside the rectangle.
    pub(super) fn distance(&self, p: Vec2) -> f32 {
        (p - self.nearest(p)).length()
    }
}

/// Line segment on the floor with precomputed constants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Segment {
    from: Vec2,
    along: Vec2,
    /// Inverse of the squared length; 0 for a point.
    inverse: f32,
    half_width: f32,
}

impl Segment {
    pub(super) fn new(from: Vec2, to: Vec2, width: f32) -> Segment {
        let along = to - from;
        let square = along.length_squared();
        let inverse = if square > 0.0 { 1.0 / square } else { 0.0 };
        Segment { from, along, inverse, half_width: 0.5 * width }
    }

    /// Returns the distance from `p` to the edge of the segment, which has round caps. The distance is negative inside
    /// the segment.
    #[inline]
    pub(super) fn signed_distance(&self, p: Vec2) -> f32 {
        let to_p = p - self.from;
        let share = min(max(to_p.dot(self.along) * self.inverse, 0.0), 1.0);
        (to_p - self.along * share).length() - self.half_width
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_round_caps() {
        let segment = Segment::new(vec2(0.0, 0.0), vec2(1.0, 0.0), 0.2);
        assert!((segment.signed_distance(vec2(0.5, 0.3)) - 0.2).abs() < 1e-6);
        assert!((segment.signed_distance(vec2(1.3, 0.4)) - 0.4).abs() < 1e-6);
        assert!((segment.signed_distance(vec2(0.5, 0.0)) + 0.1).abs() < 1e-6);
    }
}

//! Thin straight walls inside the arena: contacts and ray intersections.

use crate::math::{Vec2, max, min};

/// A straight wall inside the arena, in the world frame. It is infinitely thin, and high enough for all sensors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// First end point (m).
    pub from: Vec2,
    /// Second end point (m).
    pub to: Vec2,
}

impl Wall {
    /// Returns the vector from a position to the nearest point of the wall (m).
    #[inline(always)]
    pub fn offset(&self, at: Vec2) -> Vec2 {
        let along = self.to - self.from;
        let part = (at - self.from).dot(along) / along.length_squared();
        self.from + along * max(min(part, 1.0), 0.0) - at
    }

    /// Returns true if the line of length |`along`| from a place crosses the wall.
    #[inline(always)]
    pub fn blocks(&self, from: Vec2, along: Vec2) -> bool {
        self.distance_along(from, along) < 1.0
    }

    /// Returns the distance along a ray to the wall, in multiples of `direction`; infinite if the ray misses the wall
    /// or is parallel to it.
    #[inline(always)]
    pub fn distance_along(&self, from: Vec2, direction: Vec2) -> f32 {
        let (along, start) = (self.to - self.from, self.from - from);
        // At the intersection, from + distance * direction = self.from + part * along.
        let across = direction.cross(along);
        let distance = start.cross(along) / across;
        let part = start.cross(direction) / across;
        let hits = (across != 0.0) & (distance >= 0.0) & (0.0..=1.0).contains(&part);
        if hits { distance } else { f32::INFINITY }
    }
}

/// Returns the distance from a robot's rim along a ray to an inner wall (m). It is 0 if the wall is inside the robot,
/// and infinite if the ray misses the wall. The ray starts at the robot's centre, because part of the rim can be behind
/// the wall if the robot is pressed against it. `direction` is a unit vector, and `radius` is that of the robot (m).
#[inline(always)]
pub(crate) fn ray_to_inner_wall(wall: &Wall, centre: Vec2, direction: Vec2, radius: f32) -> f32 {
    max(wall.distance_along(centre, direction) - radius, 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vec2;

    const WALL: Wall = Wall { from: vec2(-0.2, 0.5), to: vec2(0.4, 0.5) };

    #[test]
    fn nearest_wall_point_is_on_segment_or_at_end() {
        let near = |at: Vec2, expected: Vec2| assert!((WALL.offset(at) - expected).length() < 1e-6, "{at:?}");
        near(vec2(0.1, 0.0), vec2(0.0, 0.5));
        near(vec2(0.1, 0.8), vec2(0.0, -0.3));
        near(vec2(0.7, 0.9), vec2(-0.3, -0.4));
        near(vec2(-0.5, 0.5), vec2(0.3, 0.0));
    }

    #[test]
    fn rays_hit_the_wall_in_front_of_them() {
        let up = vec2(0.0, 1.0);
        assert!((WALL.distance_along(vec2(0.3, 0.1), up) - 0.4).abs() < 1e-6);
        assert_eq!(WALL.distance_along(vec2(0.3, 0.1), -up), f32::INFINITY, "behind");
        assert_eq!(WALL.distance_along(vec2(0.5, 0.1), up), f32::INFINITY, "beside");
        assert_eq!(WALL.distance_along(vec2(0.3, 0.1), vec2(1.0, 0.0)), f32::INFINITY, "along");
        let slanting = WALL.distance_along(vec2(-0.1, 0.0), vec2(0.6, 0.8));
        assert!((slanting - 0.5 / 0.8).abs() < 1e-6, "{slanting}");
    }
}

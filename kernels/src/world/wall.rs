//! Thin straight walls inside the arena: contacts and ray intersections.

use crate::math::{Vec2, max, min};
use crate::model::ROBOT_RADIUS;

/// A straight wall inside the arena in the world frame: infinitely thin, and high enough for all sensors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// First end point (m).
    pub from: Vec2,
    /// Second end point (m).
    pub to: Vec2,
}

impl Wall {
    /// Vector from a position to the nearest point of the wall (m).
    #[inline(always)]
    pub fn offset(&self, at: Vec2) -> Vec2 {
        let along = self.to - self.from;
        let part = (at - self.from).dot(along) / along.length_squared();
        self.from + along * max(min(part, 1.0), 0.0) - at
    }

    /// Distance along a ray to the wall, in multiples of `direction`; infinite if the ray misses it.
    #[inline(always)]
    pub fn distance_along(&self, from: Vec2, direction: Vec2) -> f32 {
        let (along, start) = (self.to - self.from, self.from - from);
        // The ray from + d * direction meets the wall at self.from + part * along.
        let across = direction.cross(along);
        let distance = start.cross(along) / across;
        let part = start.cross(direction) / across;
        let hits = (across != 0.0) & (distance >= 0.0) & (0.0..=1.0).contains(&part);
        if hits { distance } else { f32::INFINITY }
    }
}

/// Distance from a robot's rim along a ray to an inner wall; 0 if the wall is inside the robot, infinite if the ray
/// misses. The ray starts at the robot's centre, because the rim of a robot that is pressed against the wall can be
/// on the other side.
#[inline(always)]
pub(crate) fn ray_to_inner_wall(wall: &Wall, centre: Vec2, direction: Vec2) -> f32 {
    max(wall.distance_along(centre, direction) - ROBOT_RADIUS, 0.0)
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

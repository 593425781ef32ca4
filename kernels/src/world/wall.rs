//! Thin straight walls inside the arena: what touches them, and what looks at them.

use super::model::{CAMERA_COLUMNS, ROBOT_RADIUS};
use super::senses::column_direction;
use crate::math::{Vec2, max, min};

/// A straight wall inside the arena, in the world frame; infinitely thin, and tall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// One end, m.
    pub from: Vec2,
    /// The other end, m.
    pub to: Vec2,
}

impl Wall {
    /// From a place to the nearest point of the wall, m.
    #[inline(always)]
    pub fn offset(&self, at: Vec2) -> Vec2 {
        let along = self.to - self.from;
        let part = (at - self.from).dot(along) / along.length_squared();
        self.from + along * max(min(part, 1.0), 0.0) - at
    }

    /// Distance along a ray to the wall, m; infinite if the ray misses it.
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

/// Distance from a robot's rim along a ray to an inner wall; 0 where the wall is in the robot, infinite if the ray
/// misses. The ray starts at the robot's centre, since its rim may be behind the wall that it is pressed against.
#[inline(always)]
pub(crate) fn ray_to_inner_wall(wall: &Wall, centre: Vec2, direction: Vec2) -> f32 {
    max(wall.distance_along(centre, direction) - ROBOT_RADIUS, 0.0)
}

/// The squared distance to the nearest inner wall in each column of the camera; infinite where there is none.
pub(crate) fn inner_walls_seen(at: Vec2, heading: f32, walls: &[Wall]) -> [f32; CAMERA_COLUMNS] {
    let mut squares = [f32::INFINITY; CAMERA_COLUMNS];
    if walls.is_empty() {
        return squares;
    }
    for (column, square) in squares.iter_mut().enumerate() {
        let direction = column_direction(column, heading);
        for wall in walls {
            let distance = wall.distance_along(at, direction);
            *square = min(distance * distance, *square);
        }
    }
    squares
}

/// The columns of the camera in which an inner wall is nearer than `square`, a squared distance, as bits.
pub(crate) fn columns_hidden(walls: &[f32; CAMERA_COLUMNS], square: f32) -> u32 {
    walls.iter().enumerate().fold(0, |bits, (column, wall)| bits | u32::from(*wall <= square) << column)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vec2;
    use crate::world::physics::Physics;
    use crate::world::senses::{Patch, camera, proximity};
    use crate::world::{Body, Colour, Pose, Shape};

    const WALL: Wall = Wall { from: vec2(-0.2, 0.5), to: vec2(0.4, 0.5) };

    #[test]
    fn the_nearest_point_is_between_the_ends_or_an_end() {
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

    #[test]
    fn inner_walls_are_felt_and_hide_what_is_behind() {
        let wall =
            |x: f32| Physics { walls: vec![Wall { from: vec2(x, -0.5), to: vec2(x, 0.5) }], ..Physics::default() };
        let robot = |heading| Body::at_rest(Shape::ROBOT, Pose { at: Vec2::ZERO, heading });
        let frisbee = Body::at_rest(Shape::FRISBEE, Pose { at: vec2(0.6, 0.0), heading: 0.0 });
        let me = [robot(-0.297)];
        let readings = proximity(&me, 0, &wall(0.05));
        assert!((readings[0] - (1.0 - 0.0125 / 0.030)).abs() < 1e-4, "{readings:?}");
        assert_eq!((readings[4], proximity(&me, 0, &wall(0.07))), (0.0, [0.0; 8]));
        assert_eq!(proximity(&me, 0, &wall(0.037))[0], 1.0, "pressed against the wall");
        let patch = Patch { at: vec2(1.0, 0.0), half_length: 0.5, colour: Colour::Green };
        let bodies = [robot(0.0), frisbee];
        let seen = |x: f32| camera(&bodies, 0, &[patch], &wall(x)).0.map(|colour| colour.contains(&true));
        assert_eq!(seen(-0.2), [false, true, true], "the wall is behind the robot");
        assert_eq!(seen(0.4), [false; 3], "the wall hides disc and patch");
        assert_eq!(seen(0.8), [false, false, true], "the wall hides the patch");
    }
}

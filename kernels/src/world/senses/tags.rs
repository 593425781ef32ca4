//! Tags on walls, which the camera detects, and the vector v_tag to the nearest tag in view.

use crate::math::{Vec2, vec2};
use crate::world::body::{Body, Pose};
use crate::world::physics::Physics;
use crate::world::wall::Wall;

/// Maximum number of tags in a world.
pub const MAX_TAGS: usize = 8;
/// Detection range of 100 mm tags in images of 320 x 240 pixels (m), as measured by `xpuckd bench markers`.
pub const USUAL_RANGE: f32 = 1.2;
/// Squared cosine of 70 degrees. The camera detects a tag only if the angle between the tag's normal and the line of
/// sight is at most 70 degrees.
pub(crate) const STEEPEST: f32 = 0.116_977_78;
/// Maximum distance at which a wall hides a tag, as a fraction of the distance to the tag. The fraction is below 1, so
/// that a wall hides the tags behind it, but not the tags on its surface.
pub(crate) const OCCLUSION_LIMIT: f32 = 0.99;

/// A tag on a wall.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tag {
    /// Position (m).
    pub at: Vec2,
    /// Direction of the tag's face, a unit vector.
    pub facing: Vec2,
}

/// The tags of a world.
#[derive(Clone, Debug, PartialEq)]
pub struct Tags {
    /// Detection range (m).
    pub range: f32,
    /// Tags, at most [`MAX_TAGS`].
    pub list: Vec<Tag>,
}

impl Default for Tags {
    fn default() -> Tags {
        Tags { range: USUAL_RANGE, list: Vec::new() }
    }
}

/// Whether a tag is in the field of view of the camera, within range, and not too oblique. Obstacles are ignored.
/// `towards` is the position of the tag relative to the robot (m), and `ahead` is the robot's heading as a unit
/// vector. `slope` is the tangent of half of the field of view.
#[inline(always)]
pub(crate) fn in_view(towards: Vec2, ahead: Vec2, facing: Vec2, range: f32, slope: f32) -> bool {
    let (front, left) = (ahead.dot(towards), ahead.cross(towards));
    let (square, faces) = (towards.length_squared(), -facing.dot(towards));
    (left.abs() <= front * slope) & (square <= range * range) & (faces > 0.0) & (faces * faces >= STEEPEST * square)
}

/// Returns whether a body of this radius (m) hides a point from a camera. `offset` is the position of the body relative
/// to the camera (m), and `towards` is the position of the point relative to the camera (m).
#[inline(always)]
pub(crate) fn occludes(offset: Vec2, radius: f32, towards: Vec2) -> bool {
    let (square, along, aside) = (towards.length_squared(), towards.dot(offset), towards.cross(offset));
    (along > 0.0) & (along < square) & (aside * aside < radius * radius * square)
}

/// Whether a wall hides a point from a camera at position `at`. `towards` is the position of the point relative to
/// the camera (m).
#[inline(always)]
pub(crate) fn wall_hides(wall: &Wall, at: Vec2, towards: Vec2) -> bool {
    wall.distance_along(at, towards) < OCCLUSION_LIMIT
}

/// Computes v_tag of robot `me`, which is the vector to the nearest detected tag in the robot's frame (m). The result
/// is (0, 0) without a detected tag. Bodies and inner walls hide the tags behind them.
pub fn tag_vector(bodies: &[Body], me: usize, physics: &Physics, tags: &Tags) -> Vec2 {
    let Pose { at, heading } = bodies[me].pose;
    let ahead = Vec2::unit(heading);
    let mut nearest = (f32::INFINITY, Vec2::ZERO);
    for tag in &tags.list {
        let towards = tag.at - at;
        let others = bodies.iter().enumerate().filter(|(i, _)| *i != me);
        let seen = in_view(towards, ahead, tag.facing, tags.range, physics.robot.camera.slope)
            && !physics.walls.iter().any(|wall| wall_hides(wall, at, towards))
            && !others.map(|(_, other)| other).any(|b| occludes(b.pose.at - at, b.shape.radius, towards));
        if seen && towards.length_squared() < nearest.0 {
            nearest = (towards.length_squared(), in_frame(towards, ahead));
        }
    }
    nearest.1
}

/// Computes v_tag (m) from the range (m) and bearing (rad) of the nearest tag, as measured by the camera of a real
/// robot.
pub fn vector_from_range_and_bearing([range, bearing]: [f32; 2]) -> Vec2 {
    Vec2::unit(bearing) * range
}

/// Converts a vector from the world frame to the frame of a robot whose heading is the unit vector `ahead`.
#[inline(always)]
pub(crate) fn in_frame(v: Vec2, ahead: Vec2) -> Vec2 {
    vec2(ahead.dot(v), ahead.cross(v))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::CAMERA_FOV;
    use crate::world::body::Shape;

    fn robot(x: f32, y: f32, heading: f32) -> Body {
        Body::at_rest(Shape::ROBOT, Pose { at: vec2(x, y), heading })
    }

    /// Returns a tag on the wall at the +x end of the arena. The tag faces -x.
    fn on_the_end(y: f32) -> Tag {
        Tag { at: vec2(1.0, y), facing: vec2(-1.0, 0.0) }
    }

    fn seen(bodies: &[Body], walls: &[Wall], list: &[Tag]) -> Vec2 {
        let physics = Physics { walls: walls.to_vec(), ..Physics::default() };
        tag_vector(bodies, 0, &physics, &Tags { list: list.to_vec(), ..Tags::default() })
    }

    #[test]
    fn constants_are_what_they_say() {
        use crate::world::robot::HALF_VIEW;
        assert!((HALF_VIEW - (CAMERA_FOV * 0.5).tan()).abs() < 1e-6);
        assert!((STEEPEST - 70f32.to_radians().cos().powi(2)).abs() < 1e-6);
    }

    #[test]
    fn tag_vector_points_to_nearest_tag_in_robot_frame() {
        let v = seen(&[robot(0.2, 0.0, 0.3)], &[], &[on_the_end(0.6), on_the_end(0.1)]);
        let expected = vec2(0.8, 0.1);
        assert!((v.length() - expected.length()).abs() < 1e-5, "{v:?}");
        assert!((v.angle() - (expected.angle() - 0.3)).abs() < 1e-5, "{v:?}");
    }

    #[test]
    fn tags_are_seen_ahead_from_the_front_and_near() {
        let at = |x: f32, y: f32, heading: f32| seen(&[robot(x, y, heading)], &[], &[on_the_end(0.0)]) != Vec2::ZERO;
        assert!(at(0.0, 0.0, 0.0) && at(0.0, 0.0, 0.48) && at(0.0, 0.0, -0.48));
        assert!(!at(0.0, 0.0, 0.5) && !at(0.0, 0.0, -0.5) && !at(0.0, 0.0, 3.1), "out of the field of view");
        assert!(!at(-0.21, 0.0, 0.0), "too far");
        // Tests two oblique angles, 68 and 72 degrees from the normal of the tag. The limit is 70 degrees.
        let aside = |degrees: f32| {
            let (sin, cos) = degrees.to_radians().sin_cos();
            at(1.0 - 0.5 * cos, -0.5 * sin, degrees.to_radians())
        };
        assert!(aside(68.0) && !aside(72.0));
        assert!(!at(1.3, 0.0, std::f32::consts::PI), "from behind");
    }

    #[test]
    fn bodies_and_walls_hide_what_is_behind_them_alone() {
        let me = robot(0.0, 0.0, 0.0);
        let tags = [on_the_end(0.0)];
        let with = |other: Body| seen(&[me, other], &[], &tags) != Vec2::ZERO;
        assert!(!with(robot(0.5, 0.03, 0.0)) && with(robot(0.5, 0.04, 0.0)) && with(robot(-0.1, 0.0, 0.0)));
        let wall = |x: f32| [Wall { from: vec2(x, -0.2), to: vec2(x, 0.2) }];
        assert_eq!(seen(&[me], &wall(0.6), &tags), Vec2::ZERO);
        assert_ne!(seen(&[me], &wall(1.0), &tags), Vec2::ZERO, "it hangs on the wall");
        assert_ne!(seen(&[me], &wall(-0.3), &tags), Vec2::ZERO);
    }
}

//! The robot's senses (Table 6.1): proximity rays, the three-segment camera, range and bearing, and the compass.

use super::body::{Body, Colour};
use super::model::{
    CAMERA_COLUMNS, CAMERA_FOV, NEIGHBOUR_MIN, NEIGHBOUR_RANGE, PROX_ANGLES, PROX_RANGE, ROBOT_RADIUS, SEGMENT_ANGLE,
};
use super::physics::Physics;
use super::wall::{columns_hidden, inner_walls_seen, ray_to_inner_wall};
use crate::math::{Vec2, atan2, atan2_positive, floor, max, min, vec2, wrap_angle};

/// A coloured stretch of wall, in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// Centre of the patch, on a wall, m.
    pub at: Vec2,
    /// Half its length along the wall, m.
    pub half_length: f32,
    /// Its colour.
    pub colour: Colour,
}

/// Which colours are seen in the left, centre and right segment; indexed by colour, then segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blobs(pub [[bool; 3]; 3]);

impl Blobs {
    /// The camera's vector for one colour (Table 6.4).
    pub fn vector(&self, colour: Colour) -> Vec2 {
        let [left, centre, right] = self.0[colour as usize];
        segments_vector(left, centre, right, Vec2::unit(SEGMENT_ANGLE))
    }
}

/// The vector of a colour seen in these segments (Table 6.4); `aside` is the left segment's direction.
#[inline(always)]
pub(crate) fn segments_vector(left: bool, centre: bool, right: bool, aside: Vec2) -> Vec2 {
    let [l, c, r] = [left, centre, right].map(|seen| if seen { 1.0 } else { 0.0 });
    vec2(aside.x * l + c + aside.x * r, aside.y * l - aside.y * r)
}

/// Range and bearing of one neighbour in the robot's frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Neighbour {
    /// Distance between centres, m.
    pub range: f32,
    /// Direction, rad.
    pub bearing: f32,
}

/// Columns of one of the camera's three segments.
pub(crate) const COLUMNS_PER_SEGMENT: usize = CAMERA_COLUMNS / 3;

/// Distance from a robot's centre to the end of its proximity rays, m.
const REACH: f32 = ROBOT_RADIUS + PROX_RANGE;

/// True if a ray may hit a body of this radius whose centre is `between` away.
#[inline(always)]
pub(crate) fn within_reach(between: Vec2, radius: f32) -> bool {
    between.length_squared() < (REACH + radius) * (REACH + radius)
}

/// True if a ray of a robot at this place may hit a wall.
#[inline(always)]
pub(crate) fn walls_within_reach(at: Vec2, (hx, hy): (f32, f32)) -> bool {
    (at.x.abs() + REACH > hx) | (at.y.abs() + REACH > hy)
}

/// The reading of a ray that is free up to this distance, m.
#[inline(always)]
pub(crate) fn reading(distance: f32) -> f32 {
    1.0 - distance * (1.0 / PROX_RANGE)
}

/// The eight proximity readings of robot `me`: 1 - d/range for the nearest robot or wall on each ray, else 0.
pub fn proximity(bodies: &[Body], me: usize, physics: &Physics) -> [f32; 8] {
    let half_arena = physics.half_arena;
    let pose = bodies[me].pose;
    let near = |(i, b): &(usize, &Body)| *i != me && b.shape.tall && within_reach(b.pose.at - pose.at, b.shape.radius);
    let walls = walls_within_reach(pose.at, half_arena);
    let inner_walls = physics.walls.iter().any(|wall| within_reach(wall.offset(pose.at), 0.0));
    if !walls && !inner_walls && !bodies.iter().enumerate().any(|b| near(&b)) {
        return [0.0; 8];
    }
    let ahead = Vec2::unit(pose.heading);
    ray_directions().map(|ray| {
        let direction = ray.rotate(ahead);
        let from = pose.at + direction * ROBOT_RADIUS;
        let mut distance = PROX_RANGE;
        for (_, other) in bodies.iter().enumerate().filter(near) {
            distance = min(ray_to_circle(from, direction, other.pose.at, other.shape.radius), distance);
        }
        if walls {
            distance = min(max(ray_to_walls(from, direction, half_arena), 0.0), distance);
        }
        if inner_walls {
            for wall in &physics.walls {
                distance = min(ray_to_inner_wall(wall, pose.at, direction), distance);
            }
        }
        reading(distance)
    })
}

/// v_prox: the readings as vectors along their rays, added up (Eq. 6.2).
pub fn proximity_vector(readings: &[f32; 8]) -> Vec2 {
    let mut sum = Vec2::ZERO;
    for (reading, ray) in readings.iter().zip(ray_directions()) {
        sum += ray * *reading;
    }
    sum
}

/// The proximity rays as unit vectors in the robot's frame.
pub(crate) fn ray_directions() -> [Vec2; 8] {
    static RAYS: std::sync::LazyLock<[Vec2; 8]> = std::sync::LazyLock::new(|| PROX_ANGLES.map(Vec2::unit));
    *RAYS
}

/// Distance along a ray to a circle; 0 from inside, infinite if the ray misses.
#[inline(always)]
pub(crate) fn ray_to_circle(from: Vec2, direction: Vec2, centre: Vec2, radius: f32) -> f32 {
    let to = from - centre;
    let c = to.length_squared() - radius * radius;
    let b = to.dot(direction);
    let under = b * b - c;
    let distance = if (b >= 0.0) | (under < 0.0) { f32::INFINITY } else { -b - max(under, 0.0).sqrt() };
    if c <= 0.0 { 0.0 } else { distance }
}

/// Distance along a ray from inside the arena to its walls; negative from outside.
#[inline(always)]
pub fn ray_to_walls(from: Vec2, direction: Vec2, (hx, hy): (f32, f32)) -> f32 {
    min(ray_to_wall(from.x, direction.x, hx), ray_to_wall(from.y, direction.y, hy))
}

/// Distance along one axis.
#[inline(always)]
fn ray_to_wall(from: f32, direction: f32, half: f32) -> f32 {
    let distance = ((if direction > 0.0 { half } else { -half }) - from) / direction;
    if direction == 0.0 { f32::INFINITY } else { distance }
}

/// The direction of the middle of a camera's column, in the world's frame.
pub(crate) fn column_direction(column: usize, heading: f32) -> Vec2 {
    const WIDTH: f32 = CAMERA_FOV / CAMERA_COLUMNS as f32;
    Vec2::unit(wrap_angle(heading + (CAMERA_FOV * 0.5 - WIDTH * (column as f32 + 0.5))))
}

/// The columns of the camera in which a body of this radius stands that is `between` away, as bits counted from the
/// left edge.
#[inline(always)]
pub(crate) fn columns(between: Vec2, ahead: Vec2, radius: f32) -> u32 {
    const PER_RADIAN: f32 = CAMERA_COLUMNS as f32 / CAMERA_FOV;
    let (front, left) = (ahead.dot(between), ahead.cross(between));
    let bearing = atan2(left, front);
    // sin(half) = radius / distance.
    let half = atan2_positive(radius, max(between.length_squared() - radius * radius, 0.0).sqrt());
    let first = (CAMERA_FOV * 0.5 - bearing - half) * PER_RADIAN;
    let last = (CAMERA_FOV * 0.5 - bearing + half) * PER_RADIAN;
    // Behind by more than the radius: no part can be in a field of view below 180 degrees.
    let seen = (front >= -radius) & (last > 0.0) & (first < CAMERA_COLUMNS as f32);
    let first = floor(min(max(first, 0.0), CAMERA_COLUMNS as f32));
    let end = floor(max(min(last + 1.0, CAMERA_COLUMNS as f32), 0.0));
    let below = |column: u32| 1u32.wrapping_shl(column).wrapping_sub(1);
    // All bits or none, by arithmetic: a branch would keep the compiler from doing many worlds at once.
    below(end) & !below(first) & 0u32.wrapping_sub(u32::from(seen))
}

/// What the camera of robot `me` sees: every column that a body touches takes the colour of the nearest one; columns
/// without a body take the colour of a wall patch there, if any. Inner walls are white and hide what is behind them.
pub fn camera(bodies: &[Body], me: usize, patches: &[Patch], physics: &Physics) -> Blobs {
    let pose = bodies[me].pose;
    let ahead = Vec2::unit(pose.heading);
    let walls = inner_walls_seen(pose.at, pose.heading, &physics.walls);
    let mut nearest = walls;
    let mut colours = [None; CAMERA_COLUMNS];
    for (_, other) in bodies.iter().enumerate().filter(|(i, _)| *i != me) {
        let between = other.pose.at - pose.at;
        let seen = columns(between, ahead, other.shape.radius);
        let square = between.length_squared();
        for column in (0..CAMERA_COLUMNS).filter(|c| seen >> c & 1 != 0) {
            if square < nearest[column] {
                nearest[column] = square;
                colours[column] = Some(other.shape.colour);
            }
        }
    }
    let hidden = columns_hidden(&walls, f32::MAX);
    for (column, colour) in colours.iter_mut().enumerate().filter(|(i, c)| c.is_none() && hidden >> i & 1 == 0) {
        *colour = patch_behind(column, pose.at, pose.heading, patches, physics.half_arena);
    }
    let mut blobs = Blobs::default();
    for (column, colour) in colours.iter().enumerate() {
        if let Some(colour) = colour {
            blobs.0[*colour as usize][column / COLUMNS_PER_SEGMENT] = true;
        }
    }
    blobs
}

/// The colour of the wall patch that a camera column looks at, if there is one.
pub(crate) fn patch_behind(
    column: usize,
    at: Vec2,
    heading: f32,
    patches: &[Patch],
    half_arena: (f32, f32),
) -> Option<Colour> {
    if patches.is_empty() {
        return None;
    }
    let direction = column_direction(column, heading);
    let hit = at + direction * ray_to_walls(at, direction, half_arena);
    patches.iter().find(|p| (p.at - hit).length() <= p.half_length).map(|p| p.colour)
}

/// What a body `between` away adds to a robot's sum for v_attr, in the world's frame, and whether it is a neighbour.
#[inline(always)]
pub(crate) fn neighbour(between: Vec2) -> (Vec2, bool) {
    let square = between.length_squared();
    let near = (square <= NEIGHBOUR_RANGE * NEIGHBOUR_RANGE) & (square > 0.0);
    // A unit vector scaled by r_min / r is the difference vector scaled by r_min / r^2.
    let towards = between * (NEIGHBOUR_MIN / square);
    (if near { towards } else { Vec2::ZERO }, near)
}

/// v_attr of a robot with neighbours, from the sum over them in the world's frame; (1, 0) with none.
#[inline(always)]
pub(crate) fn attraction_of_sum(sum: Vec2, count: f32, ahead: Vec2) -> Vec2 {
    let turned = sum.rotate(vec2(ahead.x, -ahead.y));
    if count > 0.0 { turned } else { vec2(1.0, 0.0) }
}

/// v_attr and the number of neighbours of robot `me`, from true poses.
pub fn range_and_bearing(bodies: &[Body], me: usize) -> (Vec2, f32) {
    let pose = bodies[me].pose;
    let (mut sum, mut count) = (Vec2::ZERO, 0.0);
    for (_, other) in bodies.iter().enumerate().filter(|(i, b)| *i != me && b.shape.tall) {
        let (towards, near) = neighbour(other.pose.at - pose.at);
        sum += towards;
        count += if near { 1.0 } else { 0.0 };
    }
    (attraction_of_sum(sum, count, Vec2::unit(pose.heading)), count)
}

/// v_attr of a list of neighbours (Table 6.3).
pub fn attraction(neighbours: &[Neighbour]) -> Vec2 {
    if neighbours.is_empty() {
        return vec2(1.0, 0.0);
    }
    let mut sum = Vec2::ZERO;
    for n in neighbours {
        sum += Vec2::unit(n.bearing) * (NEIGHBOUR_MIN / n.range.max(NEIGHBOUR_MIN));
    }
    sum
}

/// v_up: the unit vector towards +x of the world, in the frame of a robot with this heading.
#[inline(always)]
pub fn compass(heading: f32) -> Vec2 {
    let ahead = Vec2::unit(heading);
    vec2(ahead.x, -ahead.y)
}

#[cfg(test)]
mod tests {
    use super::super::body::{Pose, Shape};
    use super::*;
    use std::f32::consts::{FRAC_PI_2, PI};

    fn robot(x: f32, y: f32, heading: f32) -> Body {
        Body::at_rest(Shape::ROBOT, Pose { at: vec2(x, y), heading })
    }

    fn open() -> Physics {
        Physics::default()
    }

    fn frisbee(x: f32, y: f32) -> Body {
        Body::at_rest(Shape::FRISBEE, Pose { at: vec2(x, y), heading: 0.0 })
    }

    #[test]
    fn a_ray_reads_one_minus_distance_over_range() {
        // Turned so that ray 1 (+0.297) points along +x, straight at the other robot's centre.
        let bodies = [robot(0.0, 0.0, -0.297), robot(0.075 + 0.012, 0.0, 0.0)];
        let readings = proximity(&bodies, 0, &open());
        assert!((readings[0] - (1.0 - 0.012 / 0.030)).abs() < 1e-4, "{readings:?}");
        assert_eq!(readings[3], 0.0);
        let low = [robot(0.0, 0.0, 0.0), frisbee(0.15, 0.0)];
        assert_eq!(proximity(&low, 0, &open()), [0.0; 8], "the frisbee is too low");
    }

    #[test]
    fn walls_are_seen_on_the_side_where_they_are() {
        let bodies = [robot(0.95, 0.0, FRAC_PI_2)];
        let readings = proximity(&bodies, 0, &open());
        let v = proximity_vector(&readings);
        assert!(v.y < -0.3 && v.x.abs() < 0.3, "{readings:?} {v:?}");
        let expected = 1.0 - (0.05 - ROBOT_RADIUS) / PROX_RANGE;
        assert!((readings[5] - expected).abs() < 1e-3, "{} for {expected}", readings[5]);
    }

    #[test]
    fn camera_vectors_are_those_of_table_6_4() {
        let v = |bits: [bool; 3]| {
            let mut blobs = Blobs::default();
            blobs.0[Colour::Blue as usize] = bits;
            let v = blobs.vector(Colour::Blue);
            (v.length(), v.angle().to_degrees())
        };
        let near = |a: (f32, f32), b: (f32, f32)| (a.0 - b.0).abs() < 0.01 && (a.1 - b.1).abs() < 0.01;
        assert!(near(v([false, false, true]), (1.0, -18.7)));
        assert!(near(v([false, true, true]), (1.97, -9.35)));
        assert!(near(v([true, false, true]), (1.89, 0.0)));
        assert!(near(v([true, true, true]), (2.89, 0.0)), "{:?}", v([true, true, true]));
    }

    #[test]
    fn the_camera_sees_what_is_in_front_and_not_hidden() {
        let seen = |bodies: &[Body]| camera(bodies, 0, &[], &open()).0;
        let blue = Colour::Blue as usize;
        assert_eq!(seen(&[robot(0.0, 0.0, 0.0), frisbee(1.2, 0.0)])[blue], [false, true, false]);
        assert_eq!(seen(&[robot(0.0, 0.0, 0.4), frisbee(1.2, 0.0)])[blue], [false, false, true]);
        assert_eq!(seen(&[robot(0.0, 0.0, PI), frisbee(1.2, 0.0)])[blue], [false; 3]);
        assert_eq!(seen(&[robot(0.0, 0.0, 0.0), frisbee(0.15, 0.0)])[blue], [true; 3], "touching fills the view");
        let hidden = [robot(0.0, 0.0, 0.0), frisbee(0.9, 0.0), robot(0.1, 0.0, 0.0)];
        assert_eq!(seen(&hidden)[blue], [false; 3]);
        assert_eq!(seen(&hidden)[Colour::Red as usize], [true; 3]);
    }

    #[test]
    fn wall_patches_are_seen_unless_hidden() {
        let patch = Patch { at: vec2(1.0, 0.0), half_length: 0.2, colour: Colour::Green };
        let bodies = [robot(0.0, 0.0, 0.0)];
        assert_eq!(camera(&bodies, 0, &[patch], &open()).0[Colour::Green as usize], [true, true, true]);
        let hidden = [robot(0.0, 0.0, 0.0), robot(0.08, 0.0, 0.0)];
        assert_eq!(camera(&hidden, 0, &[patch], &open()).0[Colour::Green as usize], [false; 3]);
    }

    #[test]
    fn range_and_bearing_counts_near_robots_only() {
        let bodies = [robot(0.0, 0.0, FRAC_PI_2), robot(0.0, 0.3, 0.0), robot(0.49, 0.0, 0.0), robot(0.6, 0.0, 0.0)];
        let (v, n) = range_and_bearing(&bodies, 0);
        assert_eq!(n, 2.0);
        assert!((v.x - 0.25).abs() < 1e-5 && (v.y + 0.075 / 0.49).abs() < 1e-5, "{v:?}");
        let list = [Neighbour { range: 0.3, bearing: 0.0 }, Neighbour { range: 0.49, bearing: -FRAC_PI_2 }];
        assert!((attraction(&list) - v).length() < 1e-5, "both forms agree");
        assert_eq!(range_and_bearing(&bodies[..1], 0), (vec2(1.0, 0.0), 0.0));
    }

    #[test]
    fn the_compass_points_upfield() {
        let up = compass(FRAC_PI_2);
        assert!(up.x.abs() < 1e-6 && (up.y + 1.0).abs() < 1e-6, "facing +y, upfield is to the right");
    }
}

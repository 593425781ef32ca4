//! The robot's senses (Table 6.1): proximity rays, the three-segment camera, range and bearing, and the compass.

use super::body::{Body, Colour};
use super::model::{
    CAMERA_COLUMNS, CAMERA_FOV, NEIGHBOUR_MIN, NEIGHBOUR_RANGE, PROX_ANGLES, PROX_RANGE, ROBOT_RADIUS, SEGMENT_ANGLE,
};
use crate::math::{Vec2, asin_positive, vec2, wrap_angle};

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
        let aside = Vec2::unit(SEGMENT_ANGLE);
        let mut v = Vec2::ZERO;
        if left {
            v += aside;
        }
        if centre {
            v += vec2(1.0, 0.0);
        }
        if right {
            v += vec2(aside.x, -aside.y);
        }
        v
    }
}

/// Range and bearing of one neighbour in the robot's frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Neighbour {
    /// Distance between centres, m.
    pub range: f32,
    /// Direction, rad.
    pub bearing: f32,
}

/// The eight proximity readings of robot `me`: 1 - d/range for the nearest robot or wall on each ray, else 0.
pub fn proximity(bodies: &[Body], me: usize, half_arena: (f32, f32)) -> [f32; 8] {
    let mut distances = [PROX_RANGE; 8];
    let pose = bodies[me].pose;
    let reach = ROBOT_RADIUS + PROX_RANGE;
    let mut near = [0usize; 32];
    let mut count = 0;
    for (i, other) in bodies.iter().enumerate() {
        let far = reach + other.shape.radius;
        if i != me && other.shape.tall && (other.pose.at - pose.at).length_squared() < far * far {
            near[count] = i;
            count += 1;
        }
    }
    let (hx, hy) = half_arena;
    let walls_near = pose.at.x.abs() + reach > hx || pose.at.y.abs() + reach > hy;
    if count == 0 && !walls_near {
        return [0.0; 8];
    }
    let ahead = Vec2::unit(pose.heading);
    for (distance, ray) in distances.iter_mut().zip(ray_directions()) {
        let direction = ray.rotate(ahead);
        let from = pose.at + direction * ROBOT_RADIUS;
        for other in &near[..count] {
            let d = ray_to_circle(from, direction, bodies[*other].pose.at, bodies[*other].shape.radius);
            *distance = distance.min(d);
        }
        if walls_near {
            *distance = distance.min(ray_to_walls(from, direction, half_arena).max(0.0));
        }
    }
    distances.map(|d| 1.0 - d * (1.0 / PROX_RANGE))
}

/// v_prox: the readings as vectors along their rays, added up (Eq. 6.2).
pub fn proximity_vector(readings: &[f32; 8]) -> Vec2 {
    let mut sum = Vec2::ZERO;
    for (reading, ray) in readings.iter().zip(ray_directions()) {
        sum += *ray * *reading;
    }
    sum
}

fn ray_directions() -> &'static [Vec2; 8] {
    static RAYS: std::sync::LazyLock<[Vec2; 8]> = std::sync::LazyLock::new(|| PROX_ANGLES.map(Vec2::unit));
    &RAYS
}

/// Distance along a ray to a circle; 0 from inside, infinite if the ray misses.
fn ray_to_circle(from: Vec2, direction: Vec2, centre: Vec2, radius: f32) -> f32 {
    let to = from - centre;
    let c = to.length_squared() - radius * radius;
    if c <= 0.0 {
        return 0.0;
    }
    let b = to.dot(direction);
    let under = b * b - c;
    if b >= 0.0 || under < 0.0 { f32::INFINITY } else { -b - under.sqrt() }
}

/// Distance along a ray from inside the arena to its walls; negative from outside.
pub fn ray_to_walls(from: Vec2, direction: Vec2, (hx, hy): (f32, f32)) -> f32 {
    let along = |p: f32, d: f32, half: f32| {
        if d > 0.0 {
            (half - p) / d
        } else if d < 0.0 {
            (-half - p) / d
        } else {
            f32::INFINITY
        }
    };
    along(from.x, direction.x, hx).min(along(from.y, direction.y, hy))
}

/// What the camera of robot `me` sees: every column that a body touches takes the colour of the nearest one; columns
/// without a body take the colour of a wall patch there, if any.
pub fn camera(bodies: &[Body], me: usize, patches: &[Patch], half_arena: (f32, f32)) -> Blobs {
    const WIDTH: f32 = CAMERA_FOV / CAMERA_COLUMNS as f32;
    let pose = bodies[me].pose;
    let mut nearest = [f32::INFINITY; CAMERA_COLUMNS];
    let mut colours = [None; CAMERA_COLUMNS];
    let ahead = Vec2::unit(pose.heading);
    for (i, other) in bodies.iter().enumerate() {
        let between = other.pose.at - pose.at;
        // Behind by more than the radius: no part can be in a field of view below 180 degrees.
        if i == me || between.dot(ahead) < -other.shape.radius {
            continue;
        }
        let distance = between.length();
        let sine = other.shape.radius / distance.max(other.shape.radius);
        let half = asin_positive(sine);
        let bearing = wrap_angle(between.angle() - pose.heading);
        // Columns count from the left edge, so bearings fall as columns rise.
        let first = ((CAMERA_FOV * 0.5 - bearing - half) / WIDTH).max(0.0);
        let last = (CAMERA_FOV * 0.5 - bearing + half) / WIDTH;
        if last <= 0.0 || first >= CAMERA_COLUMNS as f32 {
            continue;
        }
        let end = (last as usize + 1).min(CAMERA_COLUMNS);
        for column in first as usize..end {
            if distance < nearest[column] {
                nearest[column] = distance;
                colours[column] = Some(other.shape.colour);
            }
        }
    }
    if !patches.is_empty() {
        see_patches(pose.at, pose.heading, patches, half_arena, &mut colours);
    }
    let mut blobs = Blobs::default();
    for (column, colour) in colours.iter().enumerate() {
        if let Some(colour) = colour {
            blobs.0[*colour as usize][column / (CAMERA_COLUMNS / 3)] = true;
        }
    }
    blobs
}

fn see_patches(
    at: Vec2,
    heading: f32,
    patches: &[Patch],
    half_arena: (f32, f32),
    colours: &mut [Option<Colour>; CAMERA_COLUMNS],
) {
    const WIDTH: f32 = CAMERA_FOV / CAMERA_COLUMNS as f32;
    for (column, colour) in colours.iter_mut().enumerate().filter(|(_, c)| c.is_none()) {
        let bearing = CAMERA_FOV * 0.5 - WIDTH * (column as f32 + 0.5);
        let direction = Vec2::unit(wrap_angle(heading + bearing));
        let hit = at + direction * ray_to_walls(at, direction, half_arena);
        *colour = patches.iter().find(|p| (p.at - hit).length() <= p.half_length).map(|p| p.colour);
    }
}

/// v_attr and the number of neighbours of robot `me`, from true poses.
pub fn range_and_bearing(bodies: &[Body], me: usize) -> (Vec2, f32) {
    let pose = bodies[me].pose;
    let back = Vec2::unit(-pose.heading);
    let (mut sum, mut count) = (Vec2::ZERO, 0.0);
    for (i, other) in bodies.iter().enumerate() {
        let between = other.pose.at - pose.at;
        let square = between.length_squared();
        if i == me || !other.shape.tall || square > NEIGHBOUR_RANGE * NEIGHBOUR_RANGE || square == 0.0 {
            continue;
        }
        // A unit vector scaled by r_min / r is the difference vector scaled by r_min / r^2.
        sum += between * (NEIGHBOUR_MIN / square);
        count += 1.0;
    }
    if count == 0.0 { (vec2(1.0, 0.0), 0.0) } else { (sum.rotate(back), count) }
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
pub fn compass(heading: f32) -> Vec2 {
    Vec2::unit(-heading)
}

#[cfg(test)]
mod tests {
    use super::super::body::{Pose, Shape};
    use super::super::model::HALF_ARENA;
    use super::*;
    use std::f32::consts::{FRAC_PI_2, PI};

    fn robot(x: f32, y: f32, heading: f32) -> Body {
        Body::at_rest(Shape::ROBOT, Pose { at: vec2(x, y), heading })
    }

    fn frisbee(x: f32, y: f32) -> Body {
        Body::at_rest(Shape::FRISBEE, Pose { at: vec2(x, y), heading: 0.0 })
    }

    #[test]
    fn a_ray_reads_one_minus_distance_over_range() {
        // Turned so that ray 1 (+0.297) points along +x, straight at the other robot's centre.
        let bodies = [robot(0.0, 0.0, -0.297), robot(0.075 + 0.012, 0.0, 0.0)];
        let readings = proximity(&bodies, 0, HALF_ARENA);
        assert!((readings[0] - (1.0 - 0.012 / 0.030)).abs() < 1e-4, "{readings:?}");
        assert_eq!(readings[3], 0.0);
        let low = [robot(0.0, 0.0, 0.0), frisbee(0.15, 0.0)];
        assert_eq!(proximity(&low, 0, HALF_ARENA), [0.0; 8], "the frisbee is too low");
    }

    #[test]
    fn walls_are_seen_on_the_side_where_they_are() {
        let bodies = [robot(0.95, 0.0, FRAC_PI_2)];
        let readings = proximity(&bodies, 0, HALF_ARENA);
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
        let seen = |bodies: &[Body]| camera(bodies, 0, &[], HALF_ARENA).0;
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
        assert_eq!(camera(&bodies, 0, &[patch], HALF_ARENA).0[Colour::Green as usize], [true, true, true]);
        let hidden = [robot(0.0, 0.0, 0.0), robot(0.08, 0.0, 0.0)];
        assert_eq!(camera(&hidden, 0, &[patch], HALF_ARENA).0[Colour::Green as usize], [false; 3]);
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

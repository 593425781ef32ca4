//! Simulated camera with three segments, which detects the colours of bodies and wall patches.

use super::ray_to_walls;
use crate::math::{Vec2, atan2, atan2_positive, floor, max, min, vec2, wrap_angle};
use crate::model::{CAMERA_COLUMNS, SEGMENT_ANGLE};
use crate::world::physics::Physics;
use crate::world::robot::CameraView;
use crate::world::wall::Wall;
use crate::world::{Body, Colour};

/// A coloured patch on a wall, in the world frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Patch {
    /// Centre of the patch, on a wall (m).
    pub at: Vec2,
    /// Half the length of the patch along the wall (m).
    pub half_length: f32,
    /// Colour of the patch.
    pub colour: Colour,
}

impl Patch {
    /// Whether the patch belongs to a wall parallel to the y axis. A patch belongs to the nearest wall. The arguments
    /// are half of the arena's length (x) and half of its width (y) (m).
    pub fn is_upright(&self, (half_length, half_width): (f32, f32)) -> bool {
        (half_length - self.at.x.abs()).abs() <= (half_width - self.at.y.abs()).abs()
    }
}

/// Colours in the left, centre and right segment of a camera image. The first index is the colour, the second index
/// is the segment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Blobs(pub [[bool; 3]; 3]);

impl Blobs {
    /// Encodes the colours as a bit mask. The number of a bit is 3 * colour + segment.
    pub(crate) fn picture(&self) -> u32 {
        self.0.as_flattened().iter().zip(0..).fold(0, |bits, (seen, bit)| bits | u32::from(*seen) << bit)
    }

    /// Returns the camera vector of one colour (thesis Table 6.4).
    pub fn vector(&self, colour: Colour) -> Vec2 {
        let [left, centre, right] = self.0[colour as usize];
        segments_vector(left, centre, right, Vec2::unit(SEGMENT_ANGLE))
    }
}

/// Returns the camera vector of a colour (thesis Table 6.4). `left`, `centre` and `right` state whether the colour
/// appears in these segments. `aside` is the direction of the left segment as a unit vector.
#[inline(always)]
pub(crate) fn segments_vector(left: bool, centre: bool, right: bool, aside: Vec2) -> Vec2 {
    let [l, c, r] = [left, centre, right].map(|seen| if seen { 1.0 } else { 0.0 });
    vec2(aside.x * l + c + aside.x * r, aside.y * l - aside.y * r)
}

/// Number of columns in each of the three camera segments.
pub(crate) const COLUMNS_PER_SEGMENT: usize = CAMERA_COLUMNS / 3;

/// Returns the direction of the centre of a camera column, as a unit vector in the world frame.
pub(crate) fn column_direction(column: usize, heading: f32, view: &CameraView) -> Vec2 {
    Vec2::unit(wrap_angle(heading + (view.half - view.column * (column as f32 + 0.5))))
}

/// Returns a bit mask of the camera columns that contain a body. Bit 0 is the leftmost column. `between` is the
/// position of the body relative to the robot in the world frame (m), and `ahead` is the robot's heading as a unit
/// vector.
#[inline(always)]
pub(crate) fn columns(between: Vec2, ahead: Vec2, radius: f32, view: &CameraView) -> u32 {
    let (front, left) = (ahead.dot(between), ahead.cross(between));
    let bearing = atan2(left, front);
    // Half of the angle that the body covers in the view of the camera. Its sine is radius / distance.
    let square = between.length_squared();
    let half = atan2_positive(radius, max(square - radius * radius, 0.0).sqrt());
    let first = (view.half - bearing - half) * view.per_radian;
    let last = (view.half - bearing + half) * view.per_radian;
    // A body that is entirely behind the robot cannot be in view, because the field of view is below 180 degrees.
    let seen = (front >= -radius) & (last > 0.0) & (first < CAMERA_COLUMNS as f32) & (square <= view.square);
    let first = floor(min(max(first, 0.0), CAMERA_COLUMNS as f32));
    let end = floor(max(min(last + 1.0, CAMERA_COLUMNS as f32), 0.0));
    let below = |column: u32| 1u32.wrapping_shl(column).wrapping_sub(1);
    // The last factor sets all bits or no bits. It replaces a branch, which would prevent vectorisation over worlds.
    below(end) & !below(first) & 0u32.wrapping_sub(u32::from(seen))
}

/// Width of the margin outside the field of view in which [`may_be_seen`] still returns true (m). The width exceeds
/// the rounding errors in the largest arena.
const OUTSIDE: f32 = 1e-3;

/// Returns whether the camera may see a body. The test is faster than [`columns`]. If the result is false, [`columns`]
/// returns 0 for the body. `edge` is the left edge of the
/// field of view.
#[inline(always)]
pub(crate) fn may_be_seen(between: Vec2, ahead: Vec2, radius: f32, edge: Vec2) -> bool {
    let (front, left) = (ahead.dot(between), ahead.cross(between));
    // A visible circle intersects the wedge between the two edges of the field of view. The centre of the circle is
    // therefore at most one radius outside each edge.
    let (inwards, across) = (front * edge.y, left * edge.x);
    (inwards - across >= -(radius + OUTSIDE)) & (inwards + across >= -(radius + OUTSIDE))
}

/// Returns the squared distance to the nearest inner wall in each camera column (m^2). The value of a column without an
/// inner wall is infinite.
pub(crate) fn inner_walls_seen(at: Vec2, heading: f32, walls: &[Wall], view: &CameraView) -> [f32; CAMERA_COLUMNS] {
    let mut squares = [f32::INFINITY; CAMERA_COLUMNS];
    if walls.is_empty() {
        return squares;
    }
    for (column, square) in squares.iter_mut().enumerate() {
        let direction = column_direction(column, heading, view);
        for wall in walls {
            let distance = wall.distance_along(at, direction);
            *square = min(distance * distance, *square);
        }
    }
    squares
}

/// Returns a bit mask of the camera columns in which an inner wall is not farther away than a given distance. `walls`
/// and `square` are squared distances (m^2).
pub(crate) fn columns_hidden(walls: &[f32; CAMERA_COLUMNS], square: f32) -> u32 {
    walls.iter().enumerate().fold(0, |bits, (column, wall)| bits | u32::from(*wall <= square) << column)
}

/// Returns the colours that the camera of robot `me` sees. A column that contains bodies has the colour of the
/// nearest body. Other columns have the colour of a wall patch, if any. Inner walls are white and hide the objects
/// behind them.
pub fn camera(bodies: &[Body], me: usize, patches: &[Patch], physics: &Physics) -> Blobs {
    let pose = bodies[me].pose;
    let view = &physics.robot.camera;
    let (ahead, edge) = (Vec2::unit(pose.heading), view.edge);
    let walls = inner_walls_seen(pose.at, pose.heading, &physics.walls, view);
    let mut nearest = walls;
    let mut colours = [None; CAMERA_COLUMNS];
    for (_, other) in bodies.iter().enumerate().filter(|(i, _)| *i != me) {
        let between = other.pose.at - pose.at;
        if !may_be_seen(between, ahead, other.shape.radius, edge) {
            continue;
        }
        let seen = columns(between, ahead, other.shape.radius, view);
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
        *colour = patch_behind(column, pose.at, pose.heading, patches, physics);
    }
    let mut blobs = Blobs::default();
    for (column, colour) in colours.iter().enumerate() {
        if let Some(colour) = colour {
            blobs.0[*colour as usize][column / COLUMNS_PER_SEGMENT] = true;
        }
    }
    blobs
}

/// Returns the colour of the wall patch in a camera column, if any.
pub(crate) fn patch_behind(
    column: usize,
    at: Vec2,
    heading: f32,
    patches: &[Patch],
    physics: &Physics,
) -> Option<Colour> {
    if patches.is_empty() {
        return None;
    }
    let direction = column_direction(column, heading, &physics.robot.camera);
    let distance = ray_to_walls(at, direction, physics.half_arena);
    if distance > physics.robot.camera.range {
        return None;
    }
    let hit = at + direction * distance;
    patches.iter().find(|p| (p.at - hit).length() <= p.half_length).map(|p| p.colour)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Draws, Stream};

    #[test]
    fn visibility_culling_keeps_every_visible_body() {
        let mut draws = Draws::new(9, 0, 0, 0, Stream::Start);
        let view = CameraView::default();
        let edge = view.edge;
        let (mut seen, mut looked_at) = (0, 0);
        for i in 0..200_000 {
            let heading = draws.range(-3.2, 3.2);
            // A body is at a random position in the largest arena or close to the robot, or it touches an edge of the
            // field of view.
            let radius = [0.0375, 0.105, 1.0][i % 3];
            let distance = draws.range(0.0, [28.0, 0.5, 3.0][i / 3 % 3]);
            let slip = [draws.range(-3.2, 3.2), (radius / distance.max(radius)).asin() + draws.range(-1e-5, 1e-5)];
            let side = [1.0, -1.0][i / 18 % 2];
            let bearing = [slip[0], side * (view.half + slip[1])][i / 9 % 2];
            let between = Vec2::unit(heading + bearing) * distance;
            let ahead = Vec2::unit(heading);
            let bits = columns(between, ahead, radius, &view);
            let looked = may_be_seen(between, ahead, radius, edge);
            assert!(looked || bits == 0, "{between:?} {ahead:?} {radius} {bits:b}");
            seen += u32::from(bits != 0);
            looked_at += u32::from(looked);
        }
        assert!(seen > 20_000 && looked_at < 150_000, "{seen} seen, {looked_at} looked at");
    }
}

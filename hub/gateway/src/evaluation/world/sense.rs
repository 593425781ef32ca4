//! Readings of visual and sonic sensors (section 3.2). A reading is the distance to the nearest point of any object
//! in a beam.

use super::super::place::Beam;
use super::beam::Cone;
use super::convex::Side;
use super::description::{Colour, SIDE};
use super::face::{Corners, Face, TOUCHED};
use super::scene::Scene;
use super::shape::{PlacedBody, Prism};
use super::travel::WALLS;
use super::vector::{Vec2, Vec3, dot};

/// Maximum range of sensors, which is also the reading of an empty beam (mm).
pub const MAX_RANGE: f64 = 10_000.0;
/// Maximum magnitude of a sensor's coordinates (mm). If a coordinate is larger, the beam counts as empty.
const FARTHEST: f64 = 100_000.0;

/// Kind of sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sense {
    /// Visual sensor, whose beam is a pyramid.
    Light,
    /// Sonic sensor, whose beam is a cone.
    Sound,
}

/// Returns the distance (mm) and the colour of the nearest object in a beam. For an empty beam, these are
/// [`MAX_RANGE`] and black.
pub(super) fn nearest<'a>(
    scene: &Scene,
    robots: impl Iterator<Item = (&'a PlacedBody, bool)>,
    beam: &Beam,
    sense: Sense,
) -> (f64, Colour) {
    if [beam.x, beam.y, beam.z].iter().any(|value| value.abs() > FARTHEST) {
        return (MAX_RANGE, [0; 3]);
    }
    let mut look =
        NearestSearch { cone: Cone::new(beam, sense == Sense::Sound), nearest: MAX_RANGE, colour: [0; 3], point: None };
    let tip = look.cone.tip;
    for (robot, own) in robots {
        let span = [robot.spot.height, robot.spot.height + robot.body.height];
        if look.may_meet(robot.centre, robot.body.hull.radius, span) && !(own && robot.carries(tip)) {
            robot.prisms.iter().for_each(|prism| look.prism(prism, scene.robot_colour));
        }
    }
    let seen = |light: bool, sound: bool| if sense == Sense::Light { light } else { sound };
    for block in scene.blocks.iter().filter(|block| seen(block.light, block.sound)) {
        look.prism(&block.prism, block.colour);
    }
    look.walls(scene);
    look.ground(scene);
    (look.nearest, look.colour)
}

/// Search for the nearest object in a beam, with the best result so far.
struct NearestSearch {
    cone: Cone,
    nearest: f64,
    colour: Colour,
    /// Nearest point found on a face, in coordinates of the beam; `None` before the first one.
    point: Option<Vec3>,
}

impl NearestSearch {
    /// Returns whether an object may be in the beam and nearer than the nearest object so far. The arguments describe
    /// an upright cylinder that contains the object (mm).
    fn may_meet(&self, centre: Vec2, radius: f64, [bottom, top]: [f64; 2]) -> bool {
        let half = (top - bottom) / 2.0;
        let seen = self.cone.see([centre[0], centre[1], bottom + half]);
        let radius = (radius * radius + half * half).sqrt();
        let farthest = self.nearest + radius;
        seen.iter().map(|value| value * value).sum::<f64>() < farthest * farthest && self.cone.may_touch(seen, radius)
    }

    /// Records the nearest point of a face if it is nearer than all previous points. Returns whether it was recorded.
    fn face(&mut self, face: &Face, colour: Colour, corners: Corners<impl Fn(usize) -> Vec3>) -> bool {
        let Some(point) = face.nearest(&self.cone, self.nearest, corners) else { return false };
        self.nearest = point.distance;
        self.colour = colour;
        self.point = Some(point.seen);
        true
    }

    fn inside(&mut self, colour: Colour) {
        self.nearest = 0.0;
        self.colour = colour;
    }

    /// Searches the faces of a prism whose front side is towards the sensor. If there is no such face, the sensor is
    /// inside the prism, and the distance is 0.
    fn prism(&mut self, prism: &Prism, colour: Colour) {
        let outline = &prism.outline;
        let [bottom, top] = prism.span;
        if !self.may_meet(outline.centre, outline.radius, prism.span) {
            return;
        }
        let tip = self.cone.tip;
        let mut front = false;
        for (at, side) in outline.sides.iter().enumerate() {
            let face = upright_face(side, tip);
            if face.is_front() {
                front = true;
                let (from, to) = (side.point, outline.end(at));
                self.face(&face, colour, upright(from, to, [bottom, bottom], [top, top]));
            }
        }
        let count = outline.sides.len();
        let above = Face { normal: [0.0, 0.0, 1.0], height: tip[2] - top };
        if above.is_front() {
            front = true;
            let corner = |at: usize| [outline.sides[at].point[0], outline.sides[at].point[1], top];
            self.face(&above, colour, Corners { count, corner });
        }
        let below = Face { normal: [0.0, 0.0, -1.0], height: bottom - tip[2] };
        if below.is_front() {
            front = true;
            let point = |at: usize| outline.sides[count - 1 - at].point;
            self.face(&below, colour, Corners { count, corner: |at| [point(at)[0], point(at)[1], bottom] });
        }
        if !front {
            self.inside(colour);
        }
    }

    /// Searches the walls, which are visible from both sides.
    fn walls(&mut self, scene: &Scene) {
        let (bottom, top) = (scene.terrain.base, scene.wall_height);
        if top <= bottom {
            return;
        }
        let tip = self.cone.tip;
        for wall in &WALLS {
            let [x, y] = wall.normal;
            let height = dot(wall.normal, [tip[0], tip[1]]) - wall.offset;
            let from = wall.point;
            let to = [from[0] + y * SIDE, from[1] - x * SIDE];
            let (face, from, to) = if height > -TOUCHED {
                (Face { normal: [x, y, 0.0], height }, to, from)
            } else {
                (Face { normal: [-x, -y, 0.0], height: -height }, from, to)
            };
            self.face(&face, scene.wall_colour, upright(from, to, [bottom, bottom], [top, top]));
        }
    }

    fn ground(&mut self, scene: &Scene) {
        let (base, tip) = (scene.terrain.base, self.cone.tip);
        let mut found = false;
        let common = Face { normal: [0.0, 0.0, 1.0], height: tip[2] - base };
        if common.is_front() {
            let corners = [[0.0, 0.0, base], [SIDE, 0.0, base], [SIDE, SIDE, base], [0.0, SIDE, base]];
            found = self.face(&common, scene.ground_colour, Corners { count: 4, corner: |at| corners[at] });
        } else if (0.0..=SIDE).contains(&tip[0]) && (0.0..=SIDE).contains(&tip[1]) {
            self.inside(scene.ground_colour);
        }
        for piece in &scene.terrain.pieces {
            let outline = &piece.outline;
            let top = |point: Vec2| piece.height(point).max(base);
            let mut front = false;
            for (at, side) in outline.sides.iter().enumerate() {
                let face = upright_face(side, tip);
                if face.is_front() {
                    front = true;
                    let (from, to) = (side.point, outline.end(at));
                    found |= self.face(&face, piece.colour, upright(from, to, [base, base], [top(from), top(to)]));
                }
            }
            let [along_x, along_y] = piece.slope;
            let scale = 1.0 / (1.0 + along_x * along_x + along_y * along_y).sqrt();
            let height = (tip[2] - piece.height([tip[0], tip[1]])) * scale;
            let plane = Face { normal: [-along_x * scale, -along_y * scale, scale], height };
            if plane.is_front() {
                front = true;
                let point = |at: usize| outline.sides[at].point;
                let corner = |at: usize| [point(at)[0], point(at)[1], piece.height(point(at))];
                found |= self.face(&plane, piece.colour, Corners { count: outline.sides.len(), corner });
            }
            if !front && tip[2] > base {
                self.inside(piece.colour);
            }
        }
        if let Some(seen) = self.point.filter(|_| found) {
            let [x, y, _] = self.cone.point(seen);
            self.colour = scene.deadly_colour([x, y]).unwrap_or(self.colour);
        }
    }
}

/// Returns the vertical face over a side of an outline, relative to a sensor at `tip`.
fn upright_face(side: &Side, tip: Vec3) -> Face {
    let height = dot(side.normal, [tip[0], tip[1]]) - side.offset;
    Face { normal: [side.normal[0], side.normal[1], 0.0], height }
}

/// Returns the corners of a vertical face over the segment from `from` to `to`. `low` and `high` are the heights of the
/// lower and the upper corners at these two points (mm). The corners are counter-clockwise as seen from the right side
/// of the segment.
fn upright(from: Vec2, to: Vec2, low: [f64; 2], high: [f64; 2]) -> Corners<impl Fn(usize) -> Vec3> {
    let corner = move |at: usize| match at {
        0 => [from[0], from[1], low[0]],
        1 => [to[0], to[1], low[1]],
        2 => [to[0], to[1], high[1]],
        _ => [from[0], from[1], high[0]],
    };
    Corners { count: 4, corner }
}

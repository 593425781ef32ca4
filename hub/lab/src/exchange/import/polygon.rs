//! Finds a regular polygon of walls around the arena, which a world file states in one line.

use super::region::Region;
use super::shapes::{Solid, round};
use std::f32::consts::TAU;

/// Numbers of sides of a polygon. Its number is even, so that the centre of the polygon is that of the arena. A square
/// is not a polygon of walls, because its sides are edges of the arena.
const SIDES: [usize; 6] = [16, 14, 12, 10, 8, 6];
/// Maximum deviation of a wall from a side of the polygon (m).
const NEAR: f32 = 0.01;
/// Maximum gap between two walls at a corner (m).
const GAP: f32 = 0.02;

/// Regular polygon of walls. The middle of one side is at +x.
pub(super) struct Polygon {
    /// Number of sides.
    pub sides: usize,
    /// Distance from the centre to each side (m).
    pub inradius: f32,
    /// Indices of the bodies that are the sides.
    pub solids: Vec<usize>,
}

/// Inner side of a box.
struct Face {
    /// Index of the box.
    solid: usize,
    /// Direction from the centre to the side (rad).
    angle: f32,
    /// Distance from the centre (m).
    distance: f32,
    /// Distance of the middle of the side from the foot of the perpendicular (m).
    shift: f32,
    /// Half of the length (m).
    half_length: f32,
}

/// Returns the polygon of walls around the robots, or `None` if the walls have another shape.
pub(super) fn find(solids: &[Solid], region: &Region) -> Option<Polygon> {
    let middle = region.middle();
    let face = |(index, solid): (usize, &Solid)| {
        let [a, b] = solid.axes;
        let (across, along) = if a.length() <= b.length() { (a, b) } else { (b, a) };
        let thickness = across.length();
        let offset = solid.at - middle;
        let side = if offset.dot(across) < 0.0 { -across } else { across };
        let normal = side * (1.0 / thickness);
        Face {
            solid: index,
            angle: normal.y.atan2(normal.x),
            distance: offset.dot(normal) - thickness,
            shift: offset.cross(normal).abs(),
            half_length: along.length(),
        }
    };
    let boxes = solids.iter().enumerate().filter(|(_, solid)| solid.radius == 0.0 && !solid.is_drawn);
    let faces: Vec<Face> = boxes.map(face).collect();
    let reach = region.high.x - middle.x;
    SIDES.into_iter().find_map(|sides| polygon(sides, reach, &faces))
}

/// Returns the polygon with a number of sides whose distance from the centre is `reach` (m).
fn polygon(sides: usize, reach: f32, faces: &[Face]) -> Option<Polygon> {
    let half_side = reach * (std::f32::consts::PI / sides as f32).tan();
    let side = |i: usize| {
        let direction = TAU * i as f32 / sides as f32;
        faces.iter().find(|face| {
            let turned = (face.angle - direction).rem_euclid(TAU);
            turned.min(TAU - turned) * half_side <= NEAR
                && (face.distance - reach).abs() <= NEAR
                && face.shift <= NEAR
                && face.half_length >= half_side - GAP
        })
    };
    let solids = (0..sides).map(|i| side(i).map(|face| face.solid)).collect::<Option<_>>()?;
    Some(Polygon { sides, inradius: round(reach), solids })
}

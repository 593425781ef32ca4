//! Outlines of shapes on the floor, for pictures.

use super::region::Region;
use super::zone::ZoneShape;
use crate::math::{Vec2, vec2};
use std::f32::consts::TAU;

/// Number of corners of the polygon that represents a circle.
pub const CIRCLE_CORNERS: usize = 48;

impl ZoneShape {
    /// Returns the border of the shape as closed polygons (m). A point is in the shape if it is inside an odd number of
    /// them (even-odd rule). Circles are polygons of [`CIRCLE_CORNERS`] corners. Half-planes end at the border of the
    /// arena; other shapes may extend beyond it. A half-plane outside of the arena has no polygon.
    pub fn outline(&self, half_arena: (f32, f32)) -> Vec<Vec<Vec2>> {
        match self {
            ZoneShape::Simple(Region::Rectangle { at, half }) => vec![rectangle(*at, *half)],
            ZoneShape::Simple(Region::Disc { at, radius }) => vec![circle(*at, *radius)],
            ZoneShape::Simple(Region::Beyond { at, radius }) => vec![arena(half_arena), circle(*at, *radius)],
            ZoneShape::Ring { at, inner, outer } if *inner > 0.0 => vec![circle(*at, *outer), circle(*at, *inner)],
            ZoneShape::Ring { at, outer, .. } => vec![circle(*at, *outer)],
            ZoneShape::Polygon(corners) => vec![corners.clone()],
            ZoneShape::HalfPlane { towards, from } => {
                let clipped = clip(&arena(half_arena), *towards, *from);
                if clipped.len() < 3 { Vec::new() } else { vec![clipped] }
            }
        }
    }
}

impl ZoneShape {
    /// Returns a place for the name of the shape (m): its middle, or the upper part of a ring. The place for the outside
    /// of a disc is inside the disc. `None`: the shape is outside of the arena.
    pub fn name_place(&self, half_arena: (f32, f32)) -> Option<Vec2> {
        match self {
            ZoneShape::Simple(region) => Some(region.rounded().0),
            ZoneShape::Ring { at, inner, outer } => Some(*at + vec2(0.0, (inner + outer) / 2.0)),
            ZoneShape::HalfPlane { .. } | ZoneShape::Polygon(_) => {
                let outline = self.outline(half_arena);
                let corners = outline.first()?;
                Some(corners.iter().fold(Vec2::ZERO, |sum, corner| sum + *corner) * (1.0 / corners.len() as f32))
            }
        }
    }
}

/// Corners of the arena, counter-clockwise from the lower left (m).
pub fn arena(half_arena: (f32, f32)) -> Vec<Vec2> {
    rectangle(Vec2::ZERO, vec2(half_arena.0, half_arena.1))
}

fn rectangle(at: Vec2, half: Vec2) -> Vec<Vec2> {
    [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)].map(|(x, y)| at + vec2(x * half.x, y * half.y)).to_vec()
}

fn circle(at: Vec2, radius: f32) -> Vec<Vec2> {
    let corner = |index: usize| at + Vec2::unit(TAU * index as f32 / CIRCLE_CORNERS as f32) * radius;
    (0..CIRCLE_CORNERS).map(corner).collect()
}

/// Part of a convex polygon whose coordinate along a direction is at least a limit.
fn clip(polygon: &[Vec2], towards: Vec2, from: f32) -> Vec<Vec2> {
    let depth = |place: Vec2| towards.dot(place) - from;
    let mut clipped = Vec::new();
    for (index, &a) in polygon.iter().enumerate() {
        let b = polygon[(index + 1) % polygon.len()];
        let (depth_a, depth_b) = (depth(a), depth(b));
        if depth_a >= 0.0 {
            clipped.push(a);
        }
        if (depth_a > 0.0 && depth_b < 0.0) || (depth_a < 0.0 && depth_b > 0.0) {
            clipped.push(a + (b - a) * (depth_a / (depth_a - depth_b)));
        }
    }
    clipped
}

#[cfg(test)]
mod tests {
    use super::*;

    const ARENA: (f32, f32) = (2.0, 1.0);

    /// Area inside an odd number of nested polygons (m^2).
    fn area(polygons: &[Vec<Vec2>]) -> f32 {
        let size = |polygon: &Vec<Vec2>| {
            let next = polygon.iter().cycle().skip(1);
            (polygon.iter().zip(next).map(|(a, b)| a.cross(*b)).sum::<f32>() / 2.0).abs()
        };
        let sizes: Vec<f32> = polygons.iter().map(size).collect();
        sizes[0] - sizes[1..].iter().sum::<f32>()
    }

    #[test]
    fn outlines_have_the_area_of_their_shapes() {
        let at = vec2(0.2, 0.1);
        let pi = std::f32::consts::PI;
        for (shape, expected) in [
            (ZoneShape::Simple(Region::Rectangle { at, half: vec2(0.3, 0.2) }), 0.24),
            (ZoneShape::Simple(Region::Disc { at, radius: 0.5 }), 0.25 * pi),
            (ZoneShape::Simple(Region::Beyond { at, radius: 0.5 }), 8.0 - 0.25 * pi),
            (ZoneShape::Ring { at, inner: 0.3, outer: 0.5 }, 0.16 * pi),
            (ZoneShape::Ring { at, inner: 0.0, outer: 0.5 }, 0.25 * pi),
            (ZoneShape::Polygon(vec![vec2(0.0, 0.0), vec2(1.0, 0.0), vec2(0.0, 1.0)]), 0.5),
            (ZoneShape::HalfPlane { towards: vec2(0.0, -1.0), from: 0.6 }, 1.6),
        ] {
            let found = area(&shape.outline(ARENA));
            assert!((found - expected).abs() < 0.004, "{shape:?}: {found} for {expected}");
        }
    }

    #[test]
    fn half_planes_end_at_the_arena() {
        let half_plane = |towards: Vec2, from: f32| ZoneShape::HalfPlane { towards, from }.outline(ARENA);
        let s = 0.5f32.sqrt();
        let corner = &half_plane(vec2(s, s), 2.0 * s)[0];
        let expected = [vec2(2.0, 0.0), vec2(2.0, 1.0), vec2(1.0, 1.0)];
        assert_eq!(corner.len(), 3);
        for place in expected {
            assert!(corner.iter().any(|found| (*found - place).length() < 1e-5), "{corner:?}");
        }
        assert!(half_plane(vec2(1.0, 0.0), 2.5).is_empty());
        assert_eq!(half_plane(vec2(1.0, 0.0), f32::MIN), [arena(ARENA)]);
    }
}

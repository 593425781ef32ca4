//! Named regions of the floor.

use super::region::Region;
use crate::math::{Vec2, max, min, vec2};
use serde::{Deserialize, Serialize};

/// Name of the region that is the whole arena.
pub(crate) const ARENA: &str = "arena";
/// Maximum number of corners of a polygon.
pub const MAX_CORNERS: usize = 16;
/// Spacing of the points that represent a region (m).
const POINT_SPACING: f32 = 0.05;
/// Maximum number of points that represent a region.
const MAX_POINTS: usize = 4096;

/// Shape on the floor. Its border belongs to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ZoneShape {
    /// Rectangle, disc, or the outside of a disc.
    Simple(Region),
    /// Points whose coordinate along a direction is at least a limit.
    HalfPlane {
        /// Unit vector of the direction.
        towards: Vec2,
        /// Limit (m).
        from: f32,
    },
    /// Points at a distance between two radii from a centre.
    Ring {
        /// Centre (m).
        at: Vec2,
        /// Inner radius (m).
        inner: f32,
        /// Outer radius (m).
        outer: f32,
    },
    /// Polygon with its corners in order (m), 3 to [`MAX_CORNERS`].
    Polygon(Vec<Vec2>),
}

/// Region with a name: the union of shapes without the union of other shapes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Zone {
    /// Name in formulas and reports.
    pub name: String,
    /// Shapes of the region.
    pub shapes: Vec<ZoneShape>,
    /// Shapes that are cut out.
    pub without: Vec<ZoneShape>,
}

impl ZoneShape {
    /// True if a point is in the shape; false for a point with NaN.
    pub fn contains(&self, place: Vec2) -> bool {
        if place.x.is_nan() {
            return false;
        }
        match self {
            ZoneShape::Simple(region) => region.contains(place),
            ZoneShape::HalfPlane { towards, from } => towards.dot(place) >= *from,
            ZoneShape::Ring { at, inner, outer } => {
                let distance = (place - *at).length();
                (*inner..=*outer).contains(&distance)
            }
            ZoneShape::Polygon(corners) => inside_polygon(corners, place),
        }
    }
}

impl ZoneShape {
    /// Whether each of N points is in the shape. The kind of the shape is selected outside of the loop over the points,
    /// so that the loop can use vector registers.
    #[inline(always)]
    fn contains_each<const N: usize>(&self, x: &[f32; N], y: &[f32; N]) -> [bool; N] {
        #[inline(always)]
        fn each<const N: usize>(x: &[f32; N], y: &[f32; N], inside: impl Fn(Vec2) -> bool) -> [bool; N] {
            std::array::from_fn(|l| !x[l].is_nan() & inside(vec2(x[l], y[l])))
        }
        match self {
            ZoneShape::Simple(region @ Region::Beyond { .. }) => each(x, y, |at| region.contains(at)),
            ZoneShape::Simple(Region::Disc { at, radius }) => {
                let disc = Region::Disc { at: *at, radius: *radius };
                each(x, y, |at| disc.contains(at))
            }
            ZoneShape::Simple(Region::Rectangle { at, half }) => {
                let rectangle = Region::Rectangle { at: *at, half: *half };
                each(x, y, |at| rectangle.contains(at))
            }
            ZoneShape::HalfPlane { towards, from } => {
                let (towards, from) = (*towards, *from);
                each(x, y, |at| towards.dot(at) >= from)
            }
            ZoneShape::Ring { at, inner, outer } => {
                let (centre, inner, outer) = (*at, *inner, *outer);
                each(x, y, |at| {
                    let distance = (at - centre).length();
                    (distance >= inner) & (distance <= outer)
                })
            }
            ZoneShape::Polygon(corners) => each(x, y, |at| inside_polygon(corners, at)),
        }
    }

    /// Lowest and highest coordinates; infinite for shapes without a border there.
    fn bounds(&self) -> (Vec2, Vec2) {
        let around = |at: Vec2, half: Vec2| (at - half, at + half);
        let everywhere = (vec2(f32::NEG_INFINITY, f32::NEG_INFINITY), vec2(f32::INFINITY, f32::INFINITY));
        match self {
            ZoneShape::Simple(Region::Rectangle { at, half }) => around(*at, *half),
            ZoneShape::Simple(Region::Disc { at, radius }) | ZoneShape::Ring { at, outer: radius, .. } => {
                around(*at, vec2(*radius, *radius))
            }
            ZoneShape::Simple(Region::Beyond { .. }) | ZoneShape::HalfPlane { .. } => everywhere,
            ZoneShape::Polygon(corners) => corners.iter().fold((everywhere.1, everywhere.0), |(low, high), at| {
                (vec2(min(low.x, at.x), min(low.y, at.y)), vec2(max(high.x, at.x), max(high.y, at.y)))
            }),
        }
    }
}

/// True if a ray from the point along +x crosses the sides of the polygon an odd number of times.
fn inside_polygon(corners: &[Vec2], place: Vec2) -> bool {
    let next = corners.iter().cycle().skip(1);
    let crosses = |(a, b): (&Vec2, &Vec2)| {
        (a.y > place.y) != (b.y > place.y) && place.x < a.x + (place.y - a.y) / (b.y - a.y) * (b.x - a.x)
    };
    corners.iter().zip(next).filter(|side| crosses(*side)).count() % 2 == 1
}

impl Zone {
    /// The region `arena`, which is the whole arena.
    pub fn arena() -> Zone {
        let all = ZoneShape::HalfPlane { towards: vec2(1.0, 0.0), from: f32::MIN };
        Zone { name: ARENA.into(), shapes: vec![all], without: Vec::new() }
    }

    /// True if a point is in the region; false for a point with NaN.
    pub fn contains(&self, place: Vec2) -> bool {
        self.shapes.iter().any(|shape| shape.contains(place)) && !self.without.iter().any(|shape| shape.contains(place))
    }

    /// Whether each of N points is in the region.
    #[inline(always)]
    pub(crate) fn contains_each<const N: usize>(&self, x: &[f32; N], y: &[f32; N]) -> [bool; N] {
        let mut inside = [false; N];
        for shape in &self.shapes {
            let found = shape.contains_each(x, y);
            (0..N).for_each(|l| inside[l] |= found[l]);
        }
        for shape in &self.without {
            let found = shape.contains_each(x, y);
            (0..N).for_each(|l| inside[l] &= !found[l]);
        }
        inside
    }

    /// Returns the lowest and highest coordinates of the region in an arena whose walls are at least `margin` away (m).
    pub fn bounds(&self, half_arena: (f32, f32), margin: f32) -> (Vec2, Vec2) {
        let arena = vec2(half_arena.0 - margin, half_arena.1 - margin);
        self.shapes.iter().map(ZoneShape::bounds).fold((arena, -arena), |(low, high), (lower, higher)| {
            let low = vec2(max(min(low.x, lower.x), -arena.x), max(min(low.y, lower.y), -arena.y));
            (low, vec2(min(max(high.x, higher.x), arena.x), min(max(high.y, higher.y), arena.y)))
        })
    }

    /// Area of the region inside an arena (m^2), from the fraction of grid points that it contains.
    pub fn area(&self, half_arena: (f32, f32)) -> f32 {
        let all = Zone::arena().points(half_arena).len() as f32;
        4.0 * half_arena.0 * half_arena.1 * self.points(half_arena).len() as f32 / all
    }

    /// Points of the region inside an arena, on a square grid of 0.05 m or, in a large arena, of a wider spacing.
    pub fn points(&self, half_arena: (f32, f32)) -> Vec<Vec2> {
        let (hx, hy) = half_arena;
        let spacing = POINT_SPACING.max((4.0 * hx * hy / MAX_POINTS as f32).sqrt());
        let cells = |half: f32| (2.0 * half / spacing).ceil().max(1.0);
        let (columns, rows) = (cells(hx), cells(hy));
        let place = |column: usize, row: usize| {
            vec2((2.0 * column as f32 + 1.0) / columns * hx - hx, (2.0 * row as f32 + 1.0) / rows * hy - hy)
        };
        let all = (0..rows as usize).flat_map(|row| (0..columns as usize).map(move |column| place(column, row)));
        all.filter(|point| self.contains(*point)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn zone(shapes: Vec<ZoneShape>, without: Vec<ZoneShape>) -> Zone {
        Zone { name: "zone".into(), shapes, without }
    }

    #[test]
    fn union_without_another_shape() {
        let disc = |x, radius| ZoneShape::Simple(Region::Disc { at: vec2(x, 0.0), radius });
        let zone = zone(vec![disc(-0.5, 0.3), disc(0.5, 0.3)], vec![disc(0.5, 0.1)]);
        let inside = [-0.5, -0.1, 0.25, 0.5, 0.65].map(|x| zone.contains(vec2(x, 0.0)));
        assert_eq!(inside, [true, false, true, false, true]);
        assert!(!zone.contains(vec2(f32::NAN, f32::NAN)));
    }

    #[test]
    fn lanes_agree_with_single_points() {
        let disc = |x, radius| ZoneShape::Simple(Region::Disc { at: vec2(x, 0.0), radius });
        let shapes = vec![
            disc(-0.5, 0.3),
            ZoneShape::Simple(Region::Rectangle { at: vec2(0.5, 0.5), half: vec2(0.2, 0.1) }),
            ZoneShape::Simple(Region::Beyond { at: Vec2::ZERO, radius: 0.95 }),
            ZoneShape::HalfPlane { towards: Vec2::unit(4.0), from: 0.5 },
            ZoneShape::Ring { at: vec2(0.5, -0.4), inner: 0.1, outer: 0.25 },
            ZoneShape::Polygon(vec![vec2(-0.1, 0.0), vec2(0.3, 0.1), vec2(0.0, 0.6)]),
        ];
        let all = zone(shapes.clone(), vec![disc(0.0, 0.2)]);
        for number in 0..200 {
            let mut draws = crate::random::Draws::new(5, number, 0, 0, crate::random::Stream::Simtest);
            let x: [f32; 16] = std::array::from_fn(|l| if l == 3 { f32::NAN } else { draws.range(-1.0, 1.0) });
            let y: [f32; 16] = std::array::from_fn(|_| draws.range(-1.0, 1.0));
            let singly = |contains: &dyn Fn(Vec2) -> bool| std::array::from_fn(|l| contains(vec2(x[l], y[l])));
            assert_eq!(all.contains_each(&x, &y), singly(&|at| all.contains(at)));
            for shape in &shapes {
                assert_eq!(shape.contains_each(&x, &y), singly(&|at| shape.contains(at)), "{shape:?}");
            }
        }
    }

    #[test]
    fn borders_belong_to_shapes() {
        let half = ZoneShape::HalfPlane { towards: vec2(0.0, -1.0), from: 0.6 };
        assert!(half.contains(vec2(3.0, -0.6)) && !half.contains(vec2(3.0, -0.59)));
        let ring = ZoneShape::Ring { at: Vec2::ZERO, inner: 0.2, outer: 0.4 };
        assert_eq!([0.1, 0.2, 0.4, 0.5].map(|x| ring.contains(vec2(x, 0.0))), [false, true, true, false]);
        let triangle = ZoneShape::Polygon(vec![vec2(0.0, 0.0), vec2(1.0, 0.0), vec2(0.0, 1.0)]);
        assert!(triangle.contains(vec2(0.2, 0.2)) && !triangle.contains(vec2(0.8, 0.8)));
    }

    #[test]
    fn points_have_the_area_of_the_region() {
        let disc = zone(vec![ZoneShape::Simple(Region::Disc { at: vec2(0.2, 0.1), radius: 0.5 })], vec![]);
        let area = disc.points((1.0, 0.75)).len() as f32 * 0.05 * 0.05;
        assert!((area - 0.785).abs() < 0.02, "{area}");
        assert!(disc.points((10.0, 10.0)).len() < 20, "the grid is wider in a large arena");
    }
}

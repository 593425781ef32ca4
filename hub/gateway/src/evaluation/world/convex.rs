//! Convex polygons, the basis of all solids in the world.

use super::pose::Frame;
use super::vector::{Vec2, add, cross, dot, length, scale, subtract};

/// Convex polygon with counter-clockwise corners.
#[derive(Clone, Debug)]
pub(super) struct Convex {
    pub sides: Vec<Side>,
    /// Centre of a circle that encloses the polygon.
    pub centre: Vec2,
    /// Radius of the enclosing circle (mm).
    pub radius: f64,
    /// Maximum distance of a corner from (0, 0) in the polygon's own coordinates (mm).
    pub reach: f64,
}

/// Side of a polygon, with its start point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub point: Vec2,
    /// Outward unit normal of the side.
    pub normal: Vec2,
    /// Distance of the side's line from (0, 0) along the normal (mm).
    pub offset: f64,
}

impl Convex {
    /// Creates a polygon from counter-clockwise corners. Consecutive corners must differ.
    pub(super) fn new(points: &[Vec2]) -> Self {
        let next = points.iter().cycle().skip(1);
        let sides: Vec<Side> = points.iter().zip(next).map(|(&from, &to)| Side::new(from, to)).collect();
        let axis = |at: usize| {
            let values = || points.iter().map(|point| point[at]);
            (values().fold(f64::INFINITY, f64::min) + values().fold(f64::NEG_INFINITY, f64::max)) / 2.0
        };
        let centre = [axis(0), axis(1)];
        let far = |from: Vec2| points.iter().map(|&point| length(subtract(point, from))).fold(0.0, f64::max);
        Self { sides, centre, radius: far(centre), reach: far([0.0, 0.0]) }
    }

    /// Replaces this polygon with `from` placed at `frame`. Both must have the same number of sides.
    pub(super) fn place(&mut self, from: &Convex, frame: &Frame) {
        for (side, from) in self.sides.iter_mut().zip(&from.sides) {
            side.point = frame.place(from.point);
            side.normal = frame.turn(from.normal);
            side.offset = from.offset + dot(side.normal, frame.origin);
        }
        self.centre = frame.place(from.centre);
    }

    /// Returns whether a point is inside, or outside by at most `margin` (mm).
    pub(super) fn contains(&self, point: Vec2, margin: f64) -> bool {
        self.sides.iter().all(|side| dot(side.normal, point) - side.offset <= margin)
    }

    /// Returns the end point of a side.
    pub(super) fn end(&self, side: usize) -> Vec2 {
        self.sides[if side + 1 == self.sides.len() { 0 } else { side + 1 }].point
    }

    /// Returns the part of a segment that is inside or on the border, as fractions from 0 to 1 of the segment. Returns
    /// `None` if the segment does not meet the polygon.
    pub(super) fn clip(&self, from: Vec2, way: Vec2) -> Option<(f64, f64)> {
        let (mut low, mut high) = (0.0_f64, 1.0_f64);
        for side in &self.sides {
            let (low_here, high_here) =
                clip_below(dot(side.normal, from) - side.offset, dot(side.normal, way), 0.0, (low, high))?;
            (low, high) = (low_here, high_here);
        }
        Some((low, high))
    }
}

/// Returns the part of the interval from `low` to `high` that contains all t with `start + rate * t <= bound`; `None`
/// if there is no such t.
pub(super) fn clip_below(start: f64, rate: f64, bound: f64, (low, high): (f64, f64)) -> Option<(f64, f64)> {
    let room = bound - start;
    let range = if rate > 0.0 {
        (low, high.min(room / rate))
    } else if rate < 0.0 {
        (low.max(room / rate), high)
    } else if room >= 0.0 {
        (low, high)
    } else {
        return None;
    };
    (range.0 <= range.1).then_some(range)
}

impl Side {
    fn new(from: Vec2, to: Vec2) -> Self {
        let way = subtract(to, from);
        let normal = scale([way[1], -way[0]], 1.0 / length(way));
        Self { point: from, normal, offset: dot(normal, from) }
    }
}

/// Returns the corners of the convex hull, counter-clockwise and without collinear corners.
pub(super) fn hull(mut points: Vec<Vec2>) -> Vec<Vec2> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    let half = |points: &mut dyn Iterator<Item = Vec2>| {
        let mut chain: Vec<Vec2> = Vec::new();
        for point in points {
            while let [.., before, last] = chain[..] {
                if cross(subtract(last, before), subtract(point, last)) > 0.0 {
                    break;
                }
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut corners = half(&mut points.iter().copied());
    corners.extend(half(&mut points.iter().rev().copied()));
    corners
}

/// Returns the intersection point of two line segments; `None` if they do not intersect or are parallel.
pub(super) fn crossing((from, to): (Vec2, Vec2), (other_from, other_to): (Vec2, Vec2)) -> Option<Vec2> {
    let (way, other_way) = (subtract(to, from), subtract(other_to, other_from));
    let area = cross(way, other_way);
    if area == 0.0 {
        return None;
    }
    let between = subtract(other_from, from);
    let part = cross(between, other_way) / area;
    let other_part = cross(between, way) / area;
    let within = 0.0..=1.0;
    (within.contains(&part) && within.contains(&other_part)).then(|| add(from, scale(way, part)))
}

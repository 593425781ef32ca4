//! Convex polygons, which all solids are made of.

use super::pose::Frame;
use super::vector::{Vec2, add, cross, dot, length, scale, subtract};

/// A convex polygon, its corners counter-clockwise.
#[derive(Clone, Debug)]
pub(super) struct Convex {
    pub sides: Vec<Side>,
    /// The middle of a circle around it.
    pub centre: Vec2,
    /// The radius of that circle, mm.
    pub radius: f64,
    /// The largest distance of a corner from (0, 0), mm, before it was placed.
    pub reach: f64,
}

/// A side and the corner where it starts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Side {
    pub point: Vec2,
    /// Outwards, of length 1.
    pub normal: Vec2,
    /// Along the normal, from (0, 0), mm.
    pub offset: f64,
}

impl Convex {
    /// Of corners that are counter-clockwise, with no two neighbours equal.
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

    /// Becomes another one, placed; as many sides.
    pub(super) fn place(&mut self, from: &Convex, frame: &Frame) {
        for (side, from) in self.sides.iter_mut().zip(&from.sides) {
            side.point = frame.place(from.point);
            side.normal = frame.turn(from.normal);
            side.offset = from.offset + dot(side.normal, frame.origin);
        }
        self.centre = frame.place(from.centre);
    }

    /// Whether a point is inside or no more than a margin, mm, outside of a side.
    pub(super) fn contains(&self, point: Vec2, margin: f64) -> bool {
        self.sides.iter().all(|side| dot(side.normal, point) - side.offset <= margin)
    }

    /// The corner where a side ends.
    pub(super) fn end(&self, side: usize) -> Vec2 {
        self.sides[if side + 1 == self.sides.len() { 0 } else { side + 1 }].point
    }

    /// The part of a straight way, 0 to 1, that is inside or on the border.
    pub(super) fn clip(&self, from: Vec2, way: Vec2) -> Option<(f64, f64)> {
        let (mut low, mut high) = (0.0_f64, 1.0_f64);
        for side in &self.sides {
            let (low_here, high_here) =
                not_above(dot(side.normal, from) - side.offset, dot(side.normal, way), 0.0, (low, high))?;
            (low, high) = (low_here, high_here);
        }
        Some((low, high))
    }
}

/// The part of a range of t where start + rate t is no more than a bound.
pub(super) fn not_above(start: f64, rate: f64, bound: f64, (low, high): (f64, f64)) -> Option<(f64, f64)> {
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

/// The corners of the convex hull, counter-clockwise, none of them on the line between its neighbours.
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

/// Where two straight lines of limited length cross.
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

//! Beam of a sensor: a pyramid, or a cone with an elliptic cross-section.

use super::super::place::Beam;
use super::convex::clip_below;
use super::vector::{Vec3, add3, dot3, scale3};

/// Tolerance of the beam's border (mm). It allows a beam without width to detect objects.
const MARGIN: f64 = 1e-9;
/// Number of bisections of an interval of angles that is at most pi / 8 wide. The bisections determine the direction
/// of the nearest point to 3e-8 rad. The distance has its minimum in this direction, so the error of the distance is
/// only a rounding error.
const HALVINGS: usize = 24;
/// Number of intervals on a quarter of the border of an elliptic cone. First, the end of an interval whose direction is
/// nearest to the searched direction is selected. Then, the intervals next to this end are bisected.
const SAMPLES: usize = 8;

/// Beam as a convex cone with its apex at the sensor. In beam coordinates, x is the axis, y points left and z points
/// up.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cone {
    pub tip: Vec3,
    axes: [Vec3; 3],
    /// Tangent of half the horizontal opening angle (`wide`), and of half the vertical opening angle (`high`).
    wide: f64,
    high: f64,
    /// Whether the cross-section is elliptic; otherwise, the beam is a pyramid.
    round: bool,
    /// Outward unit normals of the four sides of the pyramid, in beam coordinates.
    sides: [Vec3; 4],
}

impl Cone {
    pub(super) fn new(beam: &Beam, round: bool) -> Self {
        let (sine, cosine) = beam.direction.sin_cos();
        let (rise, run) = beam.tilt.sin_cos();
        let axes = [[run * cosine, run * sine, rise], [-sine, cosine, 0.0], [-rise * cosine, -rise * sine, run]];
        let [wide, high] = [beam.horizontal, beam.vertical].map(|angle| (angle / 2.0).tan());
        let [across, along] = [wide, high].map(|tangent| 1.0 / (1.0 + tangent * tangent).sqrt());
        let sides = [
            [-wide * across, across, 0.0],
            [-wide * across, -across, 0.0],
            [-high * along, 0.0, along],
            [-high * along, 0.0, -along],
        ];
        // Without width or height, the cone and the pyramid are the same planar fan, which the pyramid's formulas
        // describe.
        Self { tip: [beam.x, beam.y, beam.z], axes, wide, high, round: round && wide > 0.0 && high > 0.0, sides }
    }

    /// Transforms a vector from arena to beam coordinates.
    pub(super) fn turn(&self, way: Vec3) -> Vec3 {
        self.axes.map(|axis| dot3(axis, way))
    }

    /// Transforms a point from arena to beam coordinates.
    pub(super) fn see(&self, point: Vec3) -> Vec3 {
        self.turn([point[0] - self.tip[0], point[1] - self.tip[1], point[2] - self.tip[2]])
    }

    /// Transforms a point from beam to arena coordinates.
    pub(super) fn point(&self, seen: Vec3) -> Vec3 {
        let mut point = self.tip;
        for (axis, along) in self.axes.iter().zip(seen) {
            point = add3(point, scale3(*axis, along));
        }
        point
    }

    /// Returns whether a ball (in beam coordinates) may intersect the beam. Returns true for some balls outside the
    /// beam.
    pub(super) fn may_touch(&self, centre: Vec3, radius: f64) -> bool {
        centre[0] >= -radius - MARGIN && self.sides.iter().all(|&side| dot3(side, centre) <= radius + MARGIN)
    }

    /// Returns the direction in the beam with the smallest angle to `normal`; `None` if this angle is not less than a
    /// right angle. The result has an arbitrary length.
    ///
    /// Consider a plane perpendicular to `normal`. In the beam, the point of the plane that is nearest to the sensor
    /// lies in the returned direction.
    pub(super) fn nearest_direction(&self, normal: Vec3) -> Option<Vec3> {
        let [x, y, z] = normal;
        let mirrored = [x, y.abs(), z.abs()];
        let direction = if self.round { self.nearest_in_cone(mirrored) } else { self.nearest_in_pyramid(mirrored) };
        let [along, left, up] = direction;
        let direction = [along, left.copysign(y), up.copysign(z)];
        (dot3(direction, normal) > 0.0).then_some(direction)
    }

    /// Returns the direction itself if it is in the pyramid. Otherwise, returns the nearest direction on a side or an
    /// edge.
    fn nearest_in_pyramid(&self, [x, y, z]: Vec3) -> Vec3 {
        let (wide, high) = (self.wide, self.high);
        if x > 0.0 && y <= wide * x && z <= high * x {
            return [x, y, z];
        }
        let on_left = (x + wide * y) / (1.0 + wide * wide);
        if on_left > 0.0 && y > wide * x && z <= high * on_left {
            return [on_left, wide * on_left, z];
        }
        let on_top = (x + high * z) / (1.0 + high * high);
        if on_top > 0.0 && z > high * x && y <= wide * on_top {
            return [on_top, y, high * on_top];
        }
        [1.0, wide, high]
    }

    /// Returns the direction itself if it is in the elliptic cone. Otherwise, returns the nearest direction on the
    /// border: (1, wide c, high s) with c² + s² = 1.
    fn nearest_in_cone(&self, [x, y, z]: Vec3) -> Vec3 {
        let (wide, high) = (self.wide, self.high);
        if x > 0.0 && (y / wide).powi(2) + (z / high).powi(2) <= x * x {
            return [x, y, z];
        }
        let border = |[c, s]: [f64; 2]| [1.0, wide * c, high * s];
        if wide == high {
            let across = y.hypot(z);
            return border(if across > 0.0 { [y / across, z / across] } else { [1.0, 0.0] });
        }
        // Returns whether the cosine of the angle to (x, y, z) still increases along the border at this point.
        let grows = |[c, s]: [f64; 2]| {
            let along = x + wide * y * c + high * z * s;
            let square = 1.0 + (wide * c).powi(2) + (high * s).powi(2);
            (high * z * c - wide * y * s) * square > along * (high * high - wide * wide) * s * c
        };
        let place = |at: usize| {
            let (s, c) = (at as f64 * std::f64::consts::FRAC_PI_2 / SAMPLES as f64).sin_cos();
            [c, s]
        };
        let cosine = |at: usize| {
            let direction = border(place(at));
            dot3(direction, [x, y, z]) / dot3(direction, direction).sqrt()
        };
        let best =
            (1..=SAMPLES).fold((0, cosine(0)), |best, at| if cosine(at) > best.1 { (at, cosine(at)) } else { best }).0;
        let (mut low, mut above) = (place(best.saturating_sub(1)), place((best + 1).min(SAMPLES)));
        for _ in 0..HALVINGS {
            let [c, s] = [low[0] + above[0], low[1] + above[1]];
            let length = (c * c + s * s).sqrt();
            let middle = [c / length, s / length];
            if grows(middle) {
                low = middle;
            } else {
                above = middle;
            }
        }
        border(low)
    }

    /// Returns the part of a segment that lies in the beam, as fractions from 0 to 1 of the segment. Returns `None` if
    /// the segment does not meet the beam.
    pub(super) fn clip(&self, from: Vec3, way: Vec3) -> Option<(f64, f64)> {
        let mut range = clip_below(-from[0], -way[0], MARGIN, (0.0, 1.0))?;
        if self.round {
            return self.clip_round(from, way, range);
        }
        for side in &self.sides {
            range = clip_below(dot3(*side, from), dot3(*side, way), MARGIN, range)?;
        }
        Some(range)
    }

    /// Clips a segment with the elliptic cone. The cone is convex, so each end of the result is an end of the range
    /// or a point where the segment crosses the border.
    fn clip_round(&self, from: Vec3, way: Vec3, (low, high): (f64, f64)) -> Option<(f64, f64)> {
        let squash = |[x, y, z]: Vec3| [x, y / self.wide, z / self.high];
        let (from, way) = (squash(from), squash(way));
        let product = |a: Vec3, b: Vec3| a[1] * b[1] + a[2] * b[2] - a[0] * b[0];
        let (square, half, rest) = (product(way, way), product(from, way), product(from, from));
        let inside = |t: f64| square * t * t + 2.0 * half * t + rest <= 0.0;
        let root = (half * half - square * rest).sqrt();
        // Adding two values of equal sign avoids cancellation. Without a real root the result is NaN, which the test
        // for the range excludes.
        let sum = -(half + root.copysign(half));
        let roots = [sum / square, rest / sum].into_iter().filter(|root| (low..=high).contains(root));
        let ends = [low, high].into_iter().filter(|&end| inside(end));
        let part = ends.chain(roots).fold((f64::INFINITY, f64::NEG_INFINITY), |part, t| (part.0.min(t), part.1.max(t)));
        (part.0 <= part.1).then_some(part)
    }
}

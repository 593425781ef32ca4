//! Range and bearing of neighbours, and the vector v_attr.

use super::messages::{Attraction, Messages};
use crate::math::{Vec2, max, vec2};
use crate::model::NEIGHBOUR_MIN;
use crate::world::Body;

/// Range and bearing of one neighbour in the robot's frame.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Neighbour {
    /// Distance between centres (m).
    pub range: f32,
    /// Direction in the robot's frame (rad).
    pub bearing: f32,
}

/// Computes the contribution of a body to the sum for v_attr in the world frame. Also returns whether the body is a
/// neighbour. `between` is the position of the body relative to the robot (m), and `range` is the maximum distance of
/// a neighbour (m).
#[inline(always)]
pub(crate) fn neighbour(between: Vec2, range: f32) -> (Vec2, bool) {
    let square = between.length_squared();
    let near = (square <= range * range) & (square > 0.0);
    // The unit vector towards the body, scaled by r_min / r, equals `between` scaled by r_min / r^2.
    let towards = between * (NEIGHBOUR_MIN / square);
    (if near { towards } else { Vec2::ZERO }, near)
}

/// Computes v_attr of a robot. `sum` is the sum of the contributions of the robot's neighbours in the world frame, and
/// `count` is the number of neighbours. `ahead` is the robot's heading as a unit vector. The result is (1, 0) if
/// `count` is 0.
#[inline(always)]
pub(crate) fn attraction_of_sum(sum: Vec2, count: f32, ahead: Vec2) -> Vec2 {
    let turned = sum.rotate(vec2(ahead.x, -ahead.y));
    if count > 0.0 { turned } else { vec2(1.0, 0.0) }
}

/// Computes v_attr and the number of neighbours of robot `me` from the exact poses of the bodies. `range` is the
/// maximum distance of a neighbour (m).
pub fn range_and_bearing(bodies: &[Body], me: usize, range: f32) -> (Vec2, f32) {
    range_and_bearing_among(bodies, me, range, 0..bodies.len())
}

/// Performs [`range_and_bearing`] for a subset of the bodies. `others` must contain all robots within range, in
/// ascending order.
pub(crate) fn range_and_bearing_among(
    bodies: &[Body],
    me: usize,
    range: f32,
    others: impl Iterator<Item = usize>,
) -> (Vec2, f32) {
    let pose = bodies[me].pose;
    let (mut sum, mut count) = (Vec2::ZERO, 0.0);
    for other in others.filter(|i| *i != me).map(|i| &bodies[i]).filter(|b| b.shape.tall) {
        let (towards, near) = neighbour(other.pose.at - pose.at, range);
        sum += towards;
        count += if near { 1.0 } else { 0.0 };
    }
    (attraction_of_sum(sum, count, Vec2::unit(pose.heading)), count)
}

/// Computes v_attr for a list of neighbours (thesis Table 6.3).
pub fn attraction(neighbours: &[Neighbour]) -> Vec2 {
    if neighbours.is_empty() {
        return vec2(1.0, 0.0);
    }
    let mut sum = Vec2::ZERO;
    for n in neighbours {
        sum += Attraction::Centre.step(n, 0.0);
    }
    sum
}

/// Weight of a neighbour at a distance of the centres (m). `radius` is that of the robots (m).
#[inline(always)]
fn gap_weight(range: f32, radius: f32) -> f32 {
    1.0 / (1.0 + 100.0 * max(range - 2.0 * radius, 0.0))
}

/// Computes the contribution of a neighbour to v_attr in the world frame, for [`Attraction::Gap`] without errors of
/// measurement. `along` is the vector to the neighbour (m), and `range` is its length (m).
#[inline(always)]
pub(crate) fn gap_step(along: Vec2, range: f32, radius: f32) -> Vec2 {
    along * (gap_weight(range, radius) / max(range, radius))
}

impl Attraction {
    /// Computes the contribution of one neighbour to v_attr. `radius` is that of the robots (m).
    #[inline(always)]
    pub fn step(self, n: &Neighbour, radius: f32) -> Vec2 {
        let weight = match self {
            Attraction::Centre => NEIGHBOUR_MIN / n.range.max(NEIGHBOUR_MIN),
            Attraction::Gap => gap_weight(n.range, radius),
        };
        Vec2::unit(n.bearing) * weight
    }

    /// Value of v_attr without neighbours.
    pub fn alone(self) -> Vec2 {
        match self {
            Attraction::Centre => vec2(1.0, 0.0),
            Attraction::Gap => Vec2::ZERO,
        }
    }
}

/// Sums of the neighbours' vectors in the last messages of a robot.
#[derive(Clone, Debug)]
pub struct AttractionMemory {
    /// Vector sum and number of neighbours of each message. The place of message n is n modulo the memory.
    sums: Vec<(Vec2, f32)>,
}

impl AttractionMemory {
    /// Creates an empty memory.
    pub fn new(model: &Messages) -> AttractionMemory {
        AttractionMemory { sums: vec![(Vec2::ZERO, 0.0); usize::from(model.memory.max(1))] }
    }

    /// Adds the sum of the message with this number, and returns v_attr. A message that is added again replaces its
    /// earlier sum.
    pub fn push(&mut self, model: &Messages, number: u32, sum: Vec2, count: f32) -> Vec2 {
        let memory = self.sums.len();
        self.sums[number as usize % memory] = (sum, count);
        let (mut all, mut heard) = (Vec2::ZERO, 0.0);
        for (sum, count) in &self.sums {
            all += *sum;
            heard += count;
        }
        if heard > 0.0 { all } else { model.attraction.alone() }
    }
}

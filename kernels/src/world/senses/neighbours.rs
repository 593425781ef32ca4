//! Range and bearing of neighbours, and the vector v_attr.

use crate::math::{Vec2, vec2};
use crate::model::{NEIGHBOUR_MIN, NEIGHBOUR_RANGE};
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
/// neighbour. `between` is the position of the body relative to the robot (m).
#[inline(always)]
pub(crate) fn neighbour(between: Vec2) -> (Vec2, bool) {
    let square = between.length_squared();
    let near = (square <= NEIGHBOUR_RANGE * NEIGHBOUR_RANGE) & (square > 0.0);
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

/// Computes v_attr and the number of neighbours of robot `me` from the exact poses of the bodies.
pub fn range_and_bearing(bodies: &[Body], me: usize) -> (Vec2, f32) {
    range_and_bearing_among(bodies, me, 0..bodies.len())
}

/// Performs [`range_and_bearing`] for a subset of the bodies. `others` must contain all robots within range, in
/// ascending order.
pub(crate) fn range_and_bearing_among(bodies: &[Body], me: usize, others: impl Iterator<Item = usize>) -> (Vec2, f32) {
    let pose = bodies[me].pose;
    let (mut sum, mut count) = (Vec2::ZERO, 0.0);
    for other in others.filter(|i| *i != me).map(|i| &bodies[i]).filter(|b| b.shape.tall) {
        let (towards, near) = neighbour(other.pose.at - pose.at);
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
        sum += attraction_step(n);
    }
    sum
}

/// Computes the contribution of one neighbour to v_attr.
pub(crate) fn attraction_step(n: &Neighbour) -> Vec2 {
    Vec2::unit(n.bearing) * (NEIGHBOUR_MIN / n.range.max(NEIGHBOUR_MIN))
}

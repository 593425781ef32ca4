//! Proximity sense of a robot, with eight rays.

use crate::math::{Vec2, max, min};
use crate::model::PROX_ANGLES;
use crate::world::Body;
use crate::world::physics::Physics;
use crate::world::robot::RobotModel;
use crate::world::wall::ray_to_inner_wall;

impl RobotModel {
    /// Distance from a robot's centre to the end of its proximity rays (m).
    #[inline(always)]
    pub(crate) fn reach(&self) -> f32 {
        self.radius + self.proximity.range
    }
}

/// Returns whether a proximity ray of a robot may hit a body. `between` is the position of the body relative to the
/// robot (m), `radius` is the radius of the body (m), and `reach` is that of the robot (m).
#[inline(always)]
pub(crate) fn within_reach(between: Vec2, radius: f32, reach: f32) -> bool {
    between.length_squared() < (reach + radius) * (reach + radius)
}

/// Whether a ray of a robot at this position may hit an outer wall. `reach` is that of the robot (m).
#[inline(always)]
pub(crate) fn walls_within_reach(at: Vec2, reach: f32, (hx, hy): (f32, f32)) -> bool {
    (at.x.abs() + reach > hx) | (at.y.abs() + reach > hy)
}

/// Computes the eight proximity readings of robot `me` without errors. By default, the reading of a ray is 1 - d/range
/// if the nearest robot or wall on the ray is at distance d, and 0 without an obstacle.
pub fn proximity(bodies: &[Body], me: usize, physics: &Physics) -> [f32; 8] {
    proximity_among(bodies, me, 0..bodies.len(), physics)
}

/// Performs [`proximity`] for a subset of the bodies. `others` must contain all bodies that a ray may hit.
pub(crate) fn proximity_among(
    bodies: &[Body],
    me: usize,
    others: impl Iterator<Item = usize> + Clone,
    physics: &Physics,
) -> [f32; 8] {
    let half_arena = physics.half_arena;
    let RobotModel { radius, proximity, .. } = physics.robot;
    let reach = physics.robot.reach();
    let pose = bodies[me].pose;
    let others = others.map(|i| (i, &bodies[i]));
    let near =
        |(i, b): &(usize, &Body)| *i != me && b.shape.tall && within_reach(b.pose.at - pose.at, b.shape.radius, reach);
    let walls = walls_within_reach(pose.at, reach, half_arena);
    let inner_walls = physics.walls.iter().any(|wall| within_reach(wall.offset(pose.at), 0.0, reach));
    if !walls && !inner_walls && !others.clone().any(|b| near(&b)) {
        return [0.0; 8];
    }
    let ahead = Vec2::unit(pose.heading);
    ray_directions().map(|ray| {
        let direction = ray.rotate(ahead);
        let from = pose.at + direction * radius;
        let mut distance = proximity.range;
        for (_, other) in others.clone().filter(near) {
            distance = min(ray_to_circle(from, direction, other.pose.at, other.shape.radius), distance);
        }
        if walls {
            distance = min(max(ray_to_walls(from, direction, half_arena), 0.0), distance);
        }
        if inner_walls {
            for wall in &physics.walls {
                distance = min(ray_to_inner_wall(wall, pose.at, direction, radius), distance);
            }
        }
        proximity.reading(distance)
    })
}

/// Computes v_prox, which is the sum of the readings as vectors along their rays (thesis Eq. 6.2).
pub fn proximity_vector(readings: &[f32; 8]) -> Vec2 {
    let mut sum = Vec2::ZERO;
    for (reading, ray) in readings.iter().zip(ray_directions()) {
        sum += ray * *reading;
    }
    sum
}

/// Returns the directions of the proximity rays as unit vectors in the robot's frame.
pub(crate) fn ray_directions() -> [Vec2; 8] {
    static RAYS: std::sync::LazyLock<[Vec2; 8]> = std::sync::LazyLock::new(|| PROX_ANGLES.map(Vec2::unit));
    *RAYS
}

/// Computes the distance along a ray to a circle (m). The result is 0 if the ray starts inside the circle, and
/// infinite if the ray misses the circle.
#[inline(always)]
pub(crate) fn ray_to_circle(from: Vec2, direction: Vec2, centre: Vec2, radius: f32) -> f32 {
    let to = from - centre;
    let c = to.length_squared() - radius * radius;
    let b = to.dot(direction);
    let under = b * b - c;
    let distance = if (b >= 0.0) | (under < 0.0) { f32::INFINITY } else { -b - max(under, 0.0).sqrt() };
    if c <= 0.0 { 0.0 } else { distance }
}

/// Computes the distance along a ray to the outer walls of the arena (m). The result can be negative if the ray
/// starts outside the arena.
#[inline(always)]
pub fn ray_to_walls(from: Vec2, direction: Vec2, (hx, hy): (f32, f32)) -> f32 {
    min(ray_to_wall(from.x, direction.x, hx), ray_to_wall(from.y, direction.y, hy))
}

/// Computes the distance along a ray to the walls that are perpendicular to one axis (m). The arguments are the
/// components of start and direction along this axis.
#[inline(always)]
fn ray_to_wall(from: f32, direction: f32, half: f32) -> f32 {
    let distance = ((if direction > 0.0 { half } else { -half }) - from) / direction;
    if direction == 0.0 { f32::INFINITY } else { distance }
}

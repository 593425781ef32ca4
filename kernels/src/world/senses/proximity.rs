//! The eight proximity rays.

use crate::math::{Vec2, max, min};
use crate::model::{PROX_ANGLES, PROX_RANGE, ROBOT_RADIUS};
use crate::world::Body;
use crate::world::physics::Physics;
use crate::world::wall::ray_to_inner_wall;

/// Distance from a robot's centre to the end of its proximity rays (m).
const REACH: f32 = ROBOT_RADIUS + PROX_RANGE;

/// True if a ray may hit a body of this radius at the relative position `between`.
#[inline(always)]
pub(crate) fn within_reach(between: Vec2, radius: f32) -> bool {
    between.length_squared() < (REACH + radius) * (REACH + radius)
}

/// True if a ray of a robot at this position may hit an outer wall.
#[inline(always)]
pub(crate) fn walls_within_reach(at: Vec2, (hx, hy): (f32, f32)) -> bool {
    (at.x.abs() + REACH > hx) | (at.y.abs() + REACH > hy)
}

/// Reading of a ray with an obstacle at this distance (m).
#[inline(always)]
pub(crate) fn reading(distance: f32) -> f32 {
    1.0 - distance * (1.0 / PROX_RANGE)
}

/// The eight proximity readings of robot `me`: 1 - d/range for the nearest robot or wall on each ray, else 0.
pub fn proximity(bodies: &[Body], me: usize, physics: &Physics) -> [f32; 8] {
    proximity_among(bodies, me, 0..bodies.len(), physics)
}

/// [`proximity`] for the candidates `others` only, which must include all bodies within reach.
pub(crate) fn proximity_among(
    bodies: &[Body],
    me: usize,
    others: impl Iterator<Item = usize> + Clone,
    physics: &Physics,
) -> [f32; 8] {
    let half_arena = physics.half_arena;
    let pose = bodies[me].pose;
    let others = others.map(|i| (i, &bodies[i]));
    let near = |(i, b): &(usize, &Body)| *i != me && b.shape.tall && within_reach(b.pose.at - pose.at, b.shape.radius);
    let walls = walls_within_reach(pose.at, half_arena);
    let inner_walls = physics.walls.iter().any(|wall| within_reach(wall.offset(pose.at), 0.0));
    if !walls && !inner_walls && !others.clone().any(|b| near(&b)) {
        return [0.0; 8];
    }
    let ahead = Vec2::unit(pose.heading);
    ray_directions().map(|ray| {
        let direction = ray.rotate(ahead);
        let from = pose.at + direction * ROBOT_RADIUS;
        let mut distance = PROX_RANGE;
        for (_, other) in others.clone().filter(near) {
            distance = min(ray_to_circle(from, direction, other.pose.at, other.shape.radius), distance);
        }
        if walls {
            distance = min(max(ray_to_walls(from, direction, half_arena), 0.0), distance);
        }
        if inner_walls {
            for wall in &physics.walls {
                distance = min(ray_to_inner_wall(wall, pose.at, direction), distance);
            }
        }
        reading(distance)
    })
}

/// v_prox: sum of the readings as vectors along their rays (Eq. 6.2).
pub fn proximity_vector(readings: &[f32; 8]) -> Vec2 {
    let mut sum = Vec2::ZERO;
    for (reading, ray) in readings.iter().zip(ray_directions()) {
        sum += ray * *reading;
    }
    sum
}

/// Proximity rays as unit vectors in the robot's frame.
pub(crate) fn ray_directions() -> [Vec2; 8] {
    static RAYS: std::sync::LazyLock<[Vec2; 8]> = std::sync::LazyLock::new(|| PROX_ANGLES.map(Vec2::unit));
    *RAYS
}

/// Distance along a ray to a circle; 0 from inside, infinite if the ray misses.
#[inline(always)]
pub(crate) fn ray_to_circle(from: Vec2, direction: Vec2, centre: Vec2, radius: f32) -> f32 {
    let to = from - centre;
    let c = to.length_squared() - radius * radius;
    let b = to.dot(direction);
    let under = b * b - c;
    let distance = if (b >= 0.0) | (under < 0.0) { f32::INFINITY } else { -b - max(under, 0.0).sqrt() };
    if c <= 0.0 { 0.0 } else { distance }
}

/// Distance along a ray from inside the arena to its walls; negative from outside.
#[inline(always)]
pub fn ray_to_walls(from: Vec2, direction: Vec2, (hx, hy): (f32, f32)) -> f32 {
    min(ray_to_wall(from.x, direction.x, hx), ray_to_wall(from.y, direction.y, hy))
}

/// Distance along one axis.
#[inline(always)]
fn ray_to_wall(from: f32, direction: f32, half: f32) -> f32 {
    let distance = ((if direction > 0.0 { half } else { -half }) - from) / direction;
    if direction == 0.0 { f32::INFINITY } else { distance }
}

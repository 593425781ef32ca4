//! Transport tasks: robots push the frisbee towards -x, with relocation (Eq. 8.3) or without it (Eq. 7.5 and 5.11).

use crate::math::{Vec2, max, min, vec2};
use crate::model::{RELOCATION_RADIUS, RELOCATION_TRIES};
use crate::random::Draws;
use crate::world::Body;
use serde::{Deserialize, Serialize};

/// Measurement of the frisbee's displacement along x, which excludes relocations.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Transport {
    counted_from: f32,
    total: f32,
    relocations: u32,
}

impl Transport {
    /// Starts the measurement at the frisbee's current position.
    pub fn new(frisbee: &Body) -> Transport {
        Transport { counted_from: frisbee.pose.at.x, total: 0.0, relocations: 0 }
    }

    /// Moves the frisbee to a random free position near the centre, stops it, and continues the measurement from this
    /// position. `frisbee` is the index of the frisbee in `bodies`.
    pub fn relocate(&mut self, bodies: &mut [Body], frisbee: usize, draws: &mut Draws) {
        self.total += bodies[frisbee].pose.at.x - self.counted_from;
        put_back(bodies, frisbee, draws);
        self.counted_from = bodies[frisbee].pose.at.x;
        self.relocations += 1;
    }

    /// Returns the displacement along x so far (m). It is exactly 0 if no body touched the frisbee.
    pub fn moved(&self, frisbee: &Body) -> f32 {
        self.total + (frisbee.pose.at.x - self.counted_from)
    }

    /// Returns the number of relocations of the frisbee.
    pub fn relocations(&self) -> u32 {
        self.relocations
    }
}

/// Moves the frisbee to a random free position near the centre, and stops it. `frisbee` is the index of the frisbee in
/// `bodies`.
pub(super) fn put_back(bodies: &mut [Body], frisbee: usize, draws: &mut Draws) {
    bodies[frisbee].pose.at = free_spot(bodies, frisbee, draws);
    bodies[frisbee].velocity = Vec2::ZERO;
    bodies[frisbee].spin = 0.0;
}

/// Returns true if the frisbee touches the wall at -x or +x. `half_length` is half the arena's length along x (m).
pub fn touches_end(frisbee: &Body, half_length: f32) -> bool {
    frisbee.pose.at.x.abs() + frisbee.shape.radius >= half_length
}

/// Returns a random position near the centre where the frisbee does not touch any other body. If no such position is
/// found, returns the tried position with the smallest overlap. `frisbee` is the index of the frisbee in `bodies`.
pub fn free_spot(bodies: &[Body], frisbee: usize, draws: &mut Draws) -> Vec2 {
    let mut best = (f32::NEG_INFINITY, Vec2::ZERO);
    for _ in 0..RELOCATION_TRIES {
        let spot = loop {
            let spot = vec2(draws.range(-1.0, 1.0), draws.range(-1.0, 1.0));
            if spot.length_squared() <= 1.0 {
                break spot * RELOCATION_RADIUS;
            }
        };
        let room = bodies
            .iter()
            .enumerate()
            .filter(|(i, _)| *i != frisbee)
            .map(|(_, b)| (b.pose.at - spot).length() - b.shape.radius - bodies[frisbee].shape.radius)
            .fold(f32::INFINITY, f32::min);
        if room > 0.0 {
            return spot;
        }
        if room > best.0 {
            best = (room, spot);
        }
    }
    best.1
}

/// Returns f_raw of Eq. 8.3: mean speed of the frisbee towards -x, divided by the robots' maximum speed v_max.
/// `moved_x` is the frisbee's displacement along x in `seconds` (m), and `max_speed` is v_max (m/s).
pub fn raw_fitness(moved_x: f32, seconds: f32, max_speed: f32) -> f32 {
    -moved_x / (seconds * max_speed)
}

/// Returns the fitness of Eq. 5.11, 0 to 1: distance of the frisbee from the centre towards -x, divided by the maximum
/// distance. `half_length` is half the arena's length along x (m).
pub fn position_fitness(frisbee: &Body, half_length: f32) -> f32 {
    fitness_of_place(frisbee.pose.at.x, half_length - frisbee.shape.radius)
}

/// Returns [`position_fitness`] for the frisbee's x and the maximum magnitude of x (m). The result is at most 1,
/// although robots can press the frisbee slightly into the wall.
pub fn fitness_of_place(x: f32, reach: f32) -> f32 {
    min(max(-x, 0.0) / reach, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;
    use crate::world::{Pose, Shape};

    #[test]
    fn relocation_is_left_out_of_the_distance() {
        let mut bodies = vec![Body::at_rest(Shape::FRISBEE, Pose::default())];
        let mut task = Transport::new(&bodies[0]);
        assert_eq!(task.moved(&bodies[0]), 0.0);
        bodies[0].pose.at.x = -0.896;
        assert!(touches_end(&bodies[0], 1.0));
        task.relocate(&mut bodies, 0, &mut Draws::new(1, 0, 0, 0, Stream::Relocation));
        assert!(bodies[0].pose.at.length() <= RELOCATION_RADIUS && task.relocations() == 1);
        bodies[0].pose.at.x -= 0.1;
        assert!((task.moved(&bodies[0]) + 0.996).abs() < 1e-6, "{}", task.moved(&bodies[0]));
    }

    #[test]
    fn relocated_frisbee_avoids_robots_if_there_is_room() {
        let at = vec2(-0.08, 0.0);
        let mut bodies = vec![Body::at_rest(Shape::ROBOT, Pose { at, heading: 0.0 })];
        bodies.push(Body::at_rest(Shape::FRISBEE, Pose { at: vec2(0.9, 0.0), heading: 0.0 }));
        for step in 0..100 {
            let spot = free_spot(&bodies, 1, &mut Draws::new(1, 0, 0, step, Stream::Relocation));
            assert!((spot - at).length() > 0.1425 && spot.length() <= RELOCATION_RADIUS + 1e-6);
        }
    }

    #[test]
    fn fitness_follows_the_equations() {
        assert!((raw_fitness(-1.3, 10.0, 0.13) - 1.0).abs() < 1e-6);
        let at = |x| Body::at_rest(Shape::FRISBEE, Pose { at: vec2(x, 0.3), heading: 0.0 });
        assert!((position_fitness(&at(-0.895), 1.0) - 1.0).abs() < 1e-6);
        assert!((position_fitness(&at(-0.179), 1.0) - 0.2).abs() < 1e-6);
        assert_eq!(position_fitness(&at(0.5), 1.0), 0.0);
    }
}

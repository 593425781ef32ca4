//! Physics step, which consists of floor friction, contacts, and motion with noise (thesis 5.3.1).

use super::contacts::Collisions;
use super::floor::{FrictionParams, floor_friction};
use super::motion::{integrate, motion_noise};
use super::parameters::Physics;
use crate::math::Vec2;
use crate::random::motion_words;
use crate::world::body::Body;

/// Advances all bodies by one step of [`DT`](crate::model::DT). `step` is the number of the physics step. The noise
/// depends on `seed`, `world` and `step`.
pub fn step(bodies: &mut [Body], physics: &Physics, seed: u64, world: u32, step: u32) {
    let mut collisions = Collisions::new(bodies, physics);
    step_with(&mut collisions, bodies, physics, seed, world, step);
}

/// Performs [`step`] with existing buffers for the contacts of these bodies.
pub(crate) fn step_with(
    collisions: &mut Collisions,
    bodies: &mut [Body],
    physics: &Physics,
    seed: u64,
    world: u32,
    step: u32,
) {
    for body in bodies.iter_mut() {
        let footing = FrictionParams::from_shape(&body.shape);
        (body.velocity, body.spin) =
            floor_friction(&footing, Vec2::unit(body.pose.heading), body.velocity, body.spin, body.wheels);
    }
    collisions.solve(bodies, physics);
    for (i, body) in bodies.iter_mut().enumerate() {
        let words = motion_words([seed as u32, (seed >> 32) as u32], world, i as u32, step);
        let noise = motion_noise(words, physics.noise);
        (body.pose.at, body.pose.heading) = integrate(body.pose.at, body.pose.heading, body.velocity, body.spin, noise);
    }
    collisions.correct_positions(bodies);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::vec2;
    use crate::model::DT;
    use crate::world::body::{Pose, Shape};
    use crate::world::physics::steer;
    use crate::world::robot::Wheels;
    use std::f32::consts::PI;

    fn still() -> Physics {
        Physics { noise: [0.0; 3], ..Physics::default() }
    }

    fn run(bodies: &mut [Body], seconds: f32) {
        for i in 0..(seconds / DT).round() as u32 {
            step(bodies, &still(), 1, 0, i);
        }
    }

    #[test]
    fn robot_reaches_commanded_wheel_speed() {
        let mut robot = [Body::at_rest(Shape::ROBOT, Pose { at: vec2(-0.9, 0.0), heading: 0.0 })];
        robot[0].wheels = steer(vec2(1.0, 0.0), &Wheels::default());
        run(&mut robot, 1.0);
        assert!((robot[0].velocity.x - 0.0919).abs() < 1e-3, "{}", robot[0].velocity.x);
        robot[0].wheels = steer(vec2(0.0, 1.0), &Wheels::default());
        run(&mut robot, 1.0);
        assert!((robot[0].spin - 3.47).abs() < 0.02 && robot[0].velocity.length() < 1e-3, "{}", robot[0].spin);
    }

    #[test]
    fn sliding_disc_stops_without_reversal() {
        let mut disc = [Body::at_rest(Shape::FRISBEE, Pose::default())];
        disc[0].velocity = vec2(0.3, 0.0);
        disc[0].spin = 2.0;
        let mut last = disc[0];
        for i in 0..80 {
            step(&mut disc, &still(), 1, 0, i);
            assert!(disc[0].velocity.x >= -1e-6 && disc[0].velocity.x <= last.velocity.x + 1e-6);
            assert!(disc[0].spin >= -1e-3 && disc[0].spin <= last.spin + 1e-6);
            last = disc[0];
        }
        assert!(disc[0].velocity.length() < 1e-3, "{:?}", disc[0].velocity);
        assert!(disc[0].pose.at.x > 0.005 && disc[0].pose.at.x < 0.1, "{}", disc[0].pose.at.x);
    }

    #[test]
    fn robot_pushes_frisbee_slower_than_it_drives() {
        let mut bodies = [
            Body::at_rest(Shape::ROBOT, Pose { at: vec2(0.3, 0.0), heading: PI }),
            Body::at_rest(Shape::FRISBEE, Pose { at: vec2(0.1, 0.0), heading: 0.0 }),
        ];
        bodies[0].wheels = steer(vec2(1.0, 0.0), &Wheels::default());
        run(&mut bodies, 4.0);
        let moved = 0.1 - bodies[1].pose.at.x;
        assert!(moved > 0.15, "the frisbee moved {moved} m");
        let speed = -bodies[1].velocity.x;
        assert!(speed > 0.06 && speed < 0.0919, "pushed at {speed} m/s");
    }

    #[test]
    fn robots_stay_in_arena_without_overlap() {
        let mut bodies: Vec<Body> = (0..9)
            .map(|i| {
                let at = vec2(-0.9 + 0.08 * (i % 3) as f32, 0.6 + 0.05 * (i / 3) as f32);
                let mut b = Body::at_rest(Shape::ROBOT, Pose { at, heading: 2.0 });
                b.wheels = steer(vec2(1.0, 0.0), &Wheels::default());
                b
            })
            .collect();
        for i in 0..1200 {
            step(&mut bodies, &Physics::default(), 5, 0, i);
        }
        for (i, a) in bodies.iter().enumerate() {
            assert!(a.pose.at.x.abs() < 0.97 && a.pose.at.y.abs() < 0.72, "robot {i} at {:?}", a.pose.at);
            for b in &bodies[i + 1..] {
                assert!((a.pose.at - b.pose.at).length() > 0.07, "{:?} {:?}", a.pose.at, b.pose.at);
            }
        }
    }
}

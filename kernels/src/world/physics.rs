//! One physics step: floor friction, contacts, motion with noise (thesis 5.3.1, decisions.md section 7).

use super::body::Body;
use super::contacts;
use super::model::{DT, FRICTION_STEEPNESS, GRAVITY};
use crate::math::{Vec2, atan_positive, vec2, wrap_angle};
use crate::random::{Stream, block, normal_pair};
use std::f32::consts::PI;

/// The parameters that calibration may change (Table 7.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Physics {
    /// Friction between bodies, and between bodies and walls.
    pub mu_bodies: f32,
    /// Restitution of the same contacts.
    pub restitution: f32,
    /// Standard deviations of the motion noise: position, turning, drift.
    pub noise: [f32; 3],
    /// Half the arena's length along x and along y, m.
    pub half_arena: (f32, f32),
}

impl Default for Physics {
    fn default() -> Physics {
        Physics {
            mu_bodies: super::model::MU_BODIES,
            restitution: super::model::RESTITUTION,
            noise: super::model::NOISE,
            half_arena: super::model::HALF_ARENA,
        }
    }
}

/// Advances all bodies by one step of [`DT`]. `step` numbers physics steps and, with `seed` and `world`, fixes the noise.
pub fn step(bodies: &mut [Body], physics: &Physics, seed: u64, world: u32, step: u32) {
    for body in bodies.iter_mut() {
        apply_floor_friction(body);
    }
    let contacts = contacts::solve(bodies, physics);
    for (i, body) in bodies.iter_mut().enumerate() {
        let words = block(seed, world, i as u32, step, Stream::Motion, 0);
        let (s1, s2) = normal_pair(words[0], words[1]);
        let (s3, _) = normal_pair(words[2], words[3]);
        let [a1, a2, a3] = physics.noise;
        integrate(body, 1.0 + s1 * a1, 1.0 + s2 * a2, s3 * a3);
    }
    contacts::correct_positions(bodies, &contacts);
}

/// Moves a body by its velocities; the factors are those of the noise model.
fn integrate(body: &mut Body, along: f32, turn: f32, drift: f32) {
    body.pose.at += body.velocity * (DT * along);
    let turned = body.spin * (DT * turn) + body.velocity.length() * (DT * drift);
    body.pose.heading = wrap_angle(body.pose.heading + turned);
}

/// Coulomb friction at the two floor contacts, each under half the weight. Both impulses follow from the velocities
/// at the start of the step, and neither may exceed what stops half the body's mass, so a step cannot reverse a slip.
fn apply_floor_friction(body: &mut Body) {
    let resting = body.velocity == Vec2::ZERO && body.spin == 0.0;
    if resting && body.wheels == [0.0; 2] {
        return;
    }
    let forward = Vec2::unit(body.pose.heading);
    let left = forward.perp();
    let half_mass = 0.5 * body.shape.mass;
    let strongest = body.shape.mu * half_mass * GRAVITY * DT;
    let (mut push, mut torque) = (Vec2::ZERO, 0.0);
    for (side, wheel) in [(1.0, body.wheels[0]), (-1.0, body.wheels[1])] {
        let arm = left * (side * body.shape.contact_arm);
        let slip = body.velocity + arm.perp() * body.spin - forward * wheel;
        let speed = slip.length();
        if speed == 0.0 {
            continue;
        }
        let grip = 2.0 * atan_positive(FRICTION_STEEPNESS * speed) / PI;
        let impulse = slip * (-(strongest * grip).min(half_mass * speed) / speed);
        push += impulse;
        torque += arm.x * impulse.y - arm.y * impulse.x;
    }
    body.velocity += push * body.shape.inverse_mass();
    body.spin += torque * body.shape.inverse_inertia();
}

/// Wheel ground speeds for a goal velocity (Eq. 6.7 to 6.9, decisions.md section 2), m/s as (left, right).
pub fn steer(goal: Vec2) -> [f32; 2] {
    let finite = |x: f32| if x.is_finite() { x } else { 0.0 };
    let goal = vec2(finite(goal.x), finite(goal.y));
    // Scaled before squaring, so that large components cannot overflow.
    let largest = goal.x.abs().max(goal.y.abs());
    if largest == 0.0 {
        return [0.0; 2];
    }
    let scaled = vec2(goal.x / largest, goal.y / largest);
    let length = scaled.length();
    let size = (length * largest).min(1.0);
    let g = if goal.x < 0.0 { vec2(0.0, if goal.y < 0.0 { -size } else { size }) } else { scaled * (size / length) };
    let k = super::model::V_MAX * std::f32::consts::FRAC_1_SQRT_2;
    [k * (g.x - g.y), k * (g.x + g.y)]
}

#[cfg(test)]
mod tests {
    use super::super::body::{Pose, Shape};
    use super::super::model::{V_MAX, WHEELBASE};
    use super::*;

    fn still() -> Physics {
        Physics { noise: [0.0; 3], ..Physics::default() }
    }

    fn run(bodies: &mut [Body], seconds: f32) {
        for i in 0..(seconds / DT).round() as u32 {
            step(bodies, &still(), 1, 0, i);
        }
    }

    #[test]
    fn steering_follows_the_equations() {
        let straight = V_MAX * std::f32::consts::FRAC_1_SQRT_2;
        let near = |a: [f32; 2], b: [f32; 2]| (a[0] - b[0]).abs() < 1e-6 && (a[1] - b[1]).abs() < 1e-6;
        assert!(near(steer(vec2(1.0, 0.0)), [straight, straight]));
        assert!(near(steer(vec2(50.0, 0.0)), [straight, straight]), "speed saturates");
        assert!(near(steer(vec2(0.0, 1.0)), [-straight, straight]), "left turns counter-clockwise");
        assert!(near(steer(vec2(-1.0, 0.0)), [-straight, straight]), "straight back turns counter-clockwise");
        assert!(near(steer(vec2(-1.0, -0.5)), [straight, -straight]));
        assert!(near(steer(vec2(0.5, 0.0)), [straight / 2.0, straight / 2.0]));
        assert_eq!(steer(vec2(f32::NAN, f32::INFINITY)), [0.0; 2]);
        assert!(near(steer(vec2(f32::MAX, f32::MAX)), [0.0, V_MAX]));
        let spin = (steer(vec2(0.0, 1.0))[1] - steer(vec2(0.0, 1.0))[0]) / WHEELBASE;
        assert!((spin - 3.47).abs() < 0.01, "turning on the spot: {spin} rad/s");
    }

    #[test]
    fn a_robot_reaches_its_wheels_speed() {
        let mut robot = [Body::at_rest(Shape::ROBOT, Pose { at: vec2(-0.9, 0.0), heading: 0.0 })];
        robot[0].wheels = steer(vec2(1.0, 0.0));
        run(&mut robot, 1.0);
        assert!((robot[0].velocity.x - 0.0919).abs() < 1e-3, "{}", robot[0].velocity.x);
        robot[0].wheels = steer(vec2(0.0, 1.0));
        run(&mut robot, 1.0);
        assert!((robot[0].spin - 3.47).abs() < 0.02 && robot[0].velocity.length() < 1e-3, "{}", robot[0].spin);
    }

    #[test]
    fn a_sliding_disc_stops_within_its_friction_and_never_turns_back() {
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
    fn a_robot_pushes_the_frisbee_slower_than_it_drives() {
        let mut bodies = [
            Body::at_rest(Shape::ROBOT, Pose { at: vec2(0.3, 0.0), heading: PI }),
            Body::at_rest(Shape::FRISBEE, Pose { at: vec2(0.1, 0.0), heading: 0.0 }),
        ];
        bodies[0].wheels = steer(vec2(1.0, 0.0));
        run(&mut bodies, 4.0);
        let moved = 0.1 - bodies[1].pose.at.x;
        assert!(moved > 0.15, "the frisbee moved {moved} m");
        let speed = -bodies[1].velocity.x;
        assert!(speed > 0.06 && speed < 0.0919, "pushed at {speed} m/s");
    }

    #[test]
    fn nobody_leaves_the_arena_or_sinks_into_another() {
        let mut bodies: Vec<Body> = (0..9)
            .map(|i| {
                let at = vec2(-0.9 + 0.08 * (i % 3) as f32, 0.6 + 0.05 * (i / 3) as f32);
                let mut b = Body::at_rest(Shape::ROBOT, Pose { at, heading: 2.0 });
                b.wheels = steer(vec2(1.0, 0.0));
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

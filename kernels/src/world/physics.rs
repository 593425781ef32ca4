//! One physics step: floor friction, contacts, motion with noise (thesis 5.3.1, docs/decisions.md, section 7).

use super::body::{Body, Shape};
use super::contacts;
use super::model::{DT, FRICTION_STEEPNESS, GRAVITY};
use super::wall::Wall;
use crate::math::{Vec2, atan_unit, max, min, vec2, wrap_angle};
use crate::random::{Stream, block, normal_pair};
use std::f32::consts::{FRAC_2_PI, FRAC_PI_2};

/// The parameters that calibration may change (Table 7.1), and the walls.
#[derive(Clone, Debug, PartialEq)]
pub struct Physics {
    /// Friction between bodies, and between bodies and walls.
    pub mu_bodies: f32,
    /// Restitution of the same contacts.
    pub restitution: f32,
    /// Standard deviations of the motion noise: position, turning, drift.
    pub noise: [f32; 3],
    /// Half the arena's length along x and along y, m.
    pub half_arena: (f32, f32),
    /// Walls inside the arena.
    pub walls: Vec<Wall>,
}

impl Default for Physics {
    fn default() -> Physics {
        Physics {
            mu_bodies: super::model::MU_BODIES,
            restitution: super::model::RESTITUTION,
            noise: super::model::NOISE,
            half_arena: super::model::HALF_ARENA,
            walls: Vec::new(),
        }
    }
}

/// Advances all bodies by one step of [`DT`]. `step` numbers physics steps and, with `seed` and `world`, fixes the noise.
pub fn step(bodies: &mut [Body], physics: &Physics, seed: u64, world: u32, step: u32) {
    for body in bodies.iter_mut() {
        let footing = Footing::of(&body.shape);
        (body.velocity, body.spin) =
            floor_friction(&footing, Vec2::unit(body.pose.heading), body.velocity, body.spin, body.wheels);
    }
    let contacts = contacts::solve(bodies, physics);
    for (i, body) in bodies.iter_mut().enumerate() {
        let words = block(seed, world, i as u32, step, Stream::Motion, 0);
        let noise = motion_noise(words, physics.noise);
        (body.pose.at, body.pose.heading) = integrate(body.pose.at, body.pose.heading, body.velocity, body.spin, noise);
    }
    contacts::correct_positions(bodies, &contacts);
}

/// The noise of one step (Eq. 5.9): factors of the way and of the turn, and the drift.
#[inline(always)]
pub fn motion_noise(words: [u32; 4], deviations: [f32; 3]) -> [f32; 3] {
    let (s1, s2) = normal_pair(words[0], words[1]);
    let (s3, _) = normal_pair(words[2], words[3]);
    [1.0 + s1 * deviations[0], 1.0 + s2 * deviations[1], s3 * deviations[2]]
}

/// Where velocities and noise take a body in one step: its centre and its heading.
#[inline(always)]
pub fn integrate(at: Vec2, heading: f32, velocity: Vec2, spin: f32, [along, turn, drift]: [f32; 3]) -> (Vec2, f32) {
    let turned = spin * (DT * turn) + velocity.length() * (DT * drift);
    (at + velocity * (DT * along), wrap_angle(heading + turned))
}

/// How a body stands on the floor: what friction needs of its shape.
#[derive(Clone, Copy, Debug)]
pub struct Footing {
    /// Distance of the contacts from the centre, m.
    pub(crate) arm: f32,
    pub(crate) half_mass: f32,
    /// Greatest impulse of one contact in a step, N s.
    pub(crate) strongest: f32,
    pub(crate) inverse_mass: f32,
    pub(crate) inverse_inertia: f32,
}

impl Footing {
    /// The footing of a shape.
    pub fn of(shape: &Shape) -> Footing {
        let half_mass = 0.5 * shape.mass;
        Footing {
            arm: shape.contact_arm,
            half_mass,
            strongest: shape.mu * half_mass * GRAVITY * DT,
            inverse_mass: shape.inverse_mass(),
            inverse_inertia: shape.inverse_inertia(),
        }
    }
}

/// Velocity and spin after Coulomb friction at the two floor contacts, each under half the weight (Eq. 5.8). Both
/// impulses follow from the velocities at the start of the step, and neither may exceed what stops half the body's
/// mass, so a step cannot reverse a slip.
#[inline(always)]
pub fn floor_friction(footing: &Footing, forward: Vec2, velocity: Vec2, spin: f32, wheels: [f32; 2]) -> (Vec2, f32) {
    let arm = forward.perp() * footing.arm;
    let left = grip(footing, velocity + arm.perp() * spin - forward * wheels[0]);
    let right = grip(footing, velocity - arm.perp() * spin - forward * wheels[1]);
    let push = left + right;
    let torque = arm.cross(left - right);
    (velocity + push * footing.inverse_mass, spin + torque * footing.inverse_inertia)
}

/// The impulse on a contact that slips over the floor.
#[inline(always)]
fn grip(footing: &Footing, slip: Vec2) -> Vec2 {
    let speed = slip.length();
    let inverse = 1.0 / speed;
    // atan(k s) by the arc tangent of a ratio in 0..=1, so that one division serves both.
    let steep = FRICTION_STEEPNESS * speed > 1.0;
    let angle = atan_unit(if steep { inverse * (1.0 / FRICTION_STEEPNESS) } else { FRICTION_STEEPNESS * speed });
    let angle = if steep { FRAC_PI_2 - angle } else { angle };
    let size = min(footing.strongest * (angle * FRAC_2_PI), footing.half_mass * speed);
    let scale = if speed > 0.0 { size * inverse } else { 0.0 };
    slip * -scale
}

/// Wheel ground speeds for a goal velocity (Eq. 6.7 to 6.9, docs/decisions.md, section 2), m/s as (left, right).
#[inline(always)]
pub fn steer(goal: Vec2) -> [f32; 2] {
    let goal = vec2(finite(goal.x), finite(goal.y));
    // Scaled before squaring, so that large components cannot overflow.
    let largest = max(goal.x.abs(), goal.y.abs());
    let scaled = vec2(goal.x / largest, goal.y / largest);
    let length = scaled.length();
    let size = if largest > 0.0 { min(length * largest, 1.0) } else { 0.0 };
    let turn = vec2(0.0, if goal.y < 0.0 { -size } else { size });
    let ahead = scaled * (size / length);
    let g = if largest > 0.0 { ahead } else { Vec2::ZERO };
    let g = if goal.x < 0.0 { turn } else { g };
    let k = super::model::V_MAX * std::f32::consts::FRAC_1_SQRT_2;
    [k * (g.x - g.y), k * (g.x + g.y)]
}

/// The number, or 0 if it is none or infinite.
#[inline(always)]
fn finite(x: f32) -> f32 {
    if x.abs() < f32::INFINITY { x } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::body::Pose;
    use super::super::model::{V_MAX, WHEELBASE};
    use super::*;
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

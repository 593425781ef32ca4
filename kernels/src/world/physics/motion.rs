//! Conversion of goal velocities to wheel speeds, and of velocities to the next pose (thesis 5.3.1).

use crate::math::{Vec2, max, min, vec2, wrap_angle};
use crate::model::DT;
use crate::random::nearly_normal;
use crate::world::robot::{Steering, Wheels};
use std::f32::consts::FRAC_1_SQRT_2;

/// Returns the noise of one step (thesis Eq. 5.9). The values are a factor of the translation, a factor of the
/// rotation, and the drift of the heading per distance (rad/m). `words` contains random words, and `deviations`
/// contains the standard deviations of the three values.
#[inline(always)]
pub fn motion_noise(words: [u32; 4], deviations: [f32; 3]) -> [f32; 3] {
    let [s1, s2, s3] = [0, 1, 2].map(|i| nearly_normal(words[i], words[3] >> (8 * i)));
    [1.0 + s1 * deviations[0], 1.0 + s2 * deviations[1], s3 * deviations[2]]
}

/// Integrates velocities and noise over one step. Returns the new centre (m) and the new heading (rad).
#[inline(always)]
pub fn integrate(at: Vec2, heading: f32, velocity: Vec2, spin: f32, [along, turn, drift]: [f32; 3]) -> (Vec2, f32) {
    let turned = spin * (DT * turn) + velocity.length() * (DT * drift);
    (at + velocity * (DT * along), wrap_angle(heading + turned))
}

/// Checks that the left and right wheel can have these ground speeds (m/s). `most` is the maximum speed (m/s).
///
/// # Errors
/// Returns one line about the first speed that is NaN or out of range.
pub fn check_wheels(wheels: [f32; 2], most: f32) -> Result<(), String> {
    match wheels.iter().find(|speed| !(-most..=most).contains(*speed)) {
        Some(speed) => Err(format!("a wheel speed is {speed} m/s; it must be {} to {most}", -most)),
        None => Ok(()),
    }
}

/// Computes the ground speeds of the left and right wheel (m/s) for a goal velocity. A goal velocity of length 1 or more
/// results in the maximum speed.
#[inline(always)]
pub fn steer(goal: Vec2, wheels: &Wheels) -> [f32; 2] {
    match wheels.steering {
        Steering::Diagonal => steer_diagonal(goal, wheels.max_speed),
        Steering::Pivot => steer_pivot(goal, wheels.max_speed),
    }
}

/// Steering law of the AutoMoDe modules: the inner wheel turns with the cosine of the goal's angle, at least -0.5.
#[inline(always)]
fn steer_pivot(goal: Vec2, max_speed: f32) -> [f32; 2] {
    let goal = vec2(finite(goal.x), finite(goal.y));
    let largest = max(goal.x.abs(), goal.y.abs());
    let scaled = vec2(goal.x / largest, goal.y / largest);
    let length = scaled.length();
    let size = if largest > 0.0 { min(length * largest, 1.0) * max_speed } else { 0.0 };
    let inner = if largest > 0.0 { size * max(scaled.x / length, -0.5) } else { 0.0 };
    let left = goal.y >= 0.0;
    [if left { inner } else { size }, if left { size } else { inner }]
}

/// Steering law of the thesis (Eq. 6.7 to 6.9).
#[inline(always)]
fn steer_diagonal(goal: Vec2, max_speed: f32) -> [f32; 2] {
    let goal = vec2(finite(goal.x), finite(goal.y));
    // The components are scaled before they are squared, so that the squares of large components do not overflow.
    let largest = max(goal.x.abs(), goal.y.abs());
    let scaled = vec2(goal.x / largest, goal.y / largest);
    let length = scaled.length();
    let size = if largest > 0.0 { min(length * largest, 1.0) } else { 0.0 };
    let turn = vec2(0.0, if goal.y < 0.0 { -size } else { size });
    let ahead = scaled * (size / length);
    let g = if largest > 0.0 { ahead } else { Vec2::ZERO };
    let g = if goal.x < 0.0 { turn } else { g };
    let k = max_speed * FRAC_1_SQRT_2;
    [k * (g.x - g.y), k * (g.x + g.y)]
}

/// Replaces NaN and infinite numbers by 0.
#[inline(always)]
fn finite(x: f32) -> f32 {
    if x.abs() < f32::INFINITY { x } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{V_MAX, WHEELBASE};

    #[test]
    fn steering_follows_the_equations() {
        let steer = |goal: Vec2| steer(goal, &Wheels::default());
        let straight = V_MAX * FRAC_1_SQRT_2;
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
    fn pivot_law_slows_the_inner_wheel() {
        let wheels = Wheels { max_speed: 0.12, steering: Steering::Pivot, noise: 0.0 };
        let near = |goal: Vec2, [l, r]: [f32; 2]| {
            let [left, right] = steer(goal, &wheels);
            assert!((left - l).abs() < 1e-6 && (right - r).abs() < 1e-6, "{goal:?}: {left} {right}");
        };
        near(vec2(3.0, 0.0), [0.12, 0.12]);
        near(vec2(0.5, 0.0), [0.06, 0.06]);
        near(vec2(1.0, 1.0), [0.12 * FRAC_1_SQRT_2, 0.12]);
        near(vec2(0.0, -1.0), [0.12, 0.0]);
        near(vec2(-1.0, 0.1), [-0.06, 0.12]);
        near(vec2(-1.0, -0.1), [0.12, -0.06]);
        near(Vec2::ZERO, [0.0, 0.0]);
        near(vec2(f32::NAN, f32::INFINITY), [0.0, 0.0]);
    }
}

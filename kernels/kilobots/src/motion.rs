//! Motion of Kilobots: two-wheel kinematics with noise and bias (thesis 4.3.1), and contacts between discs.
//!
//! With one motor on, a robot pivots about the leg on the opposite side, so the midpoint between the legs moves at
//! half the forward speed. Noise and bias act only while a motor is on. A robot with both motors off does not move
//! until another robot pushes it.
//!
//! Robots are light and slow, and floor friction dominates. A robot that pushes a stationary robot must overcome the
//! friction of both, so both move at half the speed. Moving each robot by half the overlap models this effect.
//! Friction between discs, which Box2D models, is omitted.

use super::robot::{Kilobot, MAX_PUSH, STEP};
use std::f32::consts::{PI, TAU};
use xpuck_kernels::math::{max, min, sin_cos};
use xpuck_kernels::random::nearly_normal;

/// Speed and noise of a robot during the steps of an update.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Drive {
    /// Speed (m/s).
    pub v: f32,
    /// Turning rate, counter-clockwise (rad/s).
    pub w: f32,
    /// Standard deviations of the noise of speed (m/s) and turning rate (rad/s).
    pub noise: [f32; 2],
}

impl Drive {
    /// Returns the drive of a robot with the given bias of speed (m/s) and turning rate (rad/s). Values of `motors`: 0
    /// off, 1 left, 2 right, 3 forward.
    #[inline(always)]
    pub fn new(robot: &Kilobot, motors: u32, bias: [f32; 2]) -> Drive {
        let (v, w) = match motors {
            0 => return Drive::default(),
            1 => (robot.pivot, robot.turn),
            2 => (robot.pivot, -robot.turn),
            _ => (robot.forward, 0.0),
        };
        Drive { v: v + bias[0], w: w + bias[1], noise: robot.noise }
    }
}

/// Returns the displacement of a robot in one step (m), and the new heading (rad). `words` are random.
#[inline(always)]
pub(super) fn drive(drive: Drive, axle: f32, heading: f32, words: [u32; 4]) -> ([f32; 2], f32) {
    let v = drive.v + drive.noise[0] * nearly_normal(words[0], words[3]);
    let w = drive.w + drive.noise[1] * nearly_normal(words[1], words[3] >> 8);
    let (sin, cos) = sin_cos(heading);
    let across = axle * w;
    ([(v * cos - across * sin) * STEP, (v * sin + across * cos) * STEP], heading + w * STEP)
}

/// Normalises a heading to -pi..=pi after an update. The heading must have changed by less than a full turn.
#[inline(always)]
pub(super) fn wrap_heading(heading: f32) -> f32 {
    let less = if heading > PI { heading - TAU } else { heading };
    if less < -PI { less + TAU } else { less }
}

/// Returns half the overlap of two discs as a displacement (m). `x` and `y` are the offset of the disc centres (m),
/// and `squared` is the square of this offset's length. `reach` is the sum of the radii (m). The result is valid only
/// if the discs overlap.
#[inline(always)]
pub(super) fn push(x: f32, y: f32, squared: f32, reach: f32) -> [f32; 2] {
    let distance = max(squared.sqrt(), 1e-6);
    let half = 0.5 * (reach - distance) / distance;
    [x * half, y * half]
}

/// Returns a robot's coordinate (m) after contacts. `at` is the coordinate before the contacts, and `by` is their
/// displacement, which is limited to [`MAX_PUSH`]. The walls limit the result to `-most..=most`.
#[inline(always)]
pub(super) fn clamp_to_arena(at: f32, by: f32, most: f32) -> f32 {
    let pushed = at + max(min(by, MAX_PUSH), -MAX_PUSH);
    max(min(pushed, most), -most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_motor_turns_a_robot_round_its_other_foot() {
        let robot = Kilobot { noise: [0.0; 2], ..Kilobot::default() };
        let mut end = [0.0f32; 3];
        let left = Drive::new(&robot, 1, [0.0; 2]);
        let quarter = (std::f32::consts::FRAC_PI_2 / (robot.turn * STEP)).round() as u32;
        for _ in 0..quarter {
            let ([x, y], heading) = drive(left, 0.0, end[2], [0; 4]);
            end = [end[0] + x, end[1] + y, heading];
        }
        let foot = robot.pivot / robot.turn;
        assert!((end[0] - foot).abs() < 5e-4 && (end[1] - foot).abs() < 5e-4, "{end:?}, foot at {foot}");
        let still = drive(Drive::new(&robot, 0, [1.0; 2]), 0.005, 1.0, [u32::MAX; 4]);
        assert_eq!(still, ([0.0; 2], 1.0), "motors that are off have neither noise nor bias");
    }

    #[test]
    fn robot_pushing_another_moves_at_half_speed() {
        let (mut pusher, mut pushed) = (0.0f32, 0.033f32);
        for _ in 0..100 {
            pusher += 0.0008;
            let apart = pushed - pusher;
            let [by, _] = push(apart, 0.0, apart * apart, 0.033);
            pusher = clamp_to_arena(pusher, -by, 1.0);
            pushed = clamp_to_arena(pushed, by, 1.0);
        }
        assert!((pushed - 0.033 - 0.04).abs() < 1e-4, "{pushed}");
    }
}

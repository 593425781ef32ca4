//! How Kilobots move: two-wheel kinematics with noise and bias (thesis 4.3.1), and discs that push each other apart.
//!
//! A robot turns with one motor: it goes round the foot of the other side, so the middle between its feet moves at half the
//! speed that it has with both. Noise and bias come with motors that are on; a robot whose motors are off stands until it is pushed.
//!
//! Robots are light and slow, and what holds them is friction with the floor. A robot that drives against one that stands
//! is held by its own drag and by the other's, so both go on at half the speed. That is what halving the overlap does. What
//! Box2D adds to it, friction between the discs, is left out.

use super::robot::{Kilobot, MOST_PUSHED, STEP};
use std::f32::consts::{PI, TAU};
use xpuck_kernels::math::{max, min, sin_cos};
use xpuck_kernels::random::nearly_normal;

/// What drives a robot in the steps of an update.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Drive {
    /// Speed, m/s.
    pub v: f32,
    /// Rate of turning, counter-clockwise, rad/s.
    pub w: f32,
    /// Standard deviations of the noise in both.
    pub noise: [f32; 2],
}

impl Drive {
    /// Of a robot with this bias: motors 0 off, 1 left, 2 right, 3 forward.
    #[inline(always)]
    pub fn of(robot: &Kilobot, motors: u32, bias: [f32; 2]) -> Drive {
        let (v, w) = match motors {
            0 => return Drive::default(),
            1 => (robot.pivot, robot.turn),
            2 => (robot.pivot, -robot.turn),
            _ => (robot.forward, 0.0),
        };
        Drive { v: v + bias[0], w: w + bias[1], noise: robot.noise }
    }
}

/// The way of a robot in one step, m, and its new heading.
#[inline(always)]
pub(super) fn drive(drive: Drive, axle: f32, heading: f32, words: [u32; 4]) -> ([f32; 2], f32) {
    let v = drive.v + drive.noise[0] * nearly_normal(words[0], words[3]);
    let w = drive.w + drive.noise[1] * nearly_normal(words[1], words[3] >> 8);
    let (sin, cos) = sin_cos(heading);
    let across = axle * w;
    ([(v * cos - across * sin) * STEP, (v * sin + across * cos) * STEP], heading + w * STEP)
}

/// A heading in -pi..=pi again after an update, in which it changed by less than a turn.
#[inline(always)]
pub(super) fn wrapped(heading: f32) -> f32 {
    let less = if heading > PI { heading - TAU } else { heading };
    if less < -PI { less + TAU } else { less }
}

/// Half the overlap of two discs that are `x`, `y` apart, m; `squared` is their distance squared, below `reach` squared.
#[inline(always)]
pub(super) fn push(x: f32, y: f32, squared: f32, reach: f32) -> [f32; 2] {
    let distance = max(squared.sqrt(), 1e-6);
    let half = 0.5 * (reach - distance) / distance;
    [x * half, y * half]
}

/// Where a robot is along one axis after contacts moved it by `by`, with a wall at `most` from the centre, m.
#[inline(always)]
pub(super) fn settled(at: f32, by: f32, most: f32) -> f32 {
    let pushed = at + max(min(by, MOST_PUSHED), -MOST_PUSHED);
    max(min(pushed, most), -most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_motor_turns_a_robot_round_its_other_foot() {
        let robot = Kilobot { noise: [0.0; 2], ..Kilobot::default() };
        let mut end = [0.0f32; 3];
        let left = Drive::of(&robot, 1, [0.0; 2]);
        let quarter = (std::f32::consts::FRAC_PI_2 / (robot.turn * STEP)).round() as u32;
        for _ in 0..quarter {
            let ([x, y], heading) = drive(left, 0.0, end[2], [0; 4]);
            end = [end[0] + x, end[1] + y, heading];
        }
        let foot = robot.pivot / robot.turn;
        assert!((end[0] - foot).abs() < 5e-4 && (end[1] - foot).abs() < 5e-4, "{end:?}, foot at {foot}");
        let still = drive(Drive::of(&robot, 0, [1.0; 2]), 0.005, 1.0, [u32::MAX; 4]);
        assert_eq!(still, ([0.0; 2], 1.0), "motors that are off have neither noise nor bias");
    }

    #[test]
    fn a_robot_that_pushes_another_goes_half_as_fast() {
        let (mut pusher, mut pushed) = (0.0f32, 0.033f32);
        for _ in 0..100 {
            pusher += 0.0008;
            let apart = pushed - pusher;
            let [by, _] = push(apart, 0.0, apart * apart, 0.033);
            pusher = settled(pusher, -by, 1.0);
            pushed = settled(pushed, by, 1.0);
        }
        assert!((pushed - 0.033 - 0.04).abs() < 1e-4, "{pushed}");
    }
}

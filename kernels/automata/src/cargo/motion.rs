//! Closed-form motion of a round robot with two wheels. It is valid between two changes of the motor powers.

use super::scene::Start;
use std::f32::consts::TAU;
use xpuck_kernels::math::{Vec2, sin_cos, vec2};

/// Position and heading of a robot. Headings are those of a compass: 0 is along y, and clockwise is positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Position of the centre.
    pub at: Vec2,
    /// Heading (rad).
    pub heading: f32,
}

impl From<Start> for Pose {
    fn from(start: Start) -> Pose {
        Pose { at: vec2(start.x, start.y), heading: start.heading }
    }
}

/// Returns the unit vector of a heading (rad).
pub(super) fn direction(heading: f32) -> Vec2 {
    let (s, c) = sin_cos(heading);
    vec2(s, c)
}

/// Motion with constant speeds: a straight line, an arc, or a turn on the spot.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    /// Start time (ms).
    pub since: f64,
    pub from: Pose,
    /// Forward speed (units/ms).
    pub speed: f32,
    /// Turning speed to the right (rad/ms).
    pub turn: f32,
    facing: Vec2,
}

impl Motion {
    pub fn new(since: f64, from: Pose, speed: f32, turn: f32) -> Motion {
        let from = Pose { heading: from.heading - TAU * (from.heading / TAU).round(), ..from };
        Motion { since, from, speed, turn, facing: direction(from.heading) }
    }

    /// Returns the pose at `time` (ms).
    #[inline]
    pub fn pose(&self, time: f64) -> Pose {
        let t = (time - self.since) as f32;
        if self.turn == 0.0 {
            return Pose { at: self.from.at + self.facing * (self.speed * t), heading: self.from.heading };
        }
        let heading = self.from.heading + self.turn * t;
        if self.speed == 0.0 {
            return Pose { at: self.from.at, heading };
        }
        let (now, was) = (direction(heading), self.facing);
        let radius = self.speed / self.turn;
        Pose { at: self.from.at + vec2(was.y - now.y, now.x - was.x) * radius, heading }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closed_forms_agree_with_small_steps() {
        let from = Pose { at: vec2(0.4, 0.5), heading: 0.3 };
        for (speed, turn) in [(1e-4, 0.0), (0.0, 2e-3), (1e-4, 1e-3), (-1e-4, 2e-3)] {
            let stretch = Motion::new(5.0, from, speed, turn);
            let (mut at, mut heading) = ((0.4f64, 0.5f64), 0.3f64);
            let steps = 100_000;
            let dt = 700.0 / f64::from(steps);
            for _ in 0..steps {
                let middle = heading + f64::from(turn) * dt / 2.0;
                at = (at.0 + f64::from(speed) * dt * middle.sin(), at.1 + f64::from(speed) * dt * middle.cos());
                heading += f64::from(turn) * dt;
            }
            let end = stretch.pose(705.0);
            assert!((f64::from(end.at.x) - at.0).abs() < 1e-6 && (f64::from(end.at.y) - at.1).abs() < 1e-6);
            assert!((f64::from(end.heading) - heading).abs() < 1e-5);
        }
    }
}

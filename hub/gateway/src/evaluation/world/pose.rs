//! Poses in the plane, and motions between them.

use std::f64::consts::{PI, TAU};

use super::super::place::Target;
use super::vector::{Vec2, add};

/// Maximum length of a checked motion along X or Y (mm). Walls stop every robot before this distance.
const LONGEST: f64 = 1e6;

/// Pose of a robot in the plane; positions are in millimetres.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pose {
    pub x: f64,
    pub y: f64,
    /// Direction of the body's positive y-axis, counter-clockwise from the arena's x-axis (rad), in (-pi, pi].
    pub direction: f64,
}

impl Pose {
    pub(super) fn from_target(target: &Target) -> Self {
        Self { x: target.x, y: target.y, direction: wrapped(target.direction) }
    }

    pub(super) fn frame(&self) -> Frame {
        Frame::new([self.x, self.y], self.direction)
    }

    pub(super) fn shifted(&self, shift: Vec2) -> Self {
        Self { x: self.x + shift[0], y: self.y + shift[1], ..*self }
    }
}

/// Normalises an angle to the range (-pi, pi] (rad).
pub(super) fn wrapped(angle: f64) -> f64 {
    if -PI < angle && angle <= PI {
        return angle;
    }
    let turned = angle.rem_euclid(TAU);
    if turned > PI { turned - TAU } else { turned }
}

/// Transformation from body coordinates to arena coordinates.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub origin: Vec2,
    cosine: f64,
    sine: f64,
}

impl Frame {
    fn new(origin: Vec2, direction: f64) -> Self {
        // The rotation of the frame is a quarter turn less than the direction, which describes the body's y-axis.
        let (sine, cosine) = direction.sin_cos();
        Self { origin, cosine: sine, sine: -cosine }
    }

    /// Rotates a vector from body to arena coordinates.
    pub(super) fn turn(&self, [x, y]: Vec2) -> Vec2 {
        [self.cosine * x - self.sine * y, self.sine * x + self.cosine * y]
    }

    /// Rotates a vector from arena to body coordinates.
    pub(super) fn turn_back(&self, [x, y]: Vec2) -> Vec2 {
        [self.cosine * x + self.sine * y, self.cosine * y - self.sine * x]
    }

    /// Transforms a point from body to arena coordinates.
    pub(super) fn place(&self, point: Vec2) -> Vec2 {
        add(self.turn(point), self.origin)
    }
}

/// Straight motion with the shortest rotation. Position and rotation are linear in lambda, from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    pub start: Pose,
    /// Displacement at lambda 1 (mm).
    pub shift: Vec2,
    /// Rotation at lambda 1 (rad), in (-pi, pi].
    pub turn: f64,
}

impl Motion {
    /// Creates the motion from `start` to a target, limited to [`LONGEST`]. Also returns the fraction of the full
    /// motion that the limited motion covers, in (0, 1].
    pub(super) fn new(start: Pose, target: &Target) -> (Self, f64) {
        let shift = [target.x - start.x, target.y - start.y];
        let turn = wrapped(wrapped(target.direction) - start.direction);
        let part = (LONGEST / shift[0].abs().max(shift[1].abs())).min(1.0);
        (Self { start, shift: [shift[0] * part, shift[1] * part], turn: turn * part }, part)
    }

    pub(super) fn frame(&self, lambda: f64) -> Frame {
        Frame::new(self.origin(lambda), self.start.direction + self.turn * lambda)
    }

    pub(super) fn origin(&self, lambda: f64) -> Vec2 {
        [self.start.x + self.shift[0] * lambda, self.start.y + self.shift[1] * lambda]
    }

    pub(super) fn pose(&self, lambda: f64) -> Pose {
        let [x, y] = self.origin(lambda);
        Pose { x, y, direction: wrapped(self.start.direction + self.turn * lambda) }
    }
}

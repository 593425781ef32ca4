//! Where a body is in plan, and how it moves.

use std::f64::consts::{PI, TAU};

use super::super::place::Target;
use super::vector::{Vec2, add};

/// No move is longer, mm: walls stop it before.
const LONGEST: f64 = 1e6;

/// A place in plan.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pose {
    pub x: f64,
    pub y: f64,
    /// Of the body's positive y-axis, counter-clockwise from the arena's x-axis, rad, in (-pi, pi].
    pub direction: f64,
}

impl Pose {
    pub(super) fn of(target: &Target) -> Self {
        Self { x: target.x, y: target.y, direction: wrapped(target.direction) }
    }

    pub(super) fn frame(&self) -> Frame {
        Frame::new([self.x, self.y], self.direction)
    }

    pub(super) fn shifted(&self, shift: Vec2) -> Self {
        Self { x: self.x + shift[0], y: self.y + shift[1], ..*self }
    }
}

/// The same direction in (-pi, pi], rad.
pub(super) fn wrapped(angle: f64) -> f64 {
    if -PI < angle && angle <= PI {
        return angle;
    }
    let turned = angle.rem_euclid(TAU);
    if turned > PI { turned - TAU } else { turned }
}

/// From a body's coordinates to the arena's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    pub origin: Vec2,
    cosine: f64,
    sine: f64,
}

impl Frame {
    fn new(origin: Vec2, direction: f64) -> Self {
        // A body whose y-axis has that direction is turned by a quarter less.
        let (sine, cosine) = direction.sin_cos();
        Self { origin, cosine: sine, sine: -cosine }
    }

    /// Turns a vector.
    pub(super) fn turn(&self, [x, y]: Vec2) -> Vec2 {
        [self.cosine * x - self.sine * y, self.sine * x + self.cosine * y]
    }

    /// Turns a vector of the arena back.
    pub(super) fn turn_back(&self, [x, y]: Vec2) -> Vec2 {
        [self.cosine * x + self.sine * y, self.cosine * y - self.sine * x]
    }

    /// Turns and shifts a point.
    pub(super) fn place(&self, point: Vec2) -> Vec2 {
        add(self.turn(point), self.origin)
    }
}

/// A straight way with the shortest turn, both linear in lambda from 0 to 1.
#[derive(Clone, Copy, Debug)]
pub(super) struct Motion {
    pub start: Pose,
    /// mm per lambda.
    pub shift: Vec2,
    /// rad per lambda, in (-pi, pi].
    pub turn: f64,
}

impl Motion {
    /// The motion to a target, and the part of it that is short enough to be looked at, in (0, 1].
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

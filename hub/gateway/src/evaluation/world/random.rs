//! Random poses in the arena.

use std::f64::consts::{PI, TAU};

pub(super) use super::super::random::Random;
use super::description::SIDE;
use super::pose::Pose;

impl Random {
    /// Returns a pose uniformly distributed over the arena and all directions.
    pub(super) fn pose(&mut self) -> Pose {
        Pose { x: SIDE * self.unit(), y: SIDE * self.unit(), direction: PI - TAU * self.unit() }
    }
}

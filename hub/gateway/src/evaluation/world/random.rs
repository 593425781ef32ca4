//! Pseudo-random numbers, so that the same seed gives the same places.

use std::f64::consts::{PI, TAU};

use super::description::SIDE;
use super::pose::Pose;

/// `SplitMix64` (Steele, Lea and Flood, 2014).
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Uniform, 0 or more and less than 1.
    pub(super) fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^= bits >> 31;
        (bits >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform over the arena and over all directions.
    pub(super) fn pose(&mut self) -> Pose {
        Pose { x: SIDE * self.unit(), y: SIDE * self.unit(), direction: PI - TAU * self.unit() }
    }
}

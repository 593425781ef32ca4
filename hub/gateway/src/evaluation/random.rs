//! Reproducible pseudo-random numbers.

use std::f64::consts::TAU;

/// `SplitMix64` generator (Steele, Lea and Flood, 2014).
#[derive(Clone, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Creates an independent sequence for each combination of `seed` and `parts`, such as generation and trial.
    pub(super) fn with_stream(seed: u64, parts: &[u64]) -> Self {
        Self(parts.iter().fold(seed, |state, part| Self(state ^ part.wrapping_mul(0xD6E8_FEB8_6659_FD93)).bits()))
    }

    pub(super) fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }

    /// Returns a uniform random number in [0, 1).
    pub(super) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns a uniform random number from `low` to `high`. The result is correct even if `high - low` overflows.
    pub(super) fn between(&mut self, low: f64, high: f64) -> f64 {
        let part = self.unit();
        (low * (1.0 - part) + high * part).clamp(low, high)
    }

    /// Returns a uniform random integer from 0 to `bound` - 1. `bound` must be at least 1.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        ((self.unit() * bound as f64) as usize).min(bound.saturating_sub(1))
    }

    /// Returns true with the given probability.
    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    /// Returns a normally distributed random number with mean 0 and variance 1 (Box and Muller).
    pub(super) fn normal(&mut self) -> f64 {
        let radius = (-2.0 * (1.0 - self.unit()).ln()).sqrt();
        radius * (TAU * self.unit()).cos()
    }
}

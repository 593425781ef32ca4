//! The e-puck's accelerometer: a three-axis part of 1.5 g whose outputs the 12-bit converter reads.

/// Raw readings along x (ahead), y (left) and z (up), ADC counts, 0..=4095.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawAcceleration(pub [u16; 3]);

/// What a robot's housing pushes with, along x (ahead), y (left) and z (up), m/s^2: a robot at rest on a level floor reads
/// (0, 0, 9.81).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MetresPerSecondSquared(pub [f32; 3]);

/// Gravity, m/s^2.
pub const GRAVITY: f32 = 9.81;
/// Counts at 0 g, by the data sheet: half of the converter's range.
pub const ZERO_COUNTS: f32 = 2048.0;
/// Counts of 1 g, by the data sheet.
pub const COUNTS_PER_G: f32 = 800.0;

impl RawAcceleration {
    /// The acceleration of a part whose axes read `zero` counts at 0 g and `per_g` counts more at 1 g.
    pub fn calibrated(self, zero: [f32; 3], per_g: [f32; 3]) -> MetresPerSecondSquared {
        MetresPerSecondSquared(std::array::from_fn(|i| (f32::from(self.0[i]) - zero[i]) / per_g[i] * GRAVITY))
    }
}

/// The level that a nominal part gives the converter at this acceleration along an axis, m/s^2, in counts.
pub fn level(acceleration: f32) -> f32 {
    ZERO_COUNTS + COUNTS_PER_G / GRAVITY * acceleration
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_level_robot_at_rest_reads_gravity_alone() {
        let raw = RawAcceleration([0.0, 0.0, GRAVITY].map(|a| level(a).round() as u16));
        assert_eq!(raw, RawAcceleration([2048, 2048, 2848]));
        let MetresPerSecondSquared([x, y, z]) = raw.calibrated([ZERO_COUNTS; 3], [COUNTS_PER_G; 3]);
        assert!(x == 0.0 && y == 0.0 && (z - GRAVITY).abs() < 1e-5);
    }
}

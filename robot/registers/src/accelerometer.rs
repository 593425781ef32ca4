//! Accelerometer of the e-puck. It has three axes, a range of 1.5 g, and analogue outputs. The e-puck digitises the
//! outputs with a 12-bit converter.

/// Raw readings along x (ahead), y (left) and z (up) (ADC counts), 0..=4095.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawAcceleration(pub [u16; 3]);

/// Specific force along x (ahead), y (left) and z (up) (m/s^2). It is (0, 0, 9.81) at rest on a level floor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MetresPerSecondSquared(pub [f32; 3]);

/// Standard gravity (m/s^2).
pub const GRAVITY: f32 = 9.81;
/// Reading at 0 g according to the data sheet (counts). It is the middle of the converter's range.
pub const ZERO_COUNTS: f32 = 2048.0;
/// Sensitivity according to the data sheet (counts/g).
pub const COUNTS_PER_G: f32 = 800.0;

impl RawAcceleration {
    /// Converts readings to the specific force. Each axis has a zero offset `zero` (counts) and a sensitivity `per_g`
    /// (counts/g).
    pub fn calibrated(self, zero: [f32; 3], per_g: [f32; 3]) -> MetresPerSecondSquared {
        MetresPerSecondSquared(std::array::from_fn(|i| (f32::from(self.0[i]) - zero[i]) / per_g[i] * GRAVITY))
    }
}

/// Returns the reading of a nominal sensor (counts) for an acceleration along an axis (m/s^2).
pub fn level(acceleration: f32) -> f32 {
    ZERO_COUNTS + COUNTS_PER_G / GRAVITY * acceleration
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn level_robot_at_rest_reads_only_gravity() {
        let raw = RawAcceleration([0.0, 0.0, GRAVITY].map(|a| level(a).round() as u16));
        assert_eq!(raw, RawAcceleration([2048, 2048, 2848]));
        let MetresPerSecondSquared([x, y, z]) = raw.calibrated([ZERO_COUNTS; 3], [COUNTS_PER_G; 3]);
        assert!(x == 0.0 && y == 0.0 && (z - GRAVITY).abs() < 1e-5);
    }
}

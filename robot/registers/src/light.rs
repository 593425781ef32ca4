//! Ambient light, measured by the infra-red sensors while their emitters are off.

use crate::infrared::MAX_COUNTS;

/// Raw readings in the order of the thesis's Table 6.1 (ADC counts, 0..=4095). They increase with brightness. Drivers
/// invert the readings of robots with the opposite polarity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawLight(pub [u16; 8]);

/// Brightness at each sensor, in the order of the thesis's Table 6.1. It is a fraction of full scale, 0..=1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Brightness(pub [f32; 8]);

impl RawLight {
    /// Computes the brightness. Each sensor has a dark level `dark` (counts) and a gain `scale` relative to a nominal
    /// sensor.
    pub fn calibrated(self, dark: [f32; 8], scale: [f32; 8]) -> Brightness {
        let full = f32::from(MAX_COUNTS);
        Brightness(std::array::from_fn(|i| ((f32::from(self.0[i]) - dark[i]) / (scale[i] * full)).clamp(0.0, 1.0)))
    }
}

/// Returns the reading of a nominal sensor at this brightness (counts). The brightness is clamped to 0..=1.
pub fn level(brightness: f32) -> f32 {
    brightness.clamp(0.0, 1.0) * f32::from(MAX_COUNTS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brightness_comes_back_and_never_leaves_its_range() {
        for brightness in [0.0, 0.25, 0.9, 1.0] {
            let raw = RawLight([level(brightness).round() as u16; 8]);
            let back = raw.calibrated([0.0; 8], [1.0; 8]).0[5];
            assert!((back - brightness).abs() < 2e-4, "{brightness} came back as {back}");
        }
        assert_eq!(RawLight([u16::MAX, 0, 0, 0, 0, 0, 0, 0]).calibrated([40.0; 8], [0.5; 8]).0[..2], [1.0, 0.0]);
    }
}

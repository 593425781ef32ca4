//! Ambient light at the infra-red sensors, measured without their emitters.

use crate::infrared::MAX_COUNTS;

/// Raw readings in the order of the thesis's Table 6.1 (ADC counts), 0..=4095; larger is brighter. Drivers invert the
/// readings of robots with the opposite polarity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawLight(pub [u16; 8]);

/// Brightness at each sensor as a fraction of full scale, 0..=1, in the order of the thesis's Table 6.1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Brightness(pub [f32; 8]);

impl RawLight {
    /// Brightness for sensors with these dark levels (counts) and these gains relative to a nominal sensor.
    pub fn calibrated(self, dark: [f32; 8], scale: [f32; 8]) -> Brightness {
        let full = f32::from(MAX_COUNTS);
        Brightness(std::array::from_fn(|i| ((f32::from(self.0[i]) - dark[i]) / (scale[i] * full)).clamp(0.0, 1.0)))
    }
}

/// Reading of a nominal sensor at this brightness (counts).
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

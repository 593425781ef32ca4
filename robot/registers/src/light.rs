//! The infra-red sensors without their own light: how bright the surroundings are on each side.

use crate::infrared::MAX_COUNTS;

/// Raw readings in the order of the thesis's Table 6.1, ADC counts, 0..=4095; larger is brighter. What a kind of robot tells
/// the other way round is turned by its driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RawLight(pub [u16; 8]);

/// Brightness at each sensor as part of what the sensors can tell, 0..=1, in the order of the thesis's Table 6.1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Brightness(pub [f32; 8]);

impl RawLight {
    /// The brightness at sensors that read `dark` counts in the dark, and `scale` times as much as a nominal one.
    pub fn calibrated(self, dark: [f32; 8], scale: [f32; 8]) -> Brightness {
        let full = f32::from(MAX_COUNTS);
        Brightness(std::array::from_fn(|i| ((f32::from(self.0[i]) - dark[i]) / (scale[i] * full)).clamp(0.0, 1.0)))
    }
}

/// The level that a nominal sensor gives the converter at this brightness, counts.
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

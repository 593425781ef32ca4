//! Power drawn from a robot's battery, computed from the activity of the robot's parts.
//!
//! The wheels are not included, because the e-puck of the thesis has a separate battery for its motors (thesis 5.1.4).

use xpuck_registers::spi::Pixel;

/// Power of the idle board, interface board and radio (W): 400 mA at 5 V through a converter of 92 % efficiency (thesis
/// 5.1.4).
pub const IDLE_WATTS: f64 = 2.2;
/// Additional power of the board's processor with all cores busy (W). With all parts active, the battery of an evolving
/// robot lasts 1.5 h, the minimum that thesis 5.1 requires.
pub const PROCESSOR_WATTS: f64 = 3.8;
/// Power of a streaming camera with its USB bridge (W).
pub const CAMERA_WATTS: f64 = 0.5;
/// Current of one colour of one Neopixel at full brightness (A).
const COLOUR_AMPS: f64 = 0.02;
/// Battery voltage below which blue LEDs stay dark (V) (thesis Fig. 5.4).
const BLUE_VOLTS: f64 = 3.1;

/// Activity of a robot's parts that draw power.
#[derive(Clone, Debug, Default)]
pub struct PowerLoad {
    /// Load of the board's processor (0..=1).
    pub processor: f64,
    /// Whether the camera is streaming.
    pub camera: bool,
    /// For red, green and blue: sum of the Neopixels' levels (0..=255 each).
    pub lamps: [u32; 3],
}

impl PowerLoad {
    /// Sets the levels of the Neopixels.
    pub fn show(&mut self, pixels: &[Pixel]) {
        let sum = |level: fn(&Pixel) -> u8| pixels.iter().map(|pixel| u32::from(level(pixel))).sum();
        self.lamps = [sum(|p| p.red), sum(|p| p.green), sum(|p| p.blue)];
    }

    /// Returns the power drawn from the battery (W) at the battery voltage `volts` (V). The battery feeds the Neopixels
    /// directly.
    pub fn watts(&self, volts: f64) -> f64 {
        let [red, green, blue] = self.lamps.map(f64::from);
        let lit = red + green + if volts < BLUE_VOLTS { 0.0 } else { blue };
        let camera = if self.camera { CAMERA_WATTS } else { 0.0 };
        IDLE_WATTS + PROCESSOR_WATTS * self.processor + camera + lit / 255.0 * COLOUR_AMPS * volts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_registers::spi::PIXELS;

    #[test]
    fn with_everything_on_it_draws_what_the_thesis_measured() {
        let mut draw = PowerLoad { processor: 0.05, camera: true, ..PowerLoad::default() };
        // All Neopixels are at half brightness in one colour. Varying colours have the same total level on average.
        draw.show(&[Pixel { red: 128, green: 0, blue: 0 }; PIXELS]);
        assert!((3.2..3.6).contains(&draw.watts(3.7)), "{} W", draw.watts(3.7));
        let evolves = PowerLoad { processor: 1.0, ..draw.clone() };
        assert!((6.4..7.2).contains(&evolves.watts(3.7)), "{} W", evolves.watts(3.7));
    }

    #[test]
    fn blue_lamps_stay_dark_at_a_low_voltage() {
        let mut draw = PowerLoad::default();
        draw.show(&[Pixel { blue: 255, ..Pixel::default() }; PIXELS]);
        assert!(draw.watts(3.2) > IDLE_WATTS + 0.9);
        assert_eq!(draw.watts(3.0), IDLE_WATTS);
    }
}

//! Lamps of a robot: the ring of fifteen Neopixels, the e-puck's own LEDs, and the speaker.

use xpuck_registers::epuck1::{BODY_LAMP, FRONT_LAMP};
use xpuck_registers::spi::{PIXELS, Pixel};

/// State of the lamps and the speaker. Pixel i is at i * 24 degrees to the left of straight ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lamps {
    /// Colours of the Neopixels. Bodies without Neopixels show an approximation on other LEDs.
    pub pixels: [Pixel; PIXELS],
    /// State of the e-puck's own LEDs. `None`: the LEDs approximate the pixels on a body without Neopixels.
    pub leds: Option<Leds>,
    /// Melody that the speaker plays.
    pub sound: Sound,
}

/// State of the e-puck's own LEDs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leds {
    /// Red ring: bit n is the state of LED n, numbered clockwise from the front.
    pub ring: u8,
    /// Green body LED.
    pub body: bool,
    /// Red front LED.
    pub front: bool,
}

/// Melody to play once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sound {
    /// Melody (1..=3; 0: none).
    pub melody: u8,
    /// Number of the request. A new number starts the melody again.
    pub number: u8,
}

/// Dark pixel.
pub const DARK: Pixel = Pixel { red: 0, green: 0, blue: 0 };

impl Lamps {
    /// Returns lamps with all pixels in one colour, and no sound.
    pub const fn all(pixel: Pixel) -> Lamps {
        Lamps { pixels: [pixel; PIXELS], leds: None, sound: Sound { melody: 0, number: 0 } }
    }

    /// Returns the pixel nearest to a bearing in the robot's frame (degrees to the left of straight ahead).
    pub fn pixel_at(&self, degrees: f32) -> Pixel {
        let step = 360.0 / PIXELS as f32;
        self.pixels[(degrees.rem_euclid(360.0) / step).round() as usize % PIXELS]
    }

    /// Returns the state of the e-puck's own LEDs. If `leds` is `None`, the LEDs approximate the pixels. A ring LED is
    /// lit if its nearest pixel has a red component. Ring LEDs with even numbers are also lit if that pixel has a blue
    /// component. The body LED is lit if any pixel has a green component.
    pub fn leds_or_default(&self) -> Leds {
        self.leds.unwrap_or_else(|| {
            let lit = |led: &u8| match self.pixel_at(-45.0 * f32::from(*led)) {
                Pixel { red: 1.., .. } => true,
                Pixel { blue: 1.., .. } => led.is_multiple_of(2),
                _ => false,
            };
            let ring = (0..8u8).filter(lit).fold(0, |ring, led| ring | 1 << led);
            Leds { ring, body: self.pixels.iter().any(|pixel| pixel.green > 0), front: false }
        })
    }
}

impl Leds {
    /// Encodes the LEDs for the e-puck's firmware: bits 0..=7 ring, 8 body, 9 front.
    pub fn to_firmware_word(self) -> u16 {
        u16::from(self.ring) | u16::from(self.body) << 8 | u16::from(self.front) << 9
    }

    /// Encodes the front and the body LED for the register of an e-puck1.
    pub fn to_epuck1_register(self) -> u16 {
        (if self.front { FRONT_LAMP } else { 0 }) | (if self.body { BODY_LAMP } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leds_show_what_the_pixels_do_as_well_as_they_can() {
        let shown = |red, green, blue| Lamps::all(Pixel { red, green, blue }).leds_or_default();
        assert_eq!(shown(16, 0, 0), Leds { ring: 0xff, body: false, front: false });
        assert_eq!(shown(0, 16, 16), Leds { ring: 0x55, body: true, front: false });
        assert_eq!(Lamps::default().leds_or_default(), Leds::default());
        let mut left = Lamps::default();
        // Pixel 4 is 96 degrees to the left. The nearest ring LED is LED 6, which is 90 degrees to the left.
        left.pixels[4] = Pixel { red: 1, ..DARK };
        assert_eq!(left.leds_or_default().ring, 1 << 6);
        let leds = Leds { ring: 1, body: true, front: true };
        assert_eq!(Lamps { leds: Some(leds), ..left }.leds_or_default(), leds);
        assert_eq!((leds.to_firmware_word(), leds.to_epuck1_register()), (0x301, 3));
    }
}

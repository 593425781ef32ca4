//! A robot's lamps, whatever it has of them: the ring of fifteen Neopixels, the e-puck's own LEDs, the speaker.

use xpuck_registers::epuck1::{BODY_LAMP, FRONT_LAMP};
use xpuck_registers::spi::{PIXELS, Pixel};

/// What lamps and speaker do. Pixel i is i * 24 degrees to the left of ahead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lamps {
    /// The Neopixels; bodies without them show the nearest that they can.
    pub pixels: [Pixel; PIXELS],
    /// The e-puck's own LEDs; without them they show what the pixels do, where there are no pixels.
    pub leds: Option<Leds>,
    /// What the speaker plays.
    pub sound: Sound,
}

/// The e-puck's own LEDs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Leds {
    /// Bit n is LED n of the red ring, clockwise from the front.
    pub ring: u8,
    /// The green one in the body.
    pub body: bool,
    /// The red one at the front.
    pub front: bool,
}

/// A melody that is to be played once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sound {
    /// 1 to 3; 0 for none.
    pub melody: u8,
    /// Another number starts it again.
    pub number: u8,
}

/// A pixel that is dark.
pub const DARK: Pixel = Pixel { red: 0, green: 0, blue: 0 };

impl Lamps {
    /// All pixels in one colour.
    pub const fn all(pixel: Pixel) -> Lamps {
        Lamps { pixels: [pixel; PIXELS], leds: None, sound: Sound { melody: 0, number: 0 } }
    }

    /// The pixel nearest to a bearing in the robot's frame, degrees to the left of ahead.
    pub fn at(&self, degrees: f32) -> Pixel {
        let step = 360.0 / PIXELS as f32;
        self.pixels[(degrees.rem_euclid(360.0) / step).round() as usize % PIXELS]
    }

    /// What an e-puck's own LEDs show: red lights the ring on its side, blue every second LED of it, green the body.
    pub fn shown(&self) -> Leds {
        self.leds.unwrap_or_else(|| {
            let lit = |led: &u8| match self.at(-45.0 * f32::from(*led)) {
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
    /// As the e-puck's firmware has them: bits 0..=7 the ring, 8 the body, 9 the front.
    pub fn word(self) -> u16 {
        u16::from(self.ring) | u16::from(self.body) << 8 | u16::from(self.front) << 9
    }

    /// As an e-puck1's register of front and body has them.
    pub fn register(self) -> u16 {
        (if self.front { FRONT_LAMP } else { 0 }) | (if self.body { BODY_LAMP } else { 0 })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leds_show_what_the_pixels_do_as_well_as_they_can() {
        let shown = |red, green, blue| Lamps::all(Pixel { red, green, blue }).shown();
        assert_eq!(shown(16, 0, 0), Leds { ring: 0xff, body: false, front: false });
        assert_eq!(shown(0, 16, 16), Leds { ring: 0x55, body: true, front: false });
        assert_eq!(Lamps::default().shown(), Leds::default());
        let mut left = Lamps::default();
        // 96 degrees to the left; LED 6 is at 90.
        left.pixels[4] = Pixel { red: 1, ..DARK };
        assert_eq!(left.shown().ring, 1 << 6);
        let leds = Leds { ring: 1, body: true, front: true };
        assert_eq!(Lamps { leds: Some(leds), ..left }.shown(), leds);
        assert_eq!((leds.word(), leds.register()), (0x301, 3));
    }
}

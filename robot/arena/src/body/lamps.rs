//! Lamps and speaker of a robot as an observer perceives them. They show the last commands to the robot's processor and
//! to the Neopixel logic in front of the processor.

use std::fmt;
use xpuck_registers::spi::{PIXELS, Pixel};

/// A robot's lamps and speaker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Lamps {
    /// Ring of Neopixels of an xpuck; `None` for other bodies.
    pub pixels: Option<[Pixel; PIXELS]>,
    /// Red LEDs of the ring, clockwise from the front. Bit n is LED n.
    pub ring: u8,
    /// Colours of LEDs 2, 4, 6 and 8 of an e-puck2 (%); `None` for other bodies.
    pub colours: Option<[Pixel; 4]>,
    /// Green LED in the body.
    pub body: bool,
    /// Red LED at the front.
    pub front: bool,
    /// Whether a melody is playing.
    pub plays: bool,
}

impl fmt::Display for Lamps {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ring ")?;
        (0..8).try_for_each(|led| f.write_str(if self.ring & 1 << led == 0 { "-" } else { "*" }))?;
        f.write_str(if self.body { ", body" } else { "" })?;
        f.write_str(if self.front { ", front" } else { "" })?;
        for (name, colours) in
            [("pixels", self.pixels.as_ref().map(|p| &p[..])), ("leds", self.colours.as_ref().map(|c| &c[..]))]
        {
            let Some(colours) = colours else { continue };
            write!(f, ", {name}")?;
            colours.iter().try_for_each(|p| write!(f, " {:02x}{:02x}{:02x}", p.red, p.green, p.blue))?;
        }
        f.write_str(if self.plays { ", a melody" } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lamps_are_printed_in_one_line() {
        let colours = Some([Pixel { red: 100, green: 0, blue: 7 }; 4]);
        let lamps = Lamps { ring: 0b1000_0001, body: true, colours, plays: true, ..Lamps::default() };
        assert_eq!(lamps.to_string(), "ring *------*, body, leds 640007 640007 640007 640007, a melody");
        assert_eq!(Lamps::default().to_string(), "ring --------");
    }
}

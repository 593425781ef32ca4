//! How long a sensor gathers light: by itself or for a time that is written. Times count in lines of the frame.

use super::{Clock, Padding, Sensor};

/// The registers of a sensor's exposure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exposing {
    /// Bank and register of the switch between both.
    pub switch: (u8, u8),
    /// The bits that count there; all others keep what they hold.
    pub mask: u8,
    /// They hold this where the sensor finds the time by itself.
    pub automatic: u8,
    /// What the register holds after power-up.
    pub at_first: u8,
    /// Bank and first register of the time, most significant byte first.
    pub time: (u8, u8),
    /// Bytes of it.
    pub bytes: u8,
    /// Units of it in a line.
    pub per_line: u32,
}

impl Exposing {
    /// The switch's bits where the time is the one that is written.
    pub fn fixed(&self) -> u8 {
        !self.automatic & self.mask
    }

    /// The bytes of a time in lines, the longest possible one if it is longer.
    pub fn encode(&self, lines: f64) -> Vec<u8> {
        let most = (1u64 << (8 * u32::from(self.bytes))) - 1;
        let units = (lines * f64::from(self.per_line)).round().clamp(1.0, most as f64) as u64;
        units.to_be_bytes()[8 - usize::from(self.bytes)..].to_vec()
    }

    /// The lines that bytes mean.
    pub fn decode(&self, bytes: &[u8]) -> f64 {
        let units = bytes.iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
        units as f64 / f64::from(self.per_line)
    }
}

impl Sensor {
    /// Time of a line when the frame is this wide with blanking, s: two clocks a pixel.
    pub fn line_seconds(clock: Clock, frame_width: u32) -> f64 {
        2.0 * f64::from(frame_width) / f64::from(clock.hertz())
    }

    /// Time of a line as the set-up has it, s.
    pub fn set_up_line(&self, clock: Clock) -> f64 {
        Sensor::line_seconds(clock, self.frame(clock).0)
    }

    /// Bank and first register of the frame's width less one, where the sensor has them.
    pub fn width_register(&self) -> Option<(u8, u8)> {
        match self.padding {
            Padding::Size { bank, width, .. } => Some((bank, width)),
            Padding::DummyLines { .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{PO3030K, PO6030K, PO8030, SENSORS};
    use super::*;

    #[test]
    fn times_are_written_as_each_sensor_wants_them() {
        let encoded = |sensor: &Sensor, lines| sensor.exposing.unwrap().encode(lines);
        // 128 lines are the PO8030's own after power-up.
        assert_eq!(encoded(&PO8030, 128.0), [0x00, 0x80, 0x00]);
        assert_eq!(encoded(&PO8030, 300.5), [0x01, 0x2c, 0x80]);
        assert_eq!(encoded(&PO3030K, 128.0), [0x00, 0x20, 0x00]);
        assert_eq!(encoded(&PO6030K, 1.0), [0, 0, 0, 64]);
        assert_eq!(encoded(&PO8030, 1e9), [0xff; 3]);
        assert_eq!(encoded(&PO8030, 0.0), [0, 0, 1]);
        for sensor in SENSORS {
            let Some(exposing) = sensor.exposing else { continue };
            assert!((exposing.decode(&exposing.encode(77.25)) - 77.25).abs() < 0.01, "{}", sensor.name);
            assert_eq!(exposing.at_first & exposing.mask, exposing.automatic, "{} exposes by itself", sensor.name);
            assert_ne!(exposing.fixed(), exposing.automatic);
        }
        assert!((PO8030.set_up_line(Clock::Xpuck) - 133.3e-6).abs() < 1e-7);
    }
}

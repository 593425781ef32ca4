//! Automatic or fixed exposure time of a sensor. The unit of exposure times is a line, which is the time that the
//! sensor needs for a line of the frame.

use super::{Clock, Padding, Sensor};

/// Exposure registers of a sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exposing {
    /// Bank and register of the switch between automatic and fixed exposure.
    pub switch: (u8, u8),
    /// Mask of the switch's bits. Other bits of the register keep their values.
    pub mask: u8,
    /// Value of the switch's bits for automatic exposure.
    pub automatic: u8,
    /// Value of the switch's register after power-up. It selects automatic exposure.
    pub at_first: u8,
    /// Bank and number of the first register of the exposure time. This register contains the most significant byte.
    pub time: (u8, u8),
    /// Number of registers of the exposure time, one byte each.
    pub bytes: u8,
    /// Register value that corresponds to an exposure time of one line.
    pub per_line: u32,
}

impl Exposing {
    /// Returns the value of the switch's bits for a fixed exposure time.
    pub fn fixed(&self) -> u8 {
        !self.automatic & self.mask
    }

    /// Encodes an exposure time (lines), limited to the range of the registers.
    pub fn encode(&self, lines: f64) -> Vec<u8> {
        let most = (1u64 << (8 * u32::from(self.bytes))) - 1;
        let units = (lines * f64::from(self.per_line)).round().clamp(1.0, most as f64) as u64;
        units.to_be_bytes()[8 - usize::from(self.bytes)..].to_vec()
    }

    /// Decodes an exposure time (lines).
    pub fn decode(&self, bytes: &[u8]) -> f64 {
        let units = bytes.iter().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
        units as f64 / f64::from(self.per_line)
    }
}

impl Sensor {
    /// Returns the duration of a line (s). `frame_width` is the length of the line, blanking included (pixels). A pixel
    /// lasts two clock cycles.
    pub fn line_seconds(clock: Clock, frame_width: u32) -> f64 {
        2.0 * f64::from(frame_width) / f64::from(clock.hertz())
    }

    /// Returns the duration of a line when the sensor is configured for this clock (s).
    pub fn set_up_line(&self, clock: Clock) -> f64 {
        Sensor::line_seconds(clock, self.frame(clock).0)
    }

    /// Returns bank and first register of the register pair with the frame's width - 1; `None` if the sensor has no
    /// such registers.
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
        // 128 lines are the default exposure time of the PO8030 after power-up.
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

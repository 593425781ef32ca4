//! Camera sensors of e-pucks as I2C slaves: addresses, identification, and register values for 640 x 480 YUYV at 15
//! frames/s. The values are those that Pi-puck boards have used for years (York Robotics Laboratory, GCtronic). Their
//! meanings are from the public data sheets.
//!
//! A sensor sends one byte per clock cycle, also during blanking. A pixel has two bytes. The frame rate is therefore
//! the clock frequency divided by twice the number of pixels of the frame, blanking included. The clock frequency
//! depends on the robot ([`Clock`]). Each frame is padded with blanking, so that the frame rate is 15 frames/s.

mod exposure;
mod tables;

pub use exposure::Exposing;
pub use tables::{OV7670, PO3030K, PO6030K, PO8030, SENSORS};

/// Width and height of the configured image (pixels).
pub const SIZE: (usize, usize) = (640, 480);
/// Configured frame rate (Hz).
pub const FRAMES_PER_SECOND: f64 = 15.0;

/// Step of the sensor's configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Register write.
    Set {
        /// Bank of the register. It is 0 if the sensor has no banks.
        bank: u8,
        /// Number of the register, or of the first register of a pair.
        register: u8,
        /// Number of bytes: 1, or 2 for a pair of registers, with the most significant byte first.
        bytes: u8,
        /// Value to write.
        value: u16,
        /// Whether the register returns the written value when it is read.
        holds: bool,
        /// Purpose of the write.
        meaning: &'static str,
    },
    /// Delay that the sensor needs.
    Wait {
        /// Duration (ms).
        milliseconds: u64,
        /// Purpose of the delay.
        meaning: &'static str,
    },
}

/// Method of padding a frame with blanking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// Padding by the frame's size. A pair of registers contains width - 1, and another pair contains height - 1. The
    /// most significant byte is first.
    Size {
        /// Bank of both register pairs.
        bank: u8,
        /// First register of the pair with the width.
        width: u8,
        /// First register of the pair with the height.
        height: u8,
    },
    /// Padding by additional lines. Two registers contain the number of additional lines, least significant byte first.
    DummyLines {
        /// Register of the low byte. The next register contains the high byte.
        register: u8,
        /// Frame width, blanking included (pixels).
        width: u32,
        /// Frame height, including blanking but not the additional lines (lines).
        height: u32,
    },
}

/// Type of camera sensor.
#[derive(Debug, PartialEq, Eq)]
pub struct Sensor {
    /// Name of the sensor type.
    pub name: &'static str,
    /// 7-bit I2C address.
    pub address: u8,
    /// Number of the first of the two identification registers.
    pub id_register: u8,
    /// Value of the identification registers, most significant byte first.
    pub id: u16,
    /// Register that selects a bank; `None` if the sensor has no banks.
    pub bank_register: Option<u8>,
    /// Whether a repeated start may separate the write of the register pointer from the read. Otherwise the master
    /// must send a stop between them.
    pub repeated_start: bool,
    /// Padding that the sensor supports.
    pub padding: Padding,
    /// Exposure registers; `None` if they are unknown.
    pub exposing: Option<Exposing>,
    /// Configuration steps after power-up, without the padding.
    pub steps: &'static [Step],
}

/// Source of the camera sensor's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Logic of the Xpuck's shim (12 MHz).
    Xpuck,
    /// dsPIC of the e-puck1 (14.7456 MHz).
    Epuck1,
    /// Processor of the e-puck2 (21 MHz).
    Epuck2,
}

impl Clock {
    /// Returns the clock frequency (Hz).
    pub const fn hertz(self) -> u32 {
        match self {
            Clock::Xpuck => 12_000_000,
            Clock::Epuck1 => 14_745_600,
            Clock::Epuck2 => 21_000_000,
        }
    }

    /// Returns width and height of a Pixelplus sensor's frame for 15 frames/s, blanking included (pixels).
    const fn frame(self) -> (u32, u32) {
        match self {
            Clock::Xpuck => (800, 500),
            Clock::Epuck1 => (960, 512),
            Clock::Epuck2 => (875, 800),
        }
    }
}

impl Sensor {
    /// Returns width and height of the configured frame at this clock, blanking included (pixels).
    pub fn frame(&self, clock: Clock) -> (u32, u32) {
        match self.padding {
            Padding::Size { .. } => clock.frame(),
            Padding::DummyLines { width, height, .. } => {
                let lines = f64::from(clock.hertz()) / (2.0 * FRAMES_PER_SECOND * f64::from(width));
                (width, (lines.round() as u32).max(height))
            }
        }
    }

    /// Returns all configuration steps after power-up, in order. The padding follows the sensor's other steps.
    pub fn setup(&self, clock: Clock) -> impl Iterator<Item = Step> {
        let (frame_width, frame_height) = self.frame(clock);
        let set = |bank, register, bytes, value: u32, meaning| Step::Set {
            bank,
            register,
            bytes,
            value: value as u16,
            holds: true,
            meaning,
        };
        let padding = match self.padding {
            Padding::Size { bank, width, height } => [
                set(bank, width, 2, frame_width - 1, "frame width less one"),
                set(bank, height, 2, frame_height - 1, "frame height less one"),
            ],
            Padding::DummyLines { register, height, .. } => {
                let lines = frame_height - height;
                [
                    set(0, register, 1, lines & 0xff, "dummy lines, low byte"),
                    set(0, register + 1, 1, lines >> 8, "dummy lines, high byte"),
                ]
            }
        };
        self.steps.iter().copied().chain(padding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sensor_gives_15_frames_per_second_at_every_clock() {
        for sensor in SENSORS {
            for clock in [Clock::Xpuck, Clock::Epuck1, Clock::Epuck2] {
                let (width, height) = sensor.frame(clock);
                let rate = f64::from(clock.hertz()) / (2.0 * f64::from(width * height));
                assert!((rate - 15.0).abs() < 0.02, "{} at {clock:?}: {rate}", sensor.name);
                assert!(width > 640 && height > 480);
            }
        }
    }

    #[test]
    fn values_fit_registers_and_banks_only_where_supported() {
        for sensor in SENSORS {
            for step in sensor.setup(Clock::Epuck2) {
                let Step::Set { bank, register, bytes, value, .. } = step else { continue };
                assert!(value <= 0xff || bytes == 2, "{} {register:#04x}", sensor.name);
                assert!(bank == 0 || sensor.bank_register.is_some_and(|b| b != register), "{}", sensor.name);
            }
        }
    }

    #[test]
    fn frame_padding_is_written_per_sensor() {
        let written = |sensor: &Sensor, clock| {
            let last: Vec<Step> = sensor.setup(clock).collect();
            let values = last[last.len() - 2..].iter().map(|s| match s {
                Step::Set { register, value, .. } => (*register, *value),
                Step::Wait { .. } => panic!("the padding waits"),
            });
            values.collect::<Vec<_>>()
        };
        assert_eq!(written(&PO8030, Clock::Epuck2), [(0x04, 874), (0x06, 799)]);
        assert_eq!(written(&PO3030K, Clock::Epuck1), [(0x04, 959), (0x06, 511)]);
        assert_eq!(written(&PO6030K, Clock::Epuck1), [(0x48, 959), (0x29, 511)]);
        assert_eq!(written(&OV7670, Clock::Epuck2), [(0x92, 0x7f), (0x93, 0x01)], "893 lines instead of 510");
    }
}

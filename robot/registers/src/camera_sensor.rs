//! The camera sensors that e-pucks carry, as I2C slaves: where they answer, how they are told apart, and what to write
//! for 640 x 480 YUYV at 15 frames a second. The values are those that Pi-puck boards have run for years (York Robotics
//! Laboratory, GCtronic), the meanings those of the data sheets as far as these are public.
//!
//! A sensor sends two bytes a pixel and one byte a clock, blanking included, so frames a second are the clock over twice the
//! frame's area. The e-puck supplies the clock; the frame is padded until 15 frames a second come out.

mod exposure;
mod tables;

pub use exposure::Exposing;
pub use tables::{OV7670, PO3030K, PO6030K, PO8030, SENSORS};

/// Pixels in a row and rows of the picture that the set-up asks for.
pub const SIZE: (usize, usize) = (640, 480);
/// Frames in a second that the set-up asks for.
pub const FRAMES_PER_SECOND: f64 = 15.0;

/// One thing to do on the way to a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Write a value.
    Set {
        /// Bank of the register; 0 where the sensor has none.
        bank: u8,
        /// Number of the (first) register.
        register: u8,
        /// 1, or 2 for a pair of registers, most significant byte first.
        bytes: u8,
        /// The value.
        value: u16,
        /// Reads back as written.
        holds: bool,
        /// What it does.
        meaning: &'static str,
    },
    /// Give the sensor time.
    Wait {
        /// How long, ms.
        milliseconds: u64,
        /// What for.
        meaning: &'static str,
    },
}

/// How long a sensor's frame is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Padding {
    /// Pairs of registers hold width and height less one, most significant byte first.
    Size {
        /// Bank of both.
        bank: u8,
        /// First register of the width.
        width: u8,
        /// First register of the height.
        height: u8,
    },
    /// Two registers hold the lines beyond the sensor's own, the least significant byte in the first.
    DummyLines {
        /// Register of the low byte; the high byte's is the next.
        register: u8,
        /// Pixels in a row with blanking.
        width: u32,
        /// Rows with blanking.
        height: u32,
    },
}

/// One kind of sensor.
#[derive(Debug, PartialEq, Eq)]
pub struct Sensor {
    /// Its name.
    pub name: &'static str,
    /// 7-bit address.
    pub address: u8,
    /// First of the two registers that identify it.
    pub id_register: u8,
    /// What they hold, most significant byte first.
    pub id: u16,
    /// The register that selects a bank, where there are banks.
    pub bank_register: Option<u8>,
    /// A read may follow the pointer after a repeated start; otherwise there is a stop between them.
    pub repeated_start: bool,
    /// How its frame is padded.
    pub padding: Padding,
    /// How the time is set for which it gathers light; none where that is not known.
    pub exposing: Option<Exposing>,
    /// What to do after power-up, except for the padding.
    pub steps: &'static [Step],
}

/// Who clocks the sensor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The Xpuck's logic: 12 MHz.
    Xpuck,
    /// The e-puck1's dsPIC: 14.7456 MHz.
    Epuck1,
    /// The e-puck2's processor: 21 MHz.
    Epuck2,
}

impl Clock {
    /// Its frequency, Hz.
    pub const fn hertz(self) -> u32 {
        match self {
            Clock::Xpuck => 12_000_000,
            Clock::Epuck1 => 14_745_600,
            Clock::Epuck2 => 21_000_000,
        }
    }

    /// Width and height of a whole frame in which 15 frames a second come out of a Pixelplus sensor.
    const fn frame(self) -> (u32, u32) {
        match self {
            Clock::Xpuck => (800, 500),
            Clock::Epuck1 => (960, 512),
            Clock::Epuck2 => (875, 800),
        }
    }
}

impl Sensor {
    /// Width and height of a whole frame with blanking at this clock.
    pub fn frame(&self, clock: Clock) -> (u32, u32) {
        match self.padding {
            Padding::Size { .. } => clock.frame(),
            Padding::DummyLines { width, height, .. } => {
                let lines = f64::from(clock.hertz()) / (2.0 * FRAMES_PER_SECOND * f64::from(width));
                (width, (lines.round() as u32).max(height))
            }
        }
    }

    /// Everything to do after power-up, in order.
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
    fn every_sensor_gives_15_frames_a_second_at_every_clock() {
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
    fn values_fit_their_registers_and_only_banked_sensors_have_banks() {
        for sensor in SENSORS {
            for step in sensor.setup(Clock::Epuck2) {
                let Step::Set { bank, register, bytes, value, .. } = step else { continue };
                assert!(value <= 0xff || bytes == 2, "{} {register:#04x}", sensor.name);
                assert!(bank == 0 || sensor.bank_register.is_some_and(|b| b != register), "{}", sensor.name);
            }
        }
    }

    #[test]
    fn the_padding_is_written_as_each_sensor_wants_it() {
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

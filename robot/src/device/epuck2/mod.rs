//! Driver of an e-puck2 over I2C. An exchange transfers one packet in each direction.
//!
//! The e-puck2 has no watchdog that stops its wheels; [`super::guard`] stops them instead.

use super::body::{Body, BodyReadings, Counts, Drive};
use super::i2c::{self, I2cError, TRIES};
use super::lamps::Sound;
use super::{DeviceError, I2cBus};
use std::path::Path;
use std::time::Duration;
use xpuck_registers::epuck2::{ADDRESS, Command, FULL, HERTZ, REPORT_BYTES, Report, Settings};
use xpuck_registers::infrared::{MAX_COUNTS, RawInfrared, other_order};
use xpuck_registers::light::RawLight;
use xpuck_registers::microphone::RawSound;
use xpuck_registers::spi::Pixel;
use xpuck_registers::stepper::StepsPerSecond;

/// Number of melodies that an e-puck2 can play.
const MELODIES: u8 = 3;

/// Driver of an e-puck2.
#[derive(Debug)]
pub struct Epuck2<B> {
    bus: B,
    counts: Counts,
    /// Number of the last sound sent. `None` before the first exchange, which plays no sound.
    played: Option<u8>,
}

impl Epuck2<Box<dyn I2cBus>> {
    /// Opens the bus at `path`, and creates a driver on it.
    pub fn open(path: &Path) -> Result<Self, DeviceError> {
        i2c::open(path).map(Epuck2::new)
    }
}

impl<B: I2cBus> Epuck2<B> {
    /// Creates a driver on this bus.
    pub fn new(bus: B) -> Epuck2<B> {
        Epuck2 { bus, counts: Counts::default(), played: None }
    }

    /// Stops the wheels, and calibrates the infra-red sensors, which must not face any object. The robot ignores
    /// other commands for about a second.
    pub fn calibrate(&mut self) -> Result<(), DeviceError> {
        let still = Command::driving([StepsPerSecond::ZERO; 2]);
        self.send(&Command { settings: Settings::CALIBRATE, ..still }).map(|_| ())
    }

    /// Sends a command until a valid report is received, at most [`TRIES`] times. Sending a command repeatedly is
    /// harmless, because commands set absolute values.
    fn send(&mut self, command: &Command) -> Result<Report, DeviceError> {
        self.counts.exchanges += 1;
        let mut result = self.attempt(command);
        for _ in 1..TRIES {
            if result.is_ok() {
                break;
            }
            self.counts.retries += 1;
            result = self.attempt(command);
        }
        result.inspect_err(|error| self.counts.bus_errors += u64::from(!matches!(error, DeviceError::I2c(_))))
    }

    fn attempt(&mut self, command: &Command) -> Result<Report, DeviceError> {
        let mut bytes = [0; REPORT_BYTES];
        self.bus.write_read(ADDRESS, &command.encode(), &mut bytes)?;
        let report =
            Report::decode(&bytes).map_err(|source| I2cError::Checksum { address: ADDRESS, source }).and_then(in_range);
        Ok(report.inspect_err(|_| self.counts.corrupt += 1)?)
    }
}

/// Validates the values of a report. The exclusive-or checksum is not sufficient: it is also correct for a packet of
/// zeros, and for many packets with two wrong bytes.
fn in_range(report: Report) -> Result<Report, I2cError> {
    if report == Report::default() {
        return Err(I2cError::Empty { address: ADDRESS });
    }
    let all: [(_, &[u16]); 3] =
        [("reflected", &report.reflected), ("ambient", &report.ambient), ("volume", &report.microphones)];
    for (name, values) in all {
        if let Some(number) = values.iter().position(|v| *v > MAX_COUNTS) {
            let found = values[number];
            return Err(I2cError::Range { address: ADDRESS, name, number, found, most: MAX_COUNTS });
        }
    }
    Ok(report)
}

/// Converts a command of the control loop to a command of the e-puck2. LEDs are numbered clockwise, from 1 at the
/// front. The RGB LEDs 2, 4, 6 and 8 have the colour of the nearest pixel in the ring of lamps. The red LEDs 1, 3, 5
/// and 7 have the states in `leds` of the lamps. If `leds` is `None`, each is lit if the nearest pixel contains red.
fn command(drive: &Drive) -> Command {
    let part = |byte: u8| (u16::from(byte) * u16::from(FULL)).div_ceil(255) as u8;
    let lamps = &drive.lamps;
    let colour = |i: usize| {
        let Pixel { red, green, blue } = lamps.pixel_at(-45.0 - 90.0 * i as f32);
        Pixel { red: part(red), green: part(green), blue: part(blue) }
    };
    let lit = |i: usize| match lamps.leds {
        Some(leds) => leds.ring & 1 << (2 * i) != 0,
        None => lamps.pixel_at(-90.0 * i as f32).red > 0,
    };
    let (leds, colours) = (std::array::from_fn(lit), std::array::from_fn(colour));
    Command { leds, colours, ..Command::driving(drive.speeds) }
}

impl<B: I2cBus> Body for Epuck2<B> {
    fn exchange(&mut self, drive: &Drive) -> Result<BodyReadings, DeviceError> {
        // A melody restarts with every packet that contains its number, so only one packet contains it.
        let Sound { melody, number } = drive.lamps.sound;
        let new = self.played.is_some_and(|played| played != number);
        let sound = if new { melody.min(MELODIES) } else { 0 };
        let report = self.send(&Command { sound, ..command(drive) })?;
        self.played = Some(number);
        Ok(BodyReadings {
            reflected: other_order(report.reflected).map(RawInfrared),
            light: Some(RawLight(other_order(report.ambient).map(|counts| MAX_COUNTS - counts))),
            sound: Some(RawSound::Volumes(report.microphones)),
            selector: Some((report.selector, report.button)),
            steps: report.steps,
            ..BodyReadings::default()
        })
    }

    fn period(&self) -> Duration {
        Duration::from_secs(1) / HERTZ
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}

#[cfg(test)]
mod tests;

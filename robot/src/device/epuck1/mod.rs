//! Driver of an e-puck1 over I2C. Each transaction reads or writes one register. An exchange writes the speeds first.
//!
//! The protocol has no checksum, so each exchange reads one of the two speed registers back, in turn. The e-puck1 has
//! no watchdog that stops its wheels; [`super::guard`] stops them instead.

use super::body::{Body, BodyReadings, Counts, Drive};
use super::i2c::{self, I2cError, TRIES};
use super::lamps::Leds;
use super::{DeviceError, I2cBus};
use std::path::Path;
use std::time::Duration;
use xpuck_registers::epuck1::{
    ADDRESS, AMBIENT, INFRARED, LAMPS, REFLECTED, RING, Register, SCAN, SCAN_MS, SPEED, STEPS, write,
};
use xpuck_registers::infrared::{MAX_COUNTS, RawInfrared, other_order};
use xpuck_registers::light::RawLight;

/// Interval between exchanges. An exchange occupies the bus for about 8 ms.
const PERIOD: Duration = Duration::from_millis(50);

/// Driver of an e-puck1.
#[derive(Debug)]
pub struct Epuck1<B> {
    bus: B,
    counts: Counts,
    resets: u64,
    /// Lamps that were written last; `None` until the infra-red sensors are switched on.
    lamps_written: Option<Leds>,
    ambient: [u16; 8],
    turn: usize,
}

impl Epuck1<Box<dyn I2cBus>> {
    /// Opens the bus at `path`, and creates a driver on it.
    pub fn open(path: &Path) -> Result<Self, DeviceError> {
        i2c::open(path).map(Epuck1::new)
    }
}

impl<B: I2cBus> Epuck1<B> {
    /// Creates a driver on this bus.
    pub fn new(bus: B) -> Epuck1<B> {
        Epuck1 { bus, counts: Counts::default(), resets: 0, lamps_written: None, ambient: [0; 8], turn: 0 }
    }

    /// Returns the number of detected restarts of the e-puck1.
    pub fn resets(&self) -> u64 {
        self.resets
    }

    fn exchange_once(&mut self, drive: &Drive) -> Result<BodyReadings, DeviceError> {
        let speeds = drive.speeds.map(|s| s.get() as u16);
        for (i, speed) in speeds.into_iter().enumerate() {
            self.write(SPEED, i, speed)?;
        }
        let checked = self.turn % 2;
        self.check_speed(checked, speeds[checked])?;
        self.restore_settings(drive.lamps.leds_or_default())?;
        let mut reflected = [0; 8];
        for (i, value) in reflected.iter_mut().enumerate() {
            *value = self.read_counts(REFLECTED, i)?;
        }
        // Ambient light changes slowly, so each exchange reads one sensor. The first readings of the eight sensors are
        // not used, because the sensors may not have been switched on yet.
        let sensor = self.turn % 8;
        self.ambient[sensor] = self.read_counts(AMBIENT, sensor)?;
        self.turn += 1;
        let steps = [self.read(STEPS, 0)?, self.read(STEPS, 1)?];
        Ok(BodyReadings {
            reflected: other_order(reflected).map(RawInfrared),
            light: (self.turn >= 16).then(|| RawLight(other_order(self.ambient))),
            steps,
            ..BodyReadings::default()
        })
    }

    /// Reads the speed register of motor `i` back, at most [`TRIES`] times. After each wrong value except the last,
    /// writes the register again.
    fn check_speed(&mut self, i: usize, written: u16) -> Result<(), DeviceError> {
        let mut found = self.read(SPEED, i)?;
        for _ in 1..TRIES {
            if found == written {
                return Ok(());
            }
            self.counts.rejected += 1;
            self.write(SPEED, i, written)?;
            found = self.read(SPEED, i)?;
        }
        if found == written {
            return Ok(());
        }
        Err(DeviceError::Register { address: ADDRESS, register: SPEED.pointer(i), written, found })
    }

    /// Switches the infra-red sensors on if they are off: at the start, and after a restart of the e-puck1. Also sets
    /// the lamps.
    fn restore_settings(&mut self, lamps: Leds) -> Result<(), DeviceError> {
        if self.read(INFRARED, 0)? & SCAN == 0 {
            // The sensors are off after a restart, which also discarded the previous command.
            let restarted = u64::from(self.lamps_written.take().is_some());
            self.resets += restarted;
            self.counts.rejected += restarted;
            self.write(INFRARED, 0, SCAN)?;
            // Until the first scan is complete, readings are 0, as if no obstacle were near.
            std::thread::sleep(Duration::from_millis(2 * SCAN_MS));
        }
        if self.lamps_written != Some(lamps) {
            self.write(RING, 0, u16::from(lamps.ring))?;
            self.write(LAMPS, 0, lamps.to_epuck1_register())?;
            self.lamps_written = Some(lamps);
        }
        Ok(())
    }

    /// Reads a value of the 12-bit converter. A value of more than 12 bits was corrupted in transmission, and is read
    /// again.
    fn read_counts(&mut self, register: Register, i: usize) -> Result<u16, DeviceError> {
        let mut found = self.read(register, i)?;
        for _ in 1..TRIES {
            if found <= MAX_COUNTS {
                break;
            }
            self.counts.corrupt += 1;
            self.counts.retries += 1;
            found = self.read(register, i)?;
        }
        if found <= MAX_COUNTS {
            return Ok(found);
        }
        self.counts.corrupt += 1;
        Err(I2cError::Range { address: ADDRESS, name: register.name, number: i, found, most: MAX_COUNTS }.into())
    }

    fn read(&mut self, register: Register, i: usize) -> Result<u16, DeviceError> {
        let mut bytes = [0; 2];
        i2c::transfer(&mut self.bus, &mut self.counts, ADDRESS, &[register.pointer(i)], &mut bytes)?;
        Ok(u16::from_le_bytes(bytes))
    }

    fn write(&mut self, register: Register, i: usize, value: u16) -> Result<(), DeviceError> {
        let bytes = write(register.pointer(i), value);
        i2c::transfer(&mut self.bus, &mut self.counts, ADDRESS, &bytes, &mut [])
    }
}

impl<B: I2cBus> Body for Epuck1<B> {
    fn exchange(&mut self, drive: &Drive) -> Result<BodyReadings, DeviceError> {
        self.counts.exchanges += 1;
        self.exchange_once(drive).inspect_err(|error| {
            let answered = matches!(error, DeviceError::I2c(_) | DeviceError::Register { .. });
            self.counts.bus_errors += u64::from(!answered);
        })
    }

    fn period(&self) -> Duration {
        PERIOD
    }

    fn counts(&self) -> Counts {
        self.counts
    }
}

#[cfg(test)]
mod tests;

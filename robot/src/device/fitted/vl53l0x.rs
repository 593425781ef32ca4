//! VL53L0X of an e-puck2: sensor of the distance ahead. Each reading starts one measurement.

use super::{FittedDevice, FittedReadings, byte, identify};
use crate::device::i2c::I2cError;
use crate::device::{DeviceError, I2cBus};
use std::time::Duration;
use xpuck_registers::vl53l0x::{
    ADDRESS, CLEAR, DONE, DONE_MASK, MEASUREMENT_MS, MODEL, RESULT, RESULT_BYTES, START, decode,
};

/// Maximum number of polls for the end of a measurement, and pause between polls.
const LOOKS: u32 = 20;
const PAUSE: Duration = Duration::from_millis(MEASUREMENT_MS / 5);

/// Driver of a VL53L0X.
#[derive(Debug)]
pub(super) struct Vl53l0x<B> {
    bus: B,
}

impl<B: I2cBus> Vl53l0x<B> {
    /// Verifies the identity of the sensor, and creates a driver. The sensor keeps its power-up settings.
    pub fn set_up(mut bus: B) -> Result<Vl53l0x<B>, DeviceError> {
        identify(&mut bus, ADDRESS, MODEL)?;
        Ok(Vl53l0x { bus })
    }
}

impl<B: I2cBus> FittedDevice for Vl53l0x<B> {
    fn read(&mut self, into: &mut FittedReadings) -> Result<(), DeviceError> {
        self.bus.write_read(ADDRESS, &[START, 1], &mut [])?;
        for _ in 0..LOOKS {
            std::thread::sleep(PAUSE);
            if byte(&mut self.bus, ADDRESS, DONE)? & DONE_MASK != 0 {
                let mut result = [0; RESULT_BYTES];
                self.bus.write_read(ADDRESS, &[RESULT], &mut result)?;
                self.bus.write_read(ADDRESS, &[CLEAR, 1], &mut [])?;
                into.ahead = Some(decode(&result));
                return Ok(());
            }
        }
        Err(I2cError::Busy { address: ADDRESS }.into())
    }
}

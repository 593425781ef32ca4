//! Ground sensors of an e-puck.

use super::{FittedDevice, FittedReadings};
use crate::device::i2c::I2cError;
use crate::device::{DeviceError, I2cBus};
use xpuck_registers::ground::{ADDRESS, BYTES, MOST, READINGS, decode};

/// Driver of the three ground sensors.
#[derive(Debug)]
pub(super) struct Ground<B> {
    bus: B,
}

impl<B: I2cBus> Ground<B> {
    /// Creates a driver. The sensors need no configuration.
    pub fn new(bus: B) -> Ground<B> {
        Ground { bus }
    }
}

impl<B: I2cBus> FittedDevice for Ground<B> {
    fn read(&mut self, into: &mut FittedReadings) -> Result<(), DeviceError> {
        let mut bytes = [0; BYTES];
        self.bus.write_read(ADDRESS, &[READINGS], &mut bytes)?;
        let readings = decode(&bytes);
        if let Some(number) = readings.iter().position(|reading| *reading > MOST) {
            let found = readings[number];
            return Err(I2cError::Range { address: ADDRESS, name: "ground sensor", number, found, most: MOST }.into());
        }
        into.ground = Some(readings);
        Ok(())
    }
}

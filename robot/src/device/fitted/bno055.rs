//! BNO055: nine-axis inertial unit that computes its orientation.

use super::{FittedDevice, FittedReadings, byte, identify};
use crate::device::{DeviceError, I2cBus};
use std::time::Duration;
use xpuck_registers::bno055::{ADDRESS, CHIP_ID, DATA, DATA_BYTES, Data, MODE, MODE_CONFIGURE, MODE_FUSION, MODE_MS};

/// Driver of a BNO055.
#[derive(Debug)]
pub(super) struct Bno055<B> {
    bus: B,
}

impl<B: I2cBus> Bno055<B> {
    /// Verifies the identity of the unit, and starts the output of its orientation.
    pub fn set_up(mut bus: B) -> Result<Bno055<B>, DeviceError> {
        identify(&mut bus, ADDRESS, CHIP_ID)?;
        for mode in [MODE_CONFIGURE, MODE_FUSION] {
            bus.write_read(ADDRESS, &[MODE, mode], &mut [])?;
            std::thread::sleep(Duration::from_millis(MODE_MS));
        }
        let mut unit = Bno055 { bus };
        unit.check_mode()?;
        Ok(unit)
    }

    /// Verifies that the unit still has its settings, which it loses in a power failure. After an error, the device
    /// must be opened again, which configures it.
    fn check_mode(&mut self) -> Result<(), DeviceError> {
        let found = byte(&mut self.bus, ADDRESS, MODE)?;
        match found & 0x0f == MODE_FUSION {
            true => Ok(()),
            false => Err(DeviceError::Register {
                address: ADDRESS,
                register: MODE,
                written: MODE_FUSION.into(),
                found: found.into(),
            }),
        }
    }
}

impl<B: I2cBus> FittedDevice for Bno055<B> {
    fn read(&mut self, into: &mut FittedReadings) -> Result<(), DeviceError> {
        self.check_mode()?;
        let mut bytes = [0; DATA_BYTES];
        self.bus.write_read(ADDRESS, &[DATA], &mut bytes)?;
        into.imu = Some(Data::decode(&bytes));
        Ok(())
    }
}

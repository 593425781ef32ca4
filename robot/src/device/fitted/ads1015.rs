//! ADS1015 of the Pi-puck board: analogue-to-digital converter that measures the voltages of two batteries. Each
//! conversion measures one voltage.

use super::{FittedDevice, FittedReadings};
use crate::device::i2c::I2cError;
use crate::device::{DeviceError, I2cBus};
use std::time::Duration;
use xpuck_registers::ads1015::{
    ADDRESS, AUXILIARY_INPUT, BATTERY_INPUT, CONFIGURATION, CONVERSION, CONVERSION_MS, START, start, volts, write,
};

/// Maximum number of polls for the end of a conversion.
const LOOKS: u32 = 5;

/// Driver of an ADS1015.
#[derive(Debug)]
pub(super) struct Ads1015<B> {
    bus: B,
}

impl<B: I2cBus> Ads1015<B> {
    /// Creates a driver. Verifies that the converter answers and accepts settings.
    pub fn set_up(bus: B) -> Result<Ads1015<B>, DeviceError> {
        let mut converter = Ads1015 { bus };
        converter.convert(BATTERY_INPUT)?;
        let (written, found) = (start(BATTERY_INPUT) & !START, converter.register(CONFIGURATION)? & !START);
        match written == found {
            true => Ok(converter),
            false => Err(DeviceError::Register { address: ADDRESS, register: CONFIGURATION, written, found }),
        }
    }

    fn convert(&mut self, input: u16) -> Result<f32, DeviceError> {
        self.bus.write_read(ADDRESS, &write(CONFIGURATION, start(input)), &mut [])?;
        for _ in 0..LOOKS {
            std::thread::sleep(Duration::from_millis(CONVERSION_MS));
            if self.register(CONFIGURATION)? & START != 0 {
                return Ok(volts(self.register(CONVERSION)?));
            }
        }
        Err(I2cError::Busy { address: ADDRESS }.into())
    }

    fn register(&mut self, register: u8) -> Result<u16, DeviceError> {
        let mut bytes = [0; 2];
        self.bus.write_read(ADDRESS, &[register], &mut bytes)?;
        Ok(u16::from_be_bytes(bytes))
    }
}

impl<B: I2cBus> FittedDevice for Ads1015<B> {
    fn read(&mut self, into: &mut FittedReadings) -> Result<(), DeviceError> {
        into.batteries = Some([self.convert(BATTERY_INPUT)?, self.convert(AUXILIARY_INPUT)?]);
        Ok(())
    }
}

//! INA231 power monitor over I2C.

use super::{DeviceError, I2cBus, PowerMonitor};
use xpuck_registers::ina231::{self, CALIBRATION, CONFIGURATION, Register};

/// Driver of one INA231.
#[derive(Debug)]
pub struct Ina231<B> {
    bus: B,
    address: u8,
}

impl<B: I2cBus> Ina231<B> {
    /// Creates a driver of the INA231 at a 7-bit address, without configuring the chip.
    pub fn new(bus: B, address: u8) -> Ina231<B> {
        Ina231 { bus, address }
    }

    /// Sets the averaging and the current scale, and reads both back. Required after each power-up, because the
    /// current reads 0 until the scale is set.
    pub fn configure(&mut self) -> Result<(), DeviceError> {
        for (register, written) in [(Register::Configuration, CONFIGURATION), (Register::Calibration, CALIBRATION)] {
            self.bus.write_read(self.address, &ina231::write(register, written), &mut [])?;
            let found = self.read(register)?;
            if found != written {
                let register = register as u8;
                return Err(DeviceError::Register { address: self.address, register, written, found });
            }
        }
        Ok(())
    }

    /// Returns the voltage on the load's side of the shunt (V). The resolution is 1.25 mV.
    pub fn volts(&mut self) -> Result<f32, DeviceError> {
        Ok(ina231::volts(self.read(Register::BusVoltage)?))
    }

    /// Returns the current through the shunt (A, +-4.096), positive towards the load. The resolution is 1 mA.
    pub fn amps(&mut self) -> Result<f32, DeviceError> {
        Ok(ina231::amps(self.read(Register::Current)?))
    }

    fn read(&mut self, register: Register) -> Result<u16, DeviceError> {
        let mut bytes = [0; 2];
        self.bus.write_read(self.address, &[register as u8], &mut bytes)?;
        Ok(u16::from_be_bytes(bytes))
    }
}

impl<B: I2cBus> PowerMonitor for Ina231<B> {
    fn volts(&mut self) -> Result<f32, DeviceError> {
        Ina231::volts(self)
    }

    fn amps(&mut self) -> Result<f32, DeviceError> {
        Ina231::amps(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_registers::ina231::BATTERY_ADDRESS;

    /// Registers of a chip that measures 3.7 V and 0.9 A.
    struct Bench {
        registers: [u16; 8],
        deaf: bool,
    }

    impl I2cBus for &mut Bench {
        fn write_read(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> Result<(), DeviceError> {
            if address != BATTERY_ADDRESS {
                return Err(DeviceError::Nak { path: "bench".into(), address });
            }
            let register = usize::from(write[0]);
            if write.len() == 3 && !self.deaf {
                self.registers[register] = u16::from_be_bytes([write[1], write[2]]);
            }
            let shunt = ina231::shunt_register(0.9);
            self.registers[1] = shunt;
            self.registers[2] = ina231::bus_register(3.7);
            self.registers[4] = ina231::current_register(shunt, self.registers[5]);
            if let [high, low] = read {
                [*high, *low] = self.registers[register].to_be_bytes();
            }
            Ok(())
        }
    }

    #[test]
    fn configured_monitor_reads_volts_and_amps() {
        let mut bench = Bench { registers: [0x4127, 0, 0, 0, 0, 0, 0, 0], deaf: false };
        let mut monitor = Ina231::new(&mut bench, BATTERY_ADDRESS);
        assert_eq!(monitor.amps().unwrap(), 0.0, "not before it is configured");
        monitor.configure().unwrap();
        assert!((monitor.volts().unwrap() - 3.7).abs() < 1e-3);
        assert!((monitor.amps().unwrap() - 0.9).abs() < 1e-3);
        assert_eq!(bench.registers[0], CONFIGURATION);
    }

    #[test]
    fn rejected_configuration_names_register() {
        let mut bench = Bench { registers: [0x4127, 0, 0, 0, 0, 0, 0, 0], deaf: true };
        let error = Ina231::new(&mut bench, BATTERY_ADDRESS).configure().unwrap_err().to_string();
        assert!(error.contains("register 0") && error.contains("0x40") && error.contains("0x4127"), "{error}");
        let error = Ina231::new(&mut bench, 0x45).volts().unwrap_err().to_string();
        assert!(error.contains("0x45"), "{error}");
    }
}

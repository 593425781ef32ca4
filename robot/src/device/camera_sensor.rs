//! Driver of a camera sensor over I2C: reads the sensor's id, configures the format YUYV, and reads the settings back.

use super::i2c::{self, I2cError};
use super::{DeviceError, I2cBus};
use std::path::Path;
use std::time::Duration;
use xpuck_registers::camera_sensor::{Clock, SENSORS, Sensor, Step};

/// Driver of the camera sensor.
#[derive(Debug)]
pub struct CameraSensor<B> {
    bus: B,
    sensor: &'static Sensor,
    /// Selected register bank, if known.
    bank: Option<u8>,
}

/// Driver of a camera sensor on any kind of I2C bus.
pub type BoxedSensor = CameraSensor<Box<dyn I2cBus>>;

impl BoxedSensor {
    /// Finds the sensor on the I2C bus at `path`.
    pub fn open(path: &Path) -> Result<BoxedSensor, DeviceError> {
        CameraSensor::find(i2c::open(path)?)
    }
}

impl<B: I2cBus> CameraSensor<B> {
    /// Finds the sensor on a bus by reading the id at the address of each known kind of sensor. If no id matches, the
    /// error contains the last unknown id, or states that no sensor answered.
    pub fn find(mut bus: B) -> Result<CameraSensor<B>, DeviceError> {
        let mut why: Option<DeviceError> = None;
        for sensor in SENSORS {
            match id(&mut bus, sensor) {
                Ok(found) if found == sensor.id => return Ok(CameraSensor { bus, sensor, bank: None }),
                Ok(found) => why = Some(I2cError::UnknownSensor { address: sensor.address, id: found }.into()),
                Err(DeviceError::Nak { path, address }) => {
                    why.get_or_insert(DeviceError::Nak { path, address });
                }
                Err(error) => return Err(error),
            }
        }
        Err(why.expect("there are kinds of sensors"))
    }

    /// Returns the kind of the sensor.
    pub fn sensor(&self) -> &'static Sensor {
        self.sensor
    }

    /// Reads the id again. Fails if the sensor was replaced, or does not answer correctly.
    pub fn identify(&mut self) -> Result<(), DeviceError> {
        let (id, address) = (id(&mut self.bus, self.sensor)?, self.sensor.address);
        if id == self.sensor.id { Ok(()) } else { Err(I2cError::UnknownSensor { address, id }.into()) }
    }

    /// Configures the sensor for 640 x 480 YUYV at 15 frames/s, and reads back the registers that can be read. Takes up
    /// to 0.3 s.
    pub fn set_up(&mut self, clock: Clock) -> Result<(), DeviceError> {
        for step in self.sensor.setup(clock) {
            match step {
                Step::Set { bank, register, bytes: 2, value, holds, .. } => {
                    let [high, low] = value.to_be_bytes();
                    self.set(bank, register, high, holds)?;
                    self.set(bank, register + 1, low, holds)?;
                }
                Step::Set { bank, register, value, holds, .. } => self.set(bank, register, value as u8, holds)?,
                Step::Wait { milliseconds, .. } => std::thread::sleep(Duration::from_millis(milliseconds)),
            }
        }
        Ok(())
    }

    /// Sets the exposure time (s), or automatic exposure for `None`, and reads the registers back. Requires that
    /// [`set_up`](CameraSensor::set_up) was called before, because it determines the duration of a line.
    pub fn expose(&mut self, seconds: Option<f64>, clock: Clock) -> Result<(), DeviceError> {
        let Some(exposing) = self.sensor.exposing else {
            return Err(I2cError::NoExposure { sensor: self.sensor.name }.into());
        };
        let (bank, register) = exposing.switch;
        self.select(bank)?;
        let kept = read(&mut self.bus, self.sensor, register)? & !exposing.mask;
        let Some(seconds) = seconds else { return self.set(bank, register, kept | exposing.automatic, true) };
        self.set(bank, register, kept | exposing.fixed(), true)?;
        let (bank, first) = exposing.time;
        let lines = seconds / self.sensor.set_up_line(clock);
        for (register, byte) in (first..).zip(exposing.encode(lines)) {
            self.set(bank, register, byte, true)?;
        }
        Ok(())
    }

    fn select(&mut self, bank: u8) -> Result<(), DeviceError> {
        if let Some(select) = self.sensor.bank_register.filter(|_| self.bank != Some(bank)) {
            self.bus.write_read(self.sensor.address, &[select, bank], &mut [])?;
            self.bank = Some(bank);
        }
        Ok(())
    }

    fn set(&mut self, bank: u8, register: u8, written: u8, holds: bool) -> Result<(), DeviceError> {
        let Sensor { name: sensor, address, bank_register, .. } = *self.sensor;
        self.select(bank)?;
        self.bus.write_read(address, &[register, written], &mut [])?;
        if !holds {
            return Ok(());
        }
        let found = read(&mut self.bus, self.sensor, register)?;
        if found == written {
            return Ok(());
        }
        let bank = bank_register.map(|_| bank);
        Err(I2cError::SensorRegister { sensor, address, bank, register, written, found }.into())
    }
}

fn id(bus: &mut impl I2cBus, sensor: &Sensor) -> Result<u16, DeviceError> {
    let high = read(bus, sensor, sensor.id_register)?;
    let low = read(bus, sensor, sensor.id_register + 1)?;
    Ok(u16::from_be_bytes([high, low]))
}

fn read(bus: &mut impl I2cBus, sensor: &Sensor, register: u8) -> Result<u8, DeviceError> {
    let mut value = [0];
    if sensor.repeated_start {
        bus.write_read(sensor.address, &[register], &mut value)?;
    } else {
        bus.write_read(sensor.address, &[register], &mut [])?;
        bus.write_read(sensor.address, &[], &mut value)?;
    }
    Ok(value[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;
    use xpuck_registers::camera_sensor::{OV7670, PO8030};

    /// Simulated sensor. Registers are keyed by bank and number.
    struct Bench {
        sensor: &'static Sensor,
        registers: HashMap<(u8, u8), u8>,
        bank: u8,
        pointer: u8,
        /// Bank and number of a register that ignores writes.
        stuck: Option<(u8, u8)>,
    }

    fn bench(sensor: &'static Sensor) -> Bench {
        let [high, low] = sensor.id.to_be_bytes();
        let (first, second) = (sensor.id_register, sensor.id_register + 1);
        let registers = (0..4).flat_map(|bank| [((bank, first), high), ((bank, second), low)]).collect();
        Bench { sensor, registers, bank: 0, pointer: 0, stuck: None }
    }

    impl I2cBus for &mut Bench {
        fn write_read(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> Result<(), DeviceError> {
            let combined = !write.is_empty() && !read.is_empty();
            if address != self.sensor.address || combined && !self.sensor.repeated_start {
                return Err(DeviceError::Nak { path: "bench".into(), address });
            }
            self.pointer = write.first().copied().unwrap_or(self.pointer);
            if let [register, value] = *write {
                if Some(register) == self.sensor.bank_register {
                    self.bank = value;
                } else if self.stuck != Some((self.bank, register)) {
                    let bank = self.bank;
                    self.registers.insert((bank, register), value);
                }
            }
            read.fill(self.registers.get(&(self.bank, self.pointer)).copied().unwrap_or(0));
            Ok(())
        }
    }

    #[test]
    fn each_sensor_is_found_and_set_up() {
        for sensor in SENSORS {
            let mut bench = bench(sensor);
            let mut driver = CameraSensor::find(&mut bench).unwrap();
            assert_eq!(driver.sensor().name, sensor.name);
            driver.set_up(Clock::Epuck1).unwrap();
            driver.identify().unwrap();
            for step in sensor.setup(Clock::Epuck1) {
                if let Step::Set { bank, register, bytes: 1, holds: true, .. } = step {
                    assert!(bench.registers.contains_key(&(bank, register)), "{} {register:#04x}", sensor.name);
                }
            }
        }
    }

    #[test]
    fn register_mismatch_is_reported_with_bank() {
        let mut bench = bench(&PO8030);
        bench.stuck = Some((1, 0x4e));
        let error = CameraSensor::find(&mut bench).unwrap().set_up(Clock::Epuck2).unwrap_err().to_string();
        let expected = "register 0x4e of bank B of the PO8030 at I2C address 0x6e holds 0x00; 0x02 was written";
        assert_eq!(error, expected);
    }

    #[test]
    fn exposure_is_written_in_lines_and_other_bits_stay() {
        let mut bench = bench(&PO8030);
        bench.registers.insert((2, 0x04), 0x98);
        {
            let mut driver = CameraSensor::find(&mut bench).unwrap();
            driver.set_up(Clock::Xpuck).unwrap();
            driver.expose(Some(0.010), Clock::Xpuck).unwrap();
        }
        // The exposure time is 75 lines of 133 us.
        let time = [0x17, 0x18, 0x19].map(|register| bench.registers[&(0, register)]);
        assert_eq!((bench.registers[&(2, 0x04)], time), (0x9b, [0, 75, 0]));
        CameraSensor::find(&mut bench).unwrap().expose(None, Clock::Xpuck).unwrap();
        assert_eq!(bench.registers[&(2, 0x04)], 0x98);
        bench.stuck = Some((0, 0x18));
        let error = CameraSensor::find(&mut bench).unwrap().expose(Some(0.02), Clock::Xpuck).unwrap_err().to_string();
        assert!(error.contains("register 0x18 of bank A of the PO8030"), "{error}");
        let mut omnivision = self::bench(&OV7670);
        let error = CameraSensor::find(&mut omnivision).unwrap().expose(None, Clock::Epuck2).unwrap_err().to_string();
        assert!(error.contains("OV7670") && error.contains("camera.exposure"), "{error}");
    }

    #[test]
    fn unknown_sensor_and_no_sensor_are_distinguished() {
        let mut stranger = bench(&OV7670);
        stranger.registers.insert((0, 0x0b), 0x21);
        let error = CameraSensor::find(&mut stranger).err().unwrap().to_string();
        assert_eq!(error, "I2C address 0x21 identifies itself as 0x7621, which is not a camera sensor of an e-puck");
        struct Nobody;
        impl I2cBus for Nobody {
            fn write_read(&mut self, address: u8, _: &[u8], _: &mut [u8]) -> Result<(), DeviceError> {
                Err(DeviceError::Nak { path: "bench".into(), address })
            }
        }
        assert!(matches!(CameraSensor::find(Nobody).err(), Some(DeviceError::Nak { .. })));
    }
}

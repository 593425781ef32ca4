//! Optional devices on the robot's I2C bus, as listed in the robot's file.

mod ads1015;
mod bno055;
mod erandb;
mod ground;
mod vl53l0x;

use super::{DeviceError, I2cBus};
pub use erandb::MOST_HEARD;
use schemars::JsonSchema;
use serde::Deserialize;
use std::path::Path;
use xpuck_registers::bno055::Data;
use xpuck_registers::erandb::ReceivedWord;
use xpuck_registers::{ads1015 as converter, bno055 as imu, erandb as board, ground as floor, vl53l0x as tof};

/// Kind of an optional device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Fitted {
    /// Nine-axis inertial unit (I2C address 0x28).
    #[serde(rename = "bno055")]
    Bno055,
    /// Analogue-to-digital converter of the Pi-puck board for the battery voltages (I2C address 0x48).
    #[serde(rename = "ads1015")]
    Ads1015,
    /// Ground sensors of an e-puck (I2C address 0x60).
    #[serde(rename = "ground")]
    Ground,
    /// Distance sensor of an e-puck2 (I2C address 0x29).
    #[serde(rename = "vl53l0x")]
    Vl53l0x,
    /// Range and bearing board of an e-puck (I2C address 0x20).
    #[serde(rename = "erandb")]
    Erandb,
}

/// Readings of the optional devices. The reading of a device that is not fitted is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FittedReadings {
    /// Reading of the inertial unit.
    pub imu: Option<Data>,
    /// Voltages of the e-puck's battery and the auxiliary battery (V).
    pub batteries: Option<[f32; 2]>,
    /// Reflectance of the ground at the left, the centre and the right (counts, 0..=1023). Larger values mean brighter
    /// ground.
    pub ground: Option<[u16; 3]>,
    /// Distance to an obstacle ahead (m). The inner `None` means that no obstacle is in range.
    pub ahead: Option<Option<f32>>,
    /// Words received from other robots in recent polls. Unused entries have word 0.
    pub heard: Option<[ReceivedWord; MOST_HEARD]>,
}

impl FittedReadings {
    /// Returns these readings, with missing readings replaced by those in `other`.
    pub fn and(self, other: &FittedReadings) -> FittedReadings {
        FittedReadings {
            imu: self.imu.or(other.imu),
            batteries: self.batteries.or(other.batteries),
            ground: self.ground.or(other.ground),
            ahead: self.ahead.or(other.ahead),
            heard: self.heard.or(other.heard),
        }
    }
}

/// Opened optional device.
pub trait FittedDevice: Send {
    /// Reads the device, and stores its readings in `into`.
    ///
    /// # Errors
    /// If the device does not answer, or its readings are impossible.
    fn read(&mut self, into: &mut FittedReadings) -> Result<(), DeviceError>;
}

impl Fitted {
    /// Returns the name of the device in the robot's file.
    pub const fn name(self) -> &'static str {
        match self {
            Fitted::Bno055 => "bno055",
            Fitted::Ads1015 => "ads1015",
            Fitted::Ground => "ground",
            Fitted::Vl53l0x => "vl53l0x",
            Fitted::Erandb => "erandb",
        }
    }

    /// Returns the 7-bit I2C address of the device.
    pub const fn address(self) -> u8 {
        match self {
            Fitted::Bno055 => imu::ADDRESS,
            Fitted::Ads1015 => converter::ADDRESS,
            Fitted::Ground => floor::ADDRESS,
            Fitted::Vl53l0x => tof::ADDRESS,
            Fitted::Erandb => board::ADDRESS,
        }
    }

    /// Opens the device on the bus at path `i2c`, and configures it. `own` is the robot's index in the swarm, from 1.
    /// Only a range and bearing board uses `own`: it sends this index to other robots.
    ///
    /// # Errors
    /// If the device does not answer, or another device answers.
    pub fn open(self, i2c: &Path, own: u16) -> Result<Box<dyn FittedDevice>, DeviceError> {
        self.on(super::i2c::open(i2c)?, own)
    }

    fn on<B: I2cBus + 'static>(self, bus: B, own: u16) -> Result<Box<dyn FittedDevice>, DeviceError> {
        Ok(match self {
            Fitted::Bno055 => Box::new(bno055::Bno055::set_up(bus)?),
            Fitted::Ads1015 => Box::new(ads1015::Ads1015::set_up(bus)?),
            Fitted::Ground => Box::new(ground::Ground::new(bus)),
            Fitted::Vl53l0x => Box::new(vl53l0x::Vl53l0x::set_up(bus)?),
            Fitted::Erandb => Box::new(erandb::Erandb::set_up(bus, own)?),
        })
    }
}

/// Reads one register.
fn byte(bus: &mut impl I2cBus, address: u8, register: u8) -> Result<u8, DeviceError> {
    let mut value = [0];
    bus.write_read(address, &[register], &mut value)?;
    Ok(value[0])
}

/// Verifies the identity of the chip at an address.
fn identify(bus: &mut impl I2cBus, address: u8, (register, id): (u8, u8)) -> Result<(), DeviceError> {
    let found = byte(bus, address, register)?;
    match found == id {
        true => Ok(()),
        false => Err(super::i2c::I2cError::Identity { address, found, wanted: id }.into()),
    }
}

//! Devices on the robot's I2C bus that some robots have and others do not; the robot's file names them.

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
use xpuck_registers::erandb::Heard;
use xpuck_registers::{ads1015 as converter, bno055 as imu, erandb as board, ground as floor, vl53l0x as tof};

/// A device that a robot may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Fitted {
    /// A nine-axis inertial unit at 0x28.
    #[serde(rename = "bno055")]
    Bno055,
    /// The Pi-puck board's converter of the batteries' voltages at 0x48.
    #[serde(rename = "ads1015")]
    Ads1015,
    /// An e-puck's ground sensors at 0x60.
    #[serde(rename = "ground")]
    Ground,
    /// An e-puck2's distance sensor at 0x29.
    #[serde(rename = "vl53l0x")]
    Vl53l0x,
    /// An e-puck's range and bearing board at 0x20.
    #[serde(rename = "erandb")]
    Erandb,
}

/// What such devices tell; what is not fitted is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FittedReadings {
    /// The inertial unit.
    pub imu: Option<Data>,
    /// The e-puck's and the auxiliary battery, V.
    pub batteries: Option<[f32; 2]>,
    /// The floor at the left, the centre and the right, counts of 1023; larger is brighter.
    pub ground: Option<[u16; 3]>,
    /// The way ahead, m; none within it if nothing is in range.
    pub ahead: Option<Option<f32>>,
    /// Words that were heard in the last looks; behind the last one words are 0.
    pub heard: Option<[Heard; MOST_HEARD]>,
}

impl FittedReadings {
    /// These, and others where these have nothing.
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

/// A device that was opened.
pub trait FittedDevice: Send {
    /// Adds what it tells now.
    ///
    /// # Errors
    /// It does not answer, or answers what cannot be.
    fn read(&mut self, into: &mut FittedReadings) -> Result<(), DeviceError>;
}

impl Fitted {
    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Fitted::Bno055 => "bno055",
            Fitted::Ads1015 => "ads1015",
            Fitted::Ground => "ground",
            Fitted::Vl53l0x => "vl53l0x",
            Fitted::Erandb => "erandb",
        }
    }

    /// Its 7-bit address.
    pub const fn address(self) -> u8 {
        match self {
            Fitted::Bno055 => imu::ADDRESS,
            Fitted::Ads1015 => converter::ADDRESS,
            Fitted::Ground => floor::ADDRESS,
            Fitted::Vl53l0x => tof::ADDRESS,
            Fitted::Erandb => board::ADDRESS,
        }
    }

    /// Opens it on the bus at a path, and sets it up. `own` is the robot's place in the swarm, from 1, for those that tell it.
    ///
    /// # Errors
    /// It does not answer, or something else does.
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

/// One register's byte.
fn byte(bus: &mut impl I2cBus, address: u8, register: u8) -> Result<u8, DeviceError> {
    let mut value = [0];
    bus.write_read(address, &[register], &mut value)?;
    Ok(value[0])
}

/// That the chip at an address is the one that it should be.
fn identify(bus: &mut impl I2cBus, address: u8, (register, id): (u8, u8)) -> Result<(), DeviceError> {
    let found = byte(bus, address, register)?;
    match found == id {
        true => Ok(()),
        false => Err(super::i2c::I2cError::Identity { address, found, wanted: id }.into()),
    }
}

//! Common code of the I2C drivers: opening of a bus, retries of a transfer, and errors in answers.

use super::body::Counts;
use super::i2cdev::KernelI2c;
use super::virtual_bus::{VirtualI2c, is_virtual};
use super::{DeviceError, I2cBus};
use std::path::{Path, PathBuf};
use xpuck_registers::epuck2::ChecksumError;

/// Maximum number of attempts per transfer. According to GCtronic, about 0.1 % of the transfers to an e-puck time out.
pub const TRIES: u32 = 3;

/// Invalid answer of a device.
#[derive(Debug, thiserror::Error)]
pub enum I2cError {
    /// Packet with a wrong checksum.
    #[error("I2C address {address:#04x} answered with a corrupt packet: {source}")]
    Checksum {
        /// 7-bit address.
        address: u8,
        /// Checksum error.
        source: ChecksumError,
    },
    /// Packet that contains only zeros.
    #[error("I2C address {address:#04x} answered with a packet of zeros only")]
    Empty {
        /// 7-bit address.
        address: u8,
    },
    /// Value outside its range.
    #[error("I2C address {address:#04x} reports {found} as {name} {number}; at most {most} is possible")]
    Range {
        /// 7-bit address.
        address: u8,
        /// Name of the value.
        name: &'static str,
        /// Index of the value, in the device's own numbering.
        number: usize,
        /// Received value.
        found: u16,
        /// Maximum possible value.
        most: u16,
    },
    /// A device at a camera sensor's address has an unknown id.
    #[error("I2C address {address:#04x} identifies itself as {id:#06x}, which is not a camera sensor of an e-puck")]
    UnknownSensor {
        /// 7-bit address.
        address: u8,
        /// Content of the id registers.
        id: u16,
    },
    /// A register of a camera sensor does not keep the written value.
    #[error("register {register:#04x}{} of the {sensor} at I2C address {address:#04x} holds {found:#04x}; {written:#04x} was written", bank_name(.bank))]
    SensorRegister {
        /// Name of the sensor.
        sensor: &'static str,
        /// 7-bit address.
        address: u8,
        /// Register bank, if the sensor has banks.
        bank: Option<u8>,
        /// Register number.
        register: u8,
        /// Written value.
        written: u8,
        /// Value read back.
        found: u8,
    },
    /// The exposure registers of the camera sensor are unknown.
    #[error("the exposure of the {sensor} cannot be set; remove `camera.exposure` from the robot's file")]
    NoExposure {
        /// Name of the sensor.
        sensor: &'static str,
    },
    /// Another chip answers at the address.
    #[error("I2C address {address:#04x} identifies itself as {found:#04x}, expected {wanted:#04x}")]
    Identity {
        /// 7-bit address.
        address: u8,
        /// Content of the id register.
        found: u8,
        /// Expected id.
        wanted: u8,
    },
    /// A measurement does not end.
    #[error("I2C address {address:#04x} does not complete a measurement")]
    Busy {
        /// 7-bit address.
        address: u8,
    },
    /// The file of a kernel attribute holds a wrong value.
    #[error("{} holds {found:?}; {wanted}", path.display())]
    Attribute {
        /// File of the attribute.
        path: PathBuf,
        /// Current value.
        found: String,
        /// Required value and remedy.
        wanted: &'static str,
    },
}

fn bank_name(bank: &Option<u8>) -> String {
    bank.map_or(String::new(), |bank| format!(" of bank {}", char::from(b'A' + bank)))
}

/// Opens an I2C bus: a virtual arena's bus if the path is a socket or a network address, otherwise a kernel bus.
pub fn open(path: &Path) -> Result<Box<dyn I2cBus>, DeviceError> {
    let virtual_one = is_virtual(path).map_err(|source| DeviceError::Open { path: path.into(), source })?;
    if virtual_one { Ok(Box::new(VirtualI2c::open(path)?)) } else { Ok(Box::new(KernelI2c::open(path)?)) }
}

/// Performs a transfer with up to [`TRIES`] attempts, and counts the retries.
pub(super) fn transfer(
    bus: &mut impl I2cBus,
    counts: &mut Counts,
    address: u8,
    write: &[u8],
    read: &mut [u8],
) -> Result<(), DeviceError> {
    for _ in 1..TRIES {
        match bus.write_read(address, write, read) {
            // A transfer that is too long is not retried, because it would fail again.
            Err(error) if !matches!(error, DeviceError::TooLong { .. }) => counts.retries += 1,
            done => return done,
        }
    }
    bus.write_read(address, write, read)
}

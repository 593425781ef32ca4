//! What the drivers on I2C buses share: opening a bus, repeating a transfer, and what can be wrong with an answer.

use super::body::Counts;
use super::i2cdev::KernelI2c;
use super::virtual_bus::{VirtualI2c, is_virtual};
use super::{DeviceError, I2cBus};
use std::path::{Path, PathBuf};
use xpuck_registers::epuck2::ChecksumError;

/// Times that a transfer is tried before it counts as failed: about one in a thousand to an e-puck times out (GCtronic).
pub const TRIES: u32 = 3;

/// What a device answered that cannot be.
#[derive(Debug, thiserror::Error)]
pub enum I2cError {
    /// A packet with a wrong checksum.
    #[error("I2C address {address:#04x} answered a packet that is corrupt: {source}")]
    Checksum {
        /// The 7-bit address.
        address: u8,
        /// What is wrong with it.
        source: ChecksumError,
    },
    /// A packet that holds nothing.
    #[error("I2C address {address:#04x} answered a packet of nothing but zeros")]
    Empty {
        /// The 7-bit address.
        address: u8,
    },
    /// A value outside its range.
    #[error("I2C address {address:#04x} tells {found} as {name} {number}; at most {most} is possible")]
    Range {
        /// The 7-bit address.
        address: u8,
        /// What the value is.
        name: &'static str,
        /// Which one of its kind, in the device's own count.
        number: usize,
        /// The value.
        found: u16,
        /// The largest possible.
        most: u16,
    },
    /// Something answers where a camera sensor should, but with no id that is known.
    #[error("I2C address {address:#04x} identifies itself as {id:#06x}, which is no camera sensor of an e-puck")]
    UnknownSensor {
        /// The 7-bit address.
        address: u8,
        /// What its id registers hold.
        id: u16,
    },
    /// A camera sensor's register does not hold what was written to it.
    #[error("register {register:#04x}{} of the {sensor} at I2C address {address:#04x} holds {found:#04x}; {written:#04x} was written", bank_name(.bank))]
    SensorRegister {
        /// Name of the sensor.
        sensor: &'static str,
        /// The 7-bit address.
        address: u8,
        /// The bank, where the sensor has banks.
        bank: Option<u8>,
        /// The register.
        register: u8,
        /// What was written.
        written: u8,
        /// What was read back.
        found: u8,
    },
    /// A camera sensor whose exposure registers are not known.
    #[error("the exposure of the {sensor} is not known how to be set; take `camera.exposure` out of the robot's file")]
    NoExposure {
        /// Name of the sensor.
        sensor: &'static str,
    },
    /// Another chip answers than the one that should be there.
    #[error("I2C address {address:#04x} identifies itself as {found:#04x}; {wanted:#04x} is expected")]
    Identity {
        /// The 7-bit address.
        address: u8,
        /// What its id register holds.
        found: u8,
        /// What it should hold.
        wanted: u8,
    },
    /// A measurement does not end.
    #[error("I2C address {address:#04x} has begun a measurement that does not end")]
    Busy {
        /// The 7-bit address.
        address: u8,
    },
    /// An attribute of the kernel does not hold what it should.
    #[error("{} holds {found:?}; {wanted}", path.display())]
    Attribute {
        /// The attribute's file.
        path: PathBuf,
        /// What it holds.
        found: String,
        /// What it should hold.
        wanted: &'static str,
    },
}

fn bank_name(bank: &Option<u8>) -> String {
    bank.map_or(String::new(), |bank| format!(" of bank {}", char::from(b'A' + bank)))
}

/// Opens a bus: the kernel's, or that of a virtual arena if the path is a socket.
pub fn open(path: &Path) -> Result<Box<dyn I2cBus>, DeviceError> {
    let virtual_one = is_virtual(path).map_err(|source| DeviceError::Open { path: path.into(), source })?;
    if virtual_one { Ok(Box::new(VirtualI2c::open(path)?)) } else { Ok(Box::new(KernelI2c::open(path)?)) }
}

/// One transfer, tried up to [`TRIES`] times; each repetition is counted.
pub(super) fn transfer(
    bus: &mut impl I2cBus,
    counts: &mut Counts,
    address: u8,
    write: &[u8],
    read: &mut [u8],
) -> Result<(), DeviceError> {
    for _ in 1..TRIES {
        match bus.write_read(address, write, read) {
            // The same bytes would be too many again.
            Err(error) if !matches!(error, DeviceError::TooLong { .. }) => counts.retries += 1,
            done => return done,
        }
    }
    bus.write_read(address, write, read)
}

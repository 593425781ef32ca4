//! The robot's devices: what the control loop needs of each bus, the drivers on top of them, and the buses themselves.
//!
//! A driver is written against a trait, so the same driver runs on the kernel's bus, on the virtual arena's sockets
//! and in tests.

#[cfg(feature = "apriltag")]
pub mod apriltag;
pub mod body;
pub mod body_lock;
pub mod bulk;
pub mod camera;
pub mod camera_sensor;
pub mod epuck;
pub mod epuck1;
pub mod epuck2;
pub mod fitted;
pub mod frames;
pub mod ft2232h;
pub mod guard;
pub mod hwmon;
pub mod i2c;
pub mod i2cdev;
pub mod ina231;
pub mod lamps;
pub mod shim;
pub mod spidev;
pub mod uvc;
pub mod v4l2;
pub mod virtual_bus;

use frames::CameraCounts;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use xpuck_registers::spi::{SpiError, Words};
use xpuck_registers::yuyv;

/// Longest part of an I2C transaction, bytes: an e-puck2's report.
pub const MAX_I2C: usize = xpuck_registers::epuck2::REPORT_BYTES;

/// A device in messages: its file, or what the socket of a virtual arena stands for.
fn named(path: &Path) -> String {
    match path.extension().and_then(OsStr::to_str).filter(|_| !path.starts_with("/dev")) {
        Some("spi") => "the simulated body".into(),
        Some("i2c") => "the simulated I2C bus".into(),
        _ => path.display().to_string(),
    }
}

/// Why a device did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// A device file or socket cannot be opened.
    #[error("cannot open {}: {source}", path.display())]
    Open {
        /// The file or socket.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Another program has the body.
    #[error("{} is held by {holder}, which drives this robot: end it first", path.display())]
    Held {
        /// The device file or socket.
        path: PathBuf,
        /// Who holds it, in words.
        holder: String,
    },
    /// The other side closed the connection.
    #[error("{} was closed by its other side", named(path))]
    Closed {
        /// The file or socket.
        path: PathBuf,
    },
    /// No answer came in time; the connection is given up, because a late answer would be taken for the next one.
    #[error("{} did not answer within {milliseconds} ms", named(path))]
    Timeout {
        /// The file or socket.
        path: PathBuf,
        /// How long it was waited for, ms.
        milliseconds: u64,
    },
    /// A simulated body did not answer; it is connected anew.
    #[error("lost contact with {} for {milliseconds} ms: this machine is overloaded", named(path))]
    GivenUp {
        /// The socket.
        path: PathBuf,
        /// How long it was waited for, ms.
        milliseconds: u64,
    },
    /// Reading or writing went wrong.
    #[error("cannot transfer over {}: {source}", named(path))]
    Transfer {
        /// The file or socket.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A SPI device of the kernel refuses what it is asked.
    #[error("cannot {doing} {} (SPI mode {mode}, {hertz} Hz, {bits} bits a word): {source}", path.display())]
    Spi {
        /// "set up" or "transfer over".
        doing: &'static str,
        /// The device file.
        path: PathBuf,
        /// The SPI mode, 0..=3.
        mode: u8,
        /// The clock, Hz.
        hertz: u32,
        /// Bits of a word.
        bits: u8,
        /// What the system said.
        source: std::io::Error,
    },
    /// A message from the dsPIC is corrupt.
    #[error("the dsPIC's report to command {sequence} is corrupt: {source}")]
    Report {
        /// Number of the command that was sent in the same exchange.
        sequence: u16,
        /// What is wrong with it.
        source: SpiError,
    },
    /// Nothing on the bus acknowledged.
    #[error("I2C address {address:#04x} on {} does not acknowledge", named(path))]
    Nak {
        /// The bus.
        path: PathBuf,
        /// The 7-bit address.
        address: u8,
    },
    /// A register does not hold what was written to it.
    #[error("register {register} of I2C address {address:#04x} holds {found:#06x}; {written:#06x} was written")]
    Register {
        /// The 7-bit address.
        address: u8,
        /// The register's pointer.
        register: u8,
        /// What was written.
        written: u16,
        /// What was read back.
        found: u16,
    },
    /// What a device on an I2C bus answers cannot be.
    #[error(transparent)]
    I2c(#[from] i2c::I2cError),
    /// The process that stops the wheels of a robot without a watchdog is not there.
    #[error("the guard that stops the wheels {0}")]
    Guard(String),
    /// A transaction is longer than the bus takes.
    #[error("{bytes} bytes for I2C address {address:#04x}; {MAX_I2C} are possible in one transaction")]
    TooLong {
        /// The 7-bit address.
        address: u8,
        /// Bytes asked for.
        bytes: usize,
    },
    /// A camera cannot be opened, or ended.
    #[error(transparent)]
    Camera(#[from] camera::CameraError),
    /// A frame's bytes do not fit its size.
    #[error("a camera frame of {width} x {height} has {found} bytes instead of {expected}")]
    FrameLength {
        /// Pixels in a row.
        width: usize,
        /// Rows.
        height: usize,
        /// Bytes of such a frame.
        expected: usize,
        /// Bytes that there are.
        found: usize,
    },
    /// A frame's size is not one that YUYV and three segments allow.
    #[error("a camera frame of {width} x {height} is impossible: the width is even and 4..=2048, the height 2..=2048")]
    FrameSize {
        /// Pixels in a row.
        width: usize,
        /// Rows.
        height: usize,
    },
}

/// A full-duplex link that exchanges whole messages with the dsPIC.
pub trait SpiBus: Send {
    /// Sends 32 words and returns the 32 that came back meanwhile.
    fn transfer(&mut self, words: &Words) -> Result<Words, DeviceError>;
}

/// An I2C bus with the board as its master.
pub trait I2cBus: Send {
    /// Writes, then reads after a repeated start; either may be empty. `address` has 7 bits, and both parts have at
    /// most [`MAX_I2C`] bytes.
    fn write_read(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> Result<(), DeviceError>;
}

/// A monitor of voltage and current.
pub trait PowerMonitor: Send {
    /// Voltage on the load's side of the shunt, V.
    fn volts(&mut self) -> Result<f32, DeviceError>;

    /// Current through the shunt, A; positive towards the load.
    fn amps(&mut self) -> Result<f32, DeviceError>;
}

impl<B: SpiBus + ?Sized> SpiBus for Box<B> {
    fn transfer(&mut self, words: &Words) -> Result<Words, DeviceError> {
        (**self).transfer(words)
    }
}

impl<B: I2cBus + ?Sized> I2cBus for Box<B> {
    fn write_read(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> Result<(), DeviceError> {
        (**self).write_read(address, write, read)
    }
}

/// A camera.
pub trait FrameSource: Send {
    /// The newest whole frame if one came since the last call. Never waits.
    fn latest(&mut self) -> Result<Option<&Frame>, DeviceError>;

    /// What happened to its stream so far.
    fn counts(&self) -> CameraCounts;
}

/// A YUYV picture; its bytes always fit its size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Frame {
    /// A frame of `width` by `height` pixels from its YUYV bytes, first row first.
    pub fn new(width: usize, height: usize, bytes: Vec<u8>) -> Result<Frame, DeviceError> {
        let expected = Frame::len_of(width, height)?;
        if bytes.len() != expected {
            return Err(DeviceError::FrameLength { width, height, expected, found: bytes.len() });
        }
        Ok(Frame { width, height, bytes })
    }

    /// A black frame, to be filled.
    pub(crate) fn black(width: usize, height: usize) -> Result<Frame, DeviceError> {
        let pairs = Frame::len_of(width, height)? / 4;
        Frame::new(width, height, [16, 128, 16, 128].repeat(pairs))
    }

    /// Bytes of a frame of this size, if there can be such a frame.
    pub fn len_of(width: usize, height: usize) -> Result<usize, DeviceError> {
        if !(4..=2048).contains(&width) || !width.is_multiple_of(2) || !(2..=2048).contains(&height) {
            return Err(DeviceError::FrameSize { width, height });
        }
        Ok(yuyv::frame_len(width, height))
    }

    /// Pixels in a row.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Rows.
    pub fn height(&self) -> usize {
        self.height
    }

    /// The YUYV bytes, first row first.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The YUYV bytes, to be changed.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frames_bytes_fit_its_size() {
        assert!(Frame::new(160, 120, vec![0; 38_400]).is_ok());
        let short = Frame::new(160, 120, vec![0; 38_399]).unwrap_err().to_string();
        assert!(short.contains("38399") && short.contains("38400"), "{short}");
        assert!(matches!(Frame::new(161, 120, vec![0; 38_640]), Err(DeviceError::FrameSize { .. })));
    }

    #[test]
    fn messages_name_a_virtual_device_not_its_socket() {
        let closed = |path: &str| DeviceError::Closed { path: path.into() }.to_string();
        assert_eq!(closed("/tmp/devices/xp01.spi"), "the simulated body was closed by its other side");
        assert_eq!(closed("/dev/spidev0.0"), "/dev/spidev0.0 was closed by its other side");
    }
}

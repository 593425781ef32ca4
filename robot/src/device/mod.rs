//! The robot's devices: bus interfaces for the control loop, drivers, and the buses themselves.
//!
//! Drivers access buses through traits, so the same driver runs on a kernel bus, on a virtual arena's sockets and in
//! tests.

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

/// Maximum length of the write part of an I2C transaction, and of its read part (bytes). An e-puck2's report has this
/// length.
pub const MAX_I2C: usize = xpuck_registers::epuck2::REPORT_BYTES;

/// Returns the name of a device for error texts: its path, or a description for a socket of a virtual arena.
fn named(path: &Path) -> String {
    match path.extension().and_then(OsStr::to_str).filter(|_| !path.starts_with("/dev")) {
        Some("spi") => "the simulated body".into(),
        Some("i2c") => "the simulated I2C bus".into(),
        _ => path.display().to_string(),
    }
}

/// Error of a device.
#[derive(Debug, thiserror::Error)]
pub enum DeviceError {
    /// The device file or socket cannot be opened.
    #[error("cannot open {}: {source}", path.display())]
    Open {
        /// Path of the device file or socket.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// Another program has locked the robot's body.
    #[error("{} is held by {holder}, which drives this robot: end it first", path.display())]
    InUse {
        /// Device file or socket.
        path: PathBuf,
        /// Description of the program that has locked the body.
        holder: String,
    },
    /// The other side closed the connection.
    #[error("{} was closed by the other side", named(path))]
    Closed {
        /// Path of the device file or socket.
        path: PathBuf,
    },
    /// No answer arrived in time. The connection is closed, because a late answer would be taken for the answer to
    /// the next request.
    #[error("{} did not answer within {milliseconds} ms", named(path))]
    Timeout {
        /// Path of the device file or socket.
        path: PathBuf,
        /// Time limit (ms).
        milliseconds: u64,
    },
    /// A simulated body did not answer in time. The program reconnects.
    #[error("lost contact with {} for {milliseconds} ms: this machine is overloaded", named(path))]
    Abandoned {
        /// Path of the socket.
        path: PathBuf,
        /// Time limit (ms).
        milliseconds: u64,
    },
    /// Reading or writing failed.
    #[error("cannot transfer data over {}: {source}", named(path))]
    Transfer {
        /// Path of the device file or socket.
        path: PathBuf,
        /// Error of the system.
        source: std::io::Error,
    },
    /// A kernel SPI device rejected an operation.
    #[error("cannot {doing} {} (SPI mode {mode}, {hertz} Hz, {bits} bits per word): {source}", path.display())]
    Spi {
        /// Operation: "set up" or "transfer over".
        doing: &'static str,
        /// Device file.
        path: PathBuf,
        /// SPI mode, 0..=3.
        mode: u8,
        /// Clock frequency (Hz).
        hertz: u32,
        /// Bits per word.
        bits: u8,
        /// Error of the system.
        source: std::io::Error,
    },
    /// Corrupt message from the dsPIC.
    #[error("the dsPIC's report to command {sequence} is corrupt: {source}")]
    Report {
        /// Number of the command sent in the same exchange.
        sequence: u16,
        /// Error in the report.
        source: SpiError,
    },
    /// No device on the bus acknowledged.
    #[error("I2C address {address:#04x} on {} does not acknowledge", named(path))]
    Nak {
        /// Path of the bus.
        path: PathBuf,
        /// 7-bit address.
        address: u8,
    },
    /// A register does not keep the written value.
    #[error("register {register} of I2C address {address:#04x} holds {found:#06x}; {written:#06x} was written")]
    Register {
        /// 7-bit address.
        address: u8,
        /// Number of the register.
        register: u8,
        /// Written value.
        written: u16,
        /// Value read back.
        found: u16,
    },
    /// Invalid answer of a device on an I2C bus.
    #[error(transparent)]
    I2c(#[from] i2c::I2cError),
    /// The guard process of a robot without a watchdog is not running.
    #[error("the guard that stops the wheels {0}")]
    Guard(String),
    /// The transaction exceeds the bus's limit.
    #[error("a transaction has {bytes} bytes for I2C address {address:#04x}; at most {MAX_I2C} are possible")]
    TooLong {
        /// 7-bit address.
        address: u8,
        /// Requested length (bytes).
        bytes: usize,
    },
    /// A camera cannot be opened, or its stream ended.
    #[error(transparent)]
    Camera(#[from] camera::CameraError),
    /// The number of bytes does not match the frame's size.
    #[error("a camera frame of {width} x {height} has {found} bytes instead of {expected}")]
    FrameLength {
        /// Width (pixels).
        width: usize,
        /// Height (pixels).
        height: usize,
        /// Expected number of bytes.
        expected: usize,
        /// Actual number of bytes.
        found: usize,
    },
    /// The size is invalid for YUYV frames that are divided into thirds.
    #[error(
        "a camera frame of {width} x {height} is invalid; the width must be even and 4 to 2048, the height 2 to 2048"
    )]
    FrameSize {
        /// Width (pixels).
        width: usize,
        /// Height (pixels).
        height: usize,
    },
}

/// Full-duplex link that exchanges whole messages with the dsPIC.
pub trait SpiBus: Send {
    /// Sends 32 words, and returns the 32 words that were received at the same time.
    fn transfer(&mut self, words: &Words) -> Result<Words, DeviceError>;
}

/// I2C bus with the board as its master.
pub trait I2cBus: Send {
    /// Writes `write`, then fills `read` after a repeated start. Either part may be empty, and each has at most
    /// [`MAX_I2C`] bytes. `address` has 7 bits.
    fn write_read(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> Result<(), DeviceError>;
}

/// Monitor of voltage and current.
pub trait PowerMonitor: Send {
    /// Returns the voltage on the load's side of the shunt (V).
    fn volts(&mut self) -> Result<f32, DeviceError>;

    /// Returns the current through the shunt (A), positive towards the load.
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

/// Source of camera frames.
pub trait FrameSource: Send {
    /// Returns the newest complete frame; `None` if no frame arrived since the last call. Never blocks.
    fn latest(&mut self) -> Result<Option<&Frame>, DeviceError>;

    /// Returns the counters since the start of the stream.
    fn counts(&self) -> CameraCounts;
}

/// YUYV picture. The number of bytes always matches the width and height.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    width: usize,
    height: usize,
    bytes: Vec<u8>,
}

impl Frame {
    /// Creates a frame of `width` by `height` pixels from YUYV bytes, top row first.
    pub fn new(width: usize, height: usize, bytes: Vec<u8>) -> Result<Frame, DeviceError> {
        let expected = Frame::len_of(width, height)?;
        if bytes.len() != expected {
            return Err(DeviceError::FrameLength { width, height, expected, found: bytes.len() });
        }
        Ok(Frame { width, height, bytes })
    }

    /// Creates a black frame, as a buffer for the bytes of camera frames.
    pub(crate) fn black(width: usize, height: usize) -> Result<Frame, DeviceError> {
        let pairs = Frame::len_of(width, height)? / 4;
        Frame::new(width, height, [16, 128, 16, 128].repeat(pairs))
    }

    /// Returns the length of a frame of this size (bytes), or an error if the size is invalid.
    pub fn len_of(width: usize, height: usize) -> Result<usize, DeviceError> {
        if !(4..=2048).contains(&width) || !width.is_multiple_of(2) || !(2..=2048).contains(&height) {
            return Err(DeviceError::FrameSize { width, height });
        }
        Ok(yuyv::frame_len(width, height))
    }

    /// Returns the width (pixels).
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the height (pixels).
    pub fn height(&self) -> usize {
        self.height
    }

    /// Returns the YUYV bytes, top row first.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the YUYV bytes for writing, top row first.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_length_must_match_size() {
        assert!(Frame::new(160, 120, vec![0; 38_400]).is_ok());
        let short = Frame::new(160, 120, vec![0; 38_399]).unwrap_err().to_string();
        assert!(short.contains("38399") && short.contains("38400"), "{short}");
        assert!(matches!(Frame::new(161, 120, vec![0; 38_640]), Err(DeviceError::FrameSize { .. })));
    }

    #[test]
    fn messages_name_a_virtual_device_not_its_socket() {
        let closed = |path: &str| DeviceError::Closed { path: path.into() }.to_string();
        assert_eq!(closed("/tmp/devices/xp01.spi"), "the simulated body was closed by the other side");
        assert_eq!(closed("/dev/spidev0.0"), "/dev/spidev0.0 was closed by the other side");
    }
}

//! Devices of a virtual arena. Each device is a stream socket on this machine or in the network, which carries the
//! same bytes as the real device.
//!
//! If a request is not answered within [`TIMEOUT`], the bus fails permanently, because a late answer would be taken
//! for the answer to the next request. A camera's socket carries no requests.

mod camera;
mod stream;

pub use camera::{open_ft2232h, open_uvc};
pub use stream::{TCP, is_virtual, on_network};

use super::{DeviceError, I2cBus, MAX_I2C, SpiBus};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use stream::Stream;
use xpuck_registers::spi::{self, Words};

/// Time limit for a device's answer. On an overloaded machine, a thread of the arena may wait a second for a
/// processor. The wheels stop long before this limit, because the readings become stale.
pub const TIMEOUT: Duration = Duration::from_secs(2);

/// Socket, with its path for error texts.
#[derive(Debug)]
struct Socket {
    stream: Stream,
    path: PathBuf,
    /// Whether this program closed the connection because no answer arrived.
    given_up: bool,
}

impl Socket {
    fn open(path: &Path) -> Result<Socket, DeviceError> {
        Ok(Socket { stream: Stream::open(path, TIMEOUT)?, path: path.into(), given_up: false })
    }

    fn send(&mut self, bytes: &[u8]) -> Result<(), DeviceError> {
        self.stream.write_all(bytes).map_err(|error| self.broken(error))
    }

    fn receive(&mut self, bytes: &mut [u8]) -> Result<(), DeviceError> {
        self.stream.read_exact(bytes).map_err(|error| self.broken(error))
    }

    /// Closes the connection, so that every later request fails too. Returns the error to report.
    fn broken(&mut self, source: io::Error) -> DeviceError {
        // The shutdown fails if the other side has already closed the connection. This error is irrelevant.
        let _ = self.stream.shutdown();
        let error = transfer_error(&self.path, source);
        // Every request after a timeout reports the timeout again, because this program has closed the connection.
        let error = if self.given_up { timeout(&self.path) } else { error };
        self.given_up = matches!(error, DeviceError::Abandoned { .. });
        error
    }
}

fn timeout(path: &Path) -> DeviceError {
    DeviceError::Abandoned { path: path.into(), milliseconds: TIMEOUT.as_millis() as u64 }
}

fn transfer_error(path: &Path, source: io::Error) -> DeviceError {
    let path = path.to_path_buf();
    match source.kind() {
        ErrorKind::UnexpectedEof | ErrorKind::BrokenPipe | ErrorKind::ConnectionReset => DeviceError::Closed { path },
        ErrorKind::WouldBlock | ErrorKind::TimedOut => timeout(&path),
        _ => DeviceError::Transfer { path, source },
    }
}

/// SPI bus to the dsPIC over a socket.
#[derive(Debug)]
pub struct VirtualSpi(Socket);

impl VirtualSpi {
    /// Connects to `<robot>.spi`.
    pub fn open(path: &Path) -> Result<VirtualSpi, DeviceError> {
        Socket::open(path).map(VirtualSpi)
    }
}

impl SpiBus for VirtualSpi {
    fn transfer(&mut self, words: &Words) -> Result<Words, DeviceError> {
        self.0.send(&spi::to_wire(words))?;
        let mut reply = [0; spi::BYTES];
        self.0.receive(&mut reply)?;
        Ok(spi::from_wire(&reply))
    }
}

/// I2C bus of the interface board over a socket.
#[derive(Debug)]
pub struct VirtualI2c(Socket);

impl VirtualI2c {
    /// Connects to `<robot>.i2c`.
    pub fn open(path: &Path) -> Result<VirtualI2c, DeviceError> {
        Socket::open(path).map(VirtualI2c)
    }
}

impl I2cBus for VirtualI2c {
    fn write_read(&mut self, address: u8, write: &[u8], read: &mut [u8]) -> Result<(), DeviceError> {
        let longest = write.len().max(read.len());
        if longest > MAX_I2C {
            return Err(DeviceError::TooLong { address, bytes: longest });
        }
        let mut request = [0; 3 + MAX_I2C];
        request[..3].copy_from_slice(&[address, write.len() as u8, read.len() as u8]);
        request[3..3 + write.len()].copy_from_slice(write);
        self.0.send(&request[..3 + write.len()])?;
        let mut refused = [0];
        self.0.receive(&mut refused)?;
        if refused != [0] {
            return Err(DeviceError::Nak { path: self.0.path.clone(), address });
        }
        self.0.receive(read)
    }
}

#[cfg(test)]
mod tests;
